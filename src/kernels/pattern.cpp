// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pattern.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "kernels/pattern.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lines that come up are fetched so many before their turn.
constexpr Index kAhead = 8;

template <class Real>
void RowDots(const std::int32_t* index, Index count, const Real* row, const Real* table, Index stride,
             Index width, Real* out) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index k = 0; k < count; ++k) {
        if (index != nullptr && k + kAhead < count) {
            const Real* next = table + index[k + kAhead] * stride;
            for (Index l = 0; l < width; l += 64 / static_cast<Index>(sizeof(Real)))
                __builtin_prefetch(next + l);
        }
        const Real* line = table + (index == nullptr ? k : index[k]) * stride;
        auto one = hn::Zero(d);
        auto other = hn::Zero(d);
        Index l = 0;
        for (; l + lanes < width; l += 2 * lanes) {
            one = hn::MulAdd(hn::LoadU(d, row + l), hn::LoadU(d, line + l), one);
            other = hn::MulAdd(hn::LoadU(d, row + l + lanes), hn::LoadU(d, line + l + lanes), other);
        }
        if (l < width) one = hn::MulAdd(hn::LoadU(d, row + l), hn::LoadU(d, line + l), one);
        out[k] = hn::GetLane(hn::SumOfLanes(d, hn::Add(one, other)));
    }
}

using Block = hn::CappedTag<double, pattern_block>;

// The block in as many vectors as it takes.
template <class Body>
HWY_INLINE void ForBlock(const Body& body) {
    for (Index c = 0; c < pattern_block; c += static_cast<Index>(hn::Lanes(Block()))) body(c);
}

template <class Real>
void RowSums(const std::int32_t* index, Index count, const Real* value, const double* table, double* out) {
    const Block d;
    ForBlock([&](Index c) {
        auto even = hn::Zero(d);
        auto odd = hn::Zero(d);
        Index k = 0;
        for (; k + 1 < count; k += 2) {
            even = hn::MulAdd(hn::Set(d, static_cast<double>(value[k])),
                              hn::LoadU(d, table + index[k] * pattern_block + c), even);
            odd = hn::MulAdd(hn::Set(d, static_cast<double>(value[k + 1])),
                             hn::LoadU(d, table + index[k + 1] * pattern_block + c), odd);
        }
        if (k < count)
            even = hn::MulAdd(hn::Set(d, static_cast<double>(value[k])),
                              hn::LoadU(d, table + index[k] * pattern_block + c), even);
        hn::StoreU(hn::Add(even, odd), d, out + c);
    });
}

template <class Real>
void RowAdds(const std::int32_t* index, Index count, const Real* value, const double* row, double* table) {
    const Block d;
    ForBlock([&](Index c) {
        const auto line = hn::LoadU(d, row + c);
        for (Index k = 0; k < count; ++k) {
            double* at = table + index[k] * pattern_block + c;
            hn::StoreU(hn::MulAdd(hn::Set(d, static_cast<double>(value[k])), line, hn::LoadU(d, at)), d, at);
        }
    });
}

template <class Real>
void GatherLines(const std::int32_t* index, Index count, const Real* table, Index stride, Real* to) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index k = 0; k < count; ++k, to += stride) {
        if (k + kAhead < count) {
            const Real* next = table + index[k + kAhead] * stride;
            for (Index l = 0; l < stride; l += 64 / static_cast<Index>(sizeof(Real)))
                __builtin_prefetch(next + l);
        }
        const Real* line = table + index[k] * stride;
        for (Index l = 0; l < stride; l += lanes) hn::StoreU(hn::LoadU(d, line + l), d, to + l);
    }
}

constexpr Index kSumVectors = 4;

// V vectors of the sum.
template <Index V, class Real>
void SumTile(const std::int32_t* index, Index count, const Real* value, const Real* table, Index stride,
             Real* out) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[V];
    for (Index v = 0; v < V; ++v) sum[v] = hn::Zero(d);
    for (Index k = 0; k < count; ++k) {
        if (index != nullptr && k + kAhead < count) {
            const Real* next = table + index[k + kAhead] * stride;
            for (Index v = 0; v < V; ++v) __builtin_prefetch(next + v * lanes);
        }
        const Real* line = table + (index == nullptr ? k : index[k]) * stride;
        const auto factor = hn::Set(d, value[k]);
        for (Index v = 0; v < V; ++v) sum[v] = hn::MulAdd(factor, hn::LoadU(d, line + v * lanes), sum[v]);
    }
    for (Index v = 0; v < V; ++v) hn::StoreU(sum[v], d, out + v * lanes);
}

template <class Real>
void SumLines(const std::int32_t* index, Index count, const Real* value, const Real* table, Index stride,
              Index width, Real* out) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index l = 0; l < width; l += kSumVectors * lanes) {
        switch (std::min((width - l + lanes - 1) / lanes, kSumVectors)) {
            case 1:
                SumTile<1>(index, count, value, table + l, stride, out + l);
                break;
            case 2:
                SumTile<2>(index, count, value, table + l, stride, out + l);
                break;
            case 3:
                SumTile<3>(index, count, value, table + l, stride, out + l);
                break;
            default:
                SumTile<4>(index, count, value, table + l, stride, out + l);
        }
    }
}

template <class Real>
void AddLines(const std::int32_t* index, Index count, const Real* value, const Real* row, Index stride,
              Index width, Real* table) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index k = 0; k < count; ++k) {
        if (k + kAhead < count) {
            const Real* next = table + index[k + kAhead] * stride;
            for (Index l = 0; l < width; l += 64 / static_cast<Index>(sizeof(Real)))
                __builtin_prefetch(next + l, 1);
        }
        Real* line = table + index[k] * stride;
        const auto factor = hn::Set(d, value[k]);
        for (Index l = 0; l < width; l += lanes)
            hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, row + l), hn::LoadU(d, line + l)), d, line + l);
    }
}

constexpr Index kTileRows = 4;
constexpr Index kTileVectors = 4;

// Rows a .. a+3 and V vectors of columns from b on.
template <Index V, class Real>
void GramTile(const Real* lines, Index count, const Real* weight, Index stride, Index a, Index b,
              Real* gram) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[kTileRows][V];
    for (Index r = 0; r < kTileRows; ++r)
        for (Index v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
    const Real* line = lines;
    for (Index k = 0; k < count; ++k, line += stride) {
        hn::Vec<decltype(d)> columns[V];
        for (Index v = 0; v < V; ++v) columns[v] = hn::LoadU(d, line + b + v * lanes);
        if (weight != nullptr)
            for (Index v = 0; v < V; ++v) columns[v] = hn::Mul(columns[v], hn::Set(d, weight[k]));
        for (Index r = 0; r < kTileRows; ++r) {
            const auto factor = hn::Set(d, line[a + r]);
            for (Index v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(factor, columns[v], sum[r][v]);
        }
    }
    for (Index r = 0; r < kTileRows; ++r)
        for (Index v = 0; v < V; ++v) hn::StoreU(sum[r][v], d, gram + (a + r) * stride + b + v * lanes);
}

// The same in double precision, added up.
template <Index V, class Real>
void WideGramTile(const Real* lines, Index count, Index stride, Index a, Index b, double* gram) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<Real, decltype(d)> narrow;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto load = [&](const Real* from) HWY_ATTR {
        if constexpr (sizeof(Real) == sizeof(double)) {
            return hn::LoadU(d, from);
        } else {
            return hn::PromoteTo(d, hn::LoadU(narrow, from));
        }
    };
    hn::Vec<decltype(d)> sum[kTileRows][V];
    for (Index r = 0; r < kTileRows; ++r)
        for (Index v = 0; v < V; ++v) sum[r][v] = hn::LoadU(d, gram + (a + r) * stride + b + v * lanes);
    const Real* line = lines;
    for (Index k = 0; k < count; ++k, line += stride) {
        hn::Vec<decltype(d)> columns[V];
        for (Index v = 0; v < V; ++v) columns[v] = load(line + b + v * lanes);
        for (Index r = 0; r < kTileRows; ++r) {
            const auto factor = hn::Set(d, static_cast<double>(line[a + r]));
            for (Index v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(factor, columns[v], sum[r][v]);
        }
    }
    for (Index r = 0; r < kTileRows; ++r)
        for (Index v = 0; v < V; ++v) hn::StoreU(sum[r][v], d, gram + (a + r) * stride + b + v * lanes);
}

// tile<V>(row, column) for the tiles of an upper triangle whose vectors have so many lanes.
template <class Tile>
HWY_INLINE void ForTiles(Index width, Index lanes, const Tile& tile) {
    const Index vectors = (width + lanes - 1) / lanes;
    for (Index a = 0; a < width; a += kTileRows) {
        for (Index v = a / lanes; v < vectors; v += kTileVectors) {
            switch (std::min(vectors - v, kTileVectors)) {
                case 1:
                    tile.template operator()<1>(a, v * lanes);
                    break;
                case 2:
                    tile.template operator()<2>(a, v * lanes);
                    break;
                case 3:
                    tile.template operator()<3>(a, v * lanes);
                    break;
                default:
                    tile.template operator()<4>(a, v * lanes);
            }
        }
    }
}

template <class Real>
void GramOfLines(const Real* lines, Index count, const Real* weight, Index stride, Index width, Real* gram) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    ForTiles(width, lanes, [&]<Index V>(Index a, Index b) HWY_ATTR {
        GramTile<V>(lines, count, weight, stride, a, b, gram);
    });
}

template <class Real>
void AddGram(const Real* lines, Index count, Index stride, Index width, double* gram) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<double>()));
    ForTiles(width, lanes,
             [&]<Index V>(Index a, Index b) HWY_ATTR { WideGramTile<V>(lines, count, stride, a, b, gram); });
}

// Uᵀ U = A, four rows of U at a time; then Uᵀ y = b and U x = y.
bool SolvePositive(double* a, Index size, Index stride, double* b) {
    const hn::ScalableTag<double> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    constexpr Index block = 4;
    for (Index j = 0; j < size; j += block) {
        const Index rows = std::min(block, size - j);
        const Index from = j / lanes * lanes;  // whole vectors: what lies left of the diagonal does not count
        for (Index p = 0; p < rows; ++p) {
            double* pivot = a + (j + p) * stride;
            for (Index q = 0; q < p; ++q) {
                const double* row = a + (j + q) * stride;
                const auto factor = hn::Set(d, -row[j + p]);
                for (Index l = from; l < stride; l += lanes)
                    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, row + l), hn::LoadU(d, pivot + l)), d,
                               pivot + l);
                b[j + p] -= row[j + p] * b[j + q];
            }
            if (!(pivot[j + p] > 0)) return false;
            const double root = 1 / std::sqrt(pivot[j + p]);
            const auto scale = hn::Set(d, root);
            for (Index l = from; l < stride; l += lanes)
                hn::StoreU(hn::Mul(scale, hn::LoadU(d, pivot + l)), d, pivot + l);
            b[j + p] *= root;
        }
        if (rows < block) break;
        const double* u = a + j * stride;
        for (Index i = j + block; i < size; ++i) {
            double* row = a + i * stride;
            const double f0 = u[i];
            const double f1 = u[stride + i];
            const double f2 = u[2 * stride + i];
            const double f3 = u[3 * stride + i];
            b[i] -= f0 * b[j] + f1 * b[j + 1] + f2 * b[j + 2] + f3 * b[j + 3];
            for (Index l = i / lanes * lanes; l < stride; l += lanes) {
                auto sum = hn::LoadU(d, row + l);
                sum = hn::NegMulAdd(hn::Set(d, f0), hn::LoadU(d, u + l), sum);
                sum = hn::NegMulAdd(hn::Set(d, f1), hn::LoadU(d, u + stride + l), sum);
                sum = hn::NegMulAdd(hn::Set(d, f2), hn::LoadU(d, u + 2 * stride + l), sum);
                sum = hn::NegMulAdd(hn::Set(d, f3), hn::LoadU(d, u + 3 * stride + l), sum);
                hn::StoreU(sum, d, row + l);
            }
        }
    }
    for (Index i = size; i-- > 0;) {
        const double* row = a + i * stride;
        double sum = b[i];
        for (Index l = i + 1; l < size; ++l) sum -= row[l] * b[l];
        b[i] = sum / row[i];
    }
    return true;
}

void RowDotsF(const std::int32_t* index, Index count, const float* row, const float* table, Index stride,
              Index width, float* out) {
    RowDots(index, count, row, table, stride, width, out);
}
void RowDotsD(const std::int32_t* index, Index count, const double* row, const double* table, Index stride,
              Index width, double* out) {
    RowDots(index, count, row, table, stride, width, out);
}
void RowSumsF(const std::int32_t* index, Index count, const float* value, const double* table, double* out) {
    RowSums(index, count, value, table, out);
}
void RowSumsD(const std::int32_t* index, Index count, const double* value, const double* table, double* out) {
    RowSums(index, count, value, table, out);
}
void RowAddsF(const std::int32_t* index, Index count, const float* value, const double* row, double* table) {
    RowAdds(index, count, value, row, table);
}
void RowAddsD(const std::int32_t* index, Index count, const double* value, const double* row, double* table) {
    RowAdds(index, count, value, row, table);
}
void GatherLinesF(const std::int32_t* index, Index count, const float* table, Index stride, float* to) {
    GatherLines(index, count, table, stride, to);
}
void GatherLinesD(const std::int32_t* index, Index count, const double* table, Index stride, double* to) {
    GatherLines(index, count, table, stride, to);
}
void SumLinesF(const std::int32_t* index, Index count, const float* value, const float* table, Index stride,
               Index width, float* out) {
    SumLines(index, count, value, table, stride, width, out);
}
void SumLinesD(const std::int32_t* index, Index count, const double* value, const double* table, Index stride,
               Index width, double* out) {
    SumLines(index, count, value, table, stride, width, out);
}
void AddLinesF(const std::int32_t* index, Index count, const float* value, const float* row, Index stride,
               Index width, float* table) {
    AddLines(index, count, value, row, stride, width, table);
}
void AddLinesD(const std::int32_t* index, Index count, const double* value, const double* row, Index stride,
               Index width, double* table) {
    AddLines(index, count, value, row, stride, width, table);
}
void GramOfLinesF(const float* lines, Index count, const float* weight, Index stride, Index width,
                  float* gram) {
    GramOfLines(lines, count, weight, stride, width, gram);
}
void GramOfLinesD(const double* lines, Index count, const double* weight, Index stride, Index width,
                  double* gram) {
    GramOfLines(lines, count, weight, stride, width, gram);
}
void AddGramF(const float* lines, Index count, Index stride, Index width, double* gram) {
    AddGram(lines, count, stride, width, gram);
}
void AddGramD(const double* lines, Index count, Index stride, Index width, double* gram) {
    AddGram(lines, count, stride, width, gram);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(RowDotsF);
HWY_EXPORT(RowDotsD);
HWY_EXPORT(RowSumsF);
HWY_EXPORT(RowSumsD);
HWY_EXPORT(RowAddsF);
HWY_EXPORT(RowAddsD);
HWY_EXPORT(GatherLinesF);
HWY_EXPORT(GatherLinesD);
HWY_EXPORT(SumLinesF);
HWY_EXPORT(SumLinesD);
HWY_EXPORT(AddLinesF);
HWY_EXPORT(AddLinesD);
HWY_EXPORT(GramOfLinesF);
HWY_EXPORT(GramOfLinesD);
HWY_EXPORT(AddGramF);
HWY_EXPORT(AddGramD);
HWY_EXPORT(SolvePositive);

void row_dots(const std::int32_t* index, Index count, const float* row, const float* table, Index stride,
              Index width, float* out) {
    HWY_DYNAMIC_DISPATCH(RowDotsF)(index, count, row, table, stride, width, out);
}
void row_dots(const std::int32_t* index, Index count, const double* row, const double* table, Index stride,
              Index width, double* out) {
    HWY_DYNAMIC_DISPATCH(RowDotsD)(index, count, row, table, stride, width, out);
}
void row_sums(const std::int32_t* index, Index count, const float* value, const double* table, double* out) {
    HWY_DYNAMIC_DISPATCH(RowSumsF)(index, count, value, table, out);
}
void row_sums(const std::int32_t* index, Index count, const double* value, const double* table, double* out) {
    HWY_DYNAMIC_DISPATCH(RowSumsD)(index, count, value, table, out);
}
void row_adds(const std::int32_t* index, Index count, const float* value, const double* row, double* table) {
    HWY_DYNAMIC_DISPATCH(RowAddsF)(index, count, value, row, table);
}
void row_adds(const std::int32_t* index, Index count, const double* value, const double* row, double* table) {
    HWY_DYNAMIC_DISPATCH(RowAddsD)(index, count, value, row, table);
}
void gather_lines(const std::int32_t* index, Index count, const float* table, Index stride, float* to) {
    HWY_DYNAMIC_DISPATCH(GatherLinesF)(index, count, table, stride, to);
}
void gather_lines(const std::int32_t* index, Index count, const double* table, Index stride, double* to) {
    HWY_DYNAMIC_DISPATCH(GatherLinesD)(index, count, table, stride, to);
}
void sum_lines(const std::int32_t* index, Index count, const float* value, const float* table, Index stride,
               Index width, float* out) {
    HWY_DYNAMIC_DISPATCH(SumLinesF)(index, count, value, table, stride, width, out);
}
void sum_lines(const std::int32_t* index, Index count, const double* value, const double* table, Index stride,
               Index width, double* out) {
    HWY_DYNAMIC_DISPATCH(SumLinesD)(index, count, value, table, stride, width, out);
}
void add_lines(const std::int32_t* index, Index count, const float* value, const float* row, Index stride,
               Index width, float* table) {
    HWY_DYNAMIC_DISPATCH(AddLinesF)(index, count, value, row, stride, width, table);
}
void add_lines(const std::int32_t* index, Index count, const double* value, const double* row, Index stride,
               Index width, double* table) {
    HWY_DYNAMIC_DISPATCH(AddLinesD)(index, count, value, row, stride, width, table);
}
void gram_of_lines(const float* lines, Index count, const float* weight, Index stride, Index width,
                   float* gram) {
    HWY_DYNAMIC_DISPATCH(GramOfLinesF)(lines, count, weight, stride, width, gram);
}
void gram_of_lines(const double* lines, Index count, const double* weight, Index stride, Index width,
                   double* gram) {
    HWY_DYNAMIC_DISPATCH(GramOfLinesD)(lines, count, weight, stride, width, gram);
}
void add_gram(const float* lines, Index count, Index stride, Index width, double* gram) {
    HWY_DYNAMIC_DISPATCH(AddGramF)(lines, count, stride, width, gram);
}
void add_gram(const double* lines, Index count, Index stride, Index width, double* gram) {
    HWY_DYNAMIC_DISPATCH(AddGramD)(lines, count, stride, width, gram);
}
bool solve_positive(double* a, Index size, Index stride, double* b) {
    return HWY_DYNAMIC_DISPATCH(SolvePositive)(a, size, stride, b);
}

}  // namespace alfcg::kernels
#endif  // HWY_ONCE

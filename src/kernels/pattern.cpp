// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pattern.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

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
        if (k + kAhead < count) {
            const Real* next = table + index[k + kAhead] * stride;
            for (Index l = 0; l < width; l += 64 / static_cast<Index>(sizeof(Real)))
                __builtin_prefetch(next + l);
        }
        const Real* line = table + index[k] * stride;
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

constexpr Index kTileRows = 4;
constexpr Index kTileVectors = 4;

// Rows a .. a+3 and V vectors of columns from b on.
template <Index V, class Real>
void NormalTile(const std::int32_t* index, Index count, const Real* weight, const Real* table, Index stride,
                Index a, Index b, Real* gram) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[kTileRows][V];
    for (Index r = 0; r < kTileRows; ++r)
        for (Index v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
    for (Index k = 0; k < count; ++k) {
        const Real* line = table + index[k] * stride;
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

template <class Real>
void RowNormal(const std::int32_t* index, Index count, const Real* weight, const Real* target,
               const Real* table, Index stride, Index width, Real* gram, Real* right) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    for (Index a = 0; a < width; a += kTileRows) {
        const Index vectors = std::min(a + kTileRows - 1, stride - 1) / lanes + 1;
        for (Index v = 0; v < vectors; v += kTileVectors) {
            const auto tile = [&]<Index V>() {
                NormalTile<V>(index, count, weight, table, stride, a, v * lanes, gram);
            };
            switch (std::min(vectors - v, kTileVectors)) {
                case 1:
                    tile.template operator()<1>();
                    break;
                case 2:
                    tile.template operator()<2>();
                    break;
                case 3:
                    tile.template operator()<3>();
                    break;
                default:
                    tile.template operator()<4>();
            }
        }
    }
    for (Index b = 0; b < width; b += lanes) {
        auto sum = hn::Zero(d);
        for (Index k = 0; k < count; ++k)
            sum = hn::MulAdd(hn::Set(d, target[k]), hn::LoadU(d, table + index[k] * stride + b), sum);
        hn::StoreU(sum, d, right + b);
    }
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
void RowNormalF(const std::int32_t* index, Index count, const float* weight, const float* target,
                const float* table, Index stride, Index width, float* gram, float* right) {
    RowNormal(index, count, weight, target, table, stride, width, gram, right);
}
void RowNormalD(const std::int32_t* index, Index count, const double* weight, const double* target,
                const double* table, Index stride, Index width, double* gram, double* right) {
    RowNormal(index, count, weight, target, table, stride, width, gram, right);
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
HWY_EXPORT(RowNormalF);
HWY_EXPORT(RowNormalD);

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
void row_normal(const std::int32_t* index, Index count, const float* weight, const float* target,
                const float* table, Index stride, Index width, float* gram, float* right) {
    HWY_DYNAMIC_DISPATCH(RowNormalF)(index, count, weight, target, table, stride, width, gram, right);
}
void row_normal(const std::int32_t* index, Index count, const double* weight, const double* target,
                const double* table, Index stride, Index width, double* gram, double* right) {
    HWY_DYNAMIC_DISPATCH(RowNormalD)(index, count, weight, target, table, stride, width, gram, right);
}

}  // namespace alfcg::kernels
#endif  // HWY_ONCE

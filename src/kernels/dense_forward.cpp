// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_forward.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/dense.hpp"
#include "kernels/tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// ---- few outputs: vectors along the features ---------------------------------------------------------------

constexpr Index kRows = 4;                             // samples of a tile: one 128-bit block of floats
constexpr Index kFewOutputs = kManyRegisters ? 6 : 3;  // outputs of a tile at most

#if HWY_TARGET == HWY_SCALAR

template <class D, class Real>
HWY_INLINE void StoreSums(D /*d*/, const hn::Vec<D>* v, Real* to) {
    for (Index r = 0; r < kRows; ++r) to[r] = hn::GetLane(v[r]);
}

#else

// The sum of a vector's 128-bit blocks.
template <class D>
HWY_INLINE auto SumOfBlocks(D /*d*/, hn::Vec<D> v) {
    if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) <= 16) {
        return v;
    } else {
        const hn::Half<D> half;
        return SumOfBlocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    }
}

// to[r] = sum of the lanes of v[r], r = 0 .. 3.
template <class D>
HWY_INLINE void StoreSums(D d, const hn::Vec<D>* v, float* to) {
    const hn::RepartitionToWide<D> wide;
    const auto pair = [&](hn::Vec<D> a, hn::Vec<D> b) HWY_ATTR {
        return hn::BitCast(wide, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
    };
    const auto first = pair(v[0], v[1]);
    const auto second = pair(v[2], v[3]);
    const auto sums = hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, first, second)),
                              hn::BitCast(d, hn::InterleaveUpper(wide, first, second)));
    const hn::FixedTag<float, 4> block;
    hn::StoreU(SumOfBlocks(d, sums), block, to);
}
template <class D>
HWY_INLINE void StoreSums(D d, const hn::Vec<D>* v, double* to) {
    const hn::FixedTag<double, 2> block;
    for (Index r = 0; r < kRows; r += 2) {
        const auto sums =
            hn::Add(hn::InterleaveLower(d, v[r], v[r + 1]), hn::InterleaveUpper(d, v[r], v[r + 1]));
        hn::StoreU(SumOfBlocks(d, sums), block, to + r);
    }
}

#endif

template <Index C, class Real>
HWY_INLINE void FewTile(const Real* const* rows, Index count, const Real* weights, Index cols, Index stride,
                        Real* scores) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    V sum[C][kRows];
    for (Index c = 0; c < C; ++c)
        for (Index r = 0; r < kRows; ++r) sum[c][r] = hn::Zero(d);
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
        V x[kRows];
        for (Index r = 0; r < kRows; ++r) x[r] = hn::LoadU(d, rows[r] + j);
        for (Index c = 0; c < C; ++c) {
            const V w = hn::LoadU(d, weights + c * cols + j);
            for (Index r = 0; r < kRows; ++r) sum[c][r] = hn::MulAdd(x[r], w, sum[c][r]);
        }
    }
    if (j < cols) {
        V x[kRows];
        for (Index r = 0; r < kRows; ++r) x[r] = LoadTail(d, rows[r] + j, cols - j);
        for (Index c = 0; c < C; ++c) {
            const V w = LoadTail(d, weights + c * cols + j, cols - j);
            for (Index r = 0; r < kRows; ++r) sum[c][r] = hn::MulAdd(x[r], w, sum[c][r]);
        }
    }
    if (count == kRows) {
        for (Index c = 0; c < C; ++c) StoreSums(d, sum[c], scores + c * stride);
        return;
    }
    for (Index c = 0; c < C; ++c) {
        HWY_ALIGN Real part[kRows];
        StoreSums(d, sum[c], part);
        std::copy(part, part + count, scores + c * stride);
    }
}

template <class Real>
HWY_INLINE void FewOutputs(Index outputs, const Real* const* rows, Index count, const Real* weights,
                           Index cols, Index stride, Real* scores) {
    switch (outputs) {
        case 1:
            return FewTile<1>(rows, count, weights, cols, stride, scores);
        case 2:
            return FewTile<2>(rows, count, weights, cols, stride, scores);
        case 3:
            return FewTile<3>(rows, count, weights, cols, stride, scores);
        case 4:
            return FewTile<std::min<Index>(4, kFewOutputs)>(rows, count, weights, cols, stride, scores);
        case 5:
            return FewTile<std::min<Index>(5, kFewOutputs)>(rows, count, weights, cols, stride, scores);
        default:
            return FewTile<kFewOutputs>(rows, count, weights, cols, stride, scores);
    }
}

template <class Real>
void ForwardFew(const Real* const* rows, Index count, const Real* weights, Index outputs, Index cols,
                Index stride, Real* scores) {
    const Index tiles = (outputs + kFewOutputs - 1) / kFewOutputs;
    for (Index i = 0; i < count; i += kRows) {
        const Real* tile[kRows];
        const Index here = std::min(kRows, count - i);
        for (Index r = 0; r < kRows; ++r) tile[r] = rows[i + std::min(r, here - 1)];
        for (Index t = 0; t < tiles; ++t) {
            const Index c = outputs * t / tiles;
            FewOutputs(outputs * (t + 1) / tiles - c, tile, here, weights + c * cols, cols, stride,
                       scores + c * stride + i);
        }
    }
}

// ---- many outputs: vectors over outputs -----------------------------------------------------------------------

// Outputs come in groups of one to three vectors; in a group the weights of a feature lie side by side.
constexpr Index kGroup = 3;
// Features whose packed weights stay in the first-level cache while the samples of a block go by.
constexpr Index kFeatures = 256;

struct Group {
    Index first;    // vector it starts with
    Index vectors;  // 1 .. kGroup
};

// Group `g` when `vectors` are shared out as evenly as possible.
HWY_INLINE Group GroupAt(Index vectors, Index g) {
    const Index groups = (vectors + kGroup - 1) / kGroup;
    const Index first = vectors * g / groups;
    return {first, vectors * (g + 1) / groups - first};
}

template <class Real>
HWY_INLINE Index VectorsOf(Index outputs) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    return (outputs + lanes - 1) / lanes;
}

template <class Real>
void Pack(const Real* weights, Index outputs, Index cols, Index first, Index last, Real* packed) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index vectors = VectorsOf<Real>(outputs);
    const Index groups = (vectors + kGroup - 1) / kGroup;
    constexpr Index tile = 16;
    for (Index g = 0; g < groups; ++g) {
        const Group group = GroupAt(vectors, g);
        const Index width = group.vectors * lanes;
        const Index output = group.first * lanes;
        const Index filled = std::min(width, outputs - output);
        Real* HWY_RESTRICT to = packed + output * cols;
        const Real* HWY_RESTRICT from = weights + output * cols;
        for (Index j0 = first; j0 < last; j0 += tile) {
            const Index j1 = std::min(j0 + tile, last);
            for (Index l = 0; l < filled; ++l)
                for (Index j = j0; j < j1; ++j) to[j * width + l] = from[l * cols + j];
            for (Index j = j0; j < j1; ++j) std::fill(to + j * width + filled, to + (j + 1) * width, Real(0));
        }
    }
}

template <Index R, Index V, class Real>
HWY_INLINE void PackedTile(const Real* const* rows, Index first, Index last, const Real* packed, bool add,
                           Index count, Index stride, Real* scores) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[R][V];
    for (Index r = 0; r < R; ++r)
        for (Index v = 0; v < V; ++v)
            sum[r][v] = add && r < count ? hn::LoadU(d, scores + r * stride + v * lanes) : hn::Zero(d);
    for (Index j = first; j < last; ++j) {
        hn::Vec<decltype(d)> w[V];
        for (Index v = 0; v < V; ++v) w[v] = hn::LoadU(d, packed + (j * V + v) * lanes);
        for (Index r = 0; r < R; ++r) {
            const auto x = hn::Set(d, rows[r][j]);
            for (Index v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, w[v], sum[r][v]);
        }
    }
    for (Index r = 0; r < R; ++r)
        for (Index v = 0; v < V; ++v)
            if (r < count) hn::StoreU(sum[r][v], d, scores + r * stride + v * lanes);
}

template <Index V, class Real>
HWY_INLINE void PackedGroup(const Real* const* rows, Index count, Index first, Index last, const Real* packed,
                            Index stride, Real* scores) {
    constexpr Index R = V == 3 ? (kManyRegisters ? 8 : 4) : (kManyRegisters ? 12 : 6);
    for (Index i = 0; i < count; i += R) {
        const Real* tile[R];
        const Index here = std::min(R, count - i);
        for (Index r = 0; r < R; ++r) tile[r] = rows[i + std::min(r, here - 1)];
        PackedTile<R, V>(tile, first, last, packed, first > 0, here, stride, scores + i * stride);
    }
}

template <class Real>
void ForwardPacked(const Real* const* rows, Index count, const Real* packed, Index outputs, Index cols,
                   Index stride, Real* scores) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index vectors = VectorsOf<Real>(outputs);
    const Index groups = (vectors + kGroup - 1) / kGroup;
    for (Index first = 0; first < cols; first += kFeatures) {
        const Index last = std::min(first + kFeatures, cols);
        for (Index g = 0; g < groups; ++g) {
            const Group group = GroupAt(vectors, g);
            const Index output = group.first * lanes;
            const Real* weights = packed + output * cols;
            switch (group.vectors) {
                case 1:
                    PackedGroup<1>(rows, count, first, last, weights, stride, scores + output);
                    break;
                case 2:
                    PackedGroup<2>(rows, count, first, last, weights, stride, scores + output);
                    break;
                default:
                    PackedGroup<3>(rows, count, first, last, weights, stride, scores + output);
                    break;
            }
        }
    }
}

void FewFloat(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
              Index stride, float* scores) {
    ForwardFew(rows, count, weights, outputs, cols, stride, scores);
}
void FewDouble(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
               Index stride, double* scores) {
    ForwardFew(rows, count, weights, outputs, cols, stride, scores);
}
void PackFloat(const float* weights, Index outputs, Index cols, Index first, Index last, float* packed) {
    Pack(weights, outputs, cols, first, last, packed);
}
void PackDouble(const double* weights, Index outputs, Index cols, Index first, Index last, double* packed) {
    Pack(weights, outputs, cols, first, last, packed);
}
void PackedFloat(const float* const* rows, Index count, const float* packed, Index outputs, Index cols,
                 Index stride, float* scores) {
    ForwardPacked(rows, count, packed, outputs, cols, stride, scores);
}
void PackedDouble(const double* const* rows, Index count, const double* packed, Index outputs, Index cols,
                  Index stride, double* scores) {
    ForwardPacked(rows, count, packed, outputs, cols, stride, scores);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(FewFloat);
HWY_EXPORT(FewDouble);
HWY_EXPORT(PackFloat);
HWY_EXPORT(PackDouble);
HWY_EXPORT(PackedFloat);
HWY_EXPORT(PackedDouble);

void forward_few(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
                 Index stride, float* scores) {
    HWY_DYNAMIC_DISPATCH(FewFloat)(rows, count, weights, outputs, cols, stride, scores);
}
void forward_few(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
                 Index stride, double* scores) {
    HWY_DYNAMIC_DISPATCH(FewDouble)(rows, count, weights, outputs, cols, stride, scores);
}
void pack_weights(const float* weights, Index outputs, Index cols, Index first, Index last, float* packed) {
    HWY_DYNAMIC_DISPATCH(PackFloat)(weights, outputs, cols, first, last, packed);
}
void pack_weights(const double* weights, Index outputs, Index cols, Index first, Index last, double* packed) {
    HWY_DYNAMIC_DISPATCH(PackDouble)(weights, outputs, cols, first, last, packed);
}
void forward_packed(const float* const* rows, Index count, const float* packed, Index outputs, Index cols,
                    Index stride, float* scores) {
    HWY_DYNAMIC_DISPATCH(PackedFloat)(rows, count, packed, outputs, cols, stride, scores);
}
void forward_packed(const double* const* rows, Index count, const double* packed, Index outputs, Index cols,
                    Index stride, double* scores) {
    HWY_DYNAMIC_DISPATCH(PackedDouble)(rows, count, packed, outputs, cols, stride, scores);
}

}  // namespace alfcg::kernels
#endif

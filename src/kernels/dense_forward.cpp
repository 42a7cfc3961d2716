// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_forward.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/dense.hpp"
#include "kernels/sums-inl.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// ---- few outputs: vectors along the features ---------------------------------------------------------------

constexpr Index kRows = kManyRegisters ? 8 : 4;  // samples of a tile: whole 128-bit blocks of floats
constexpr Index kFewOutputs = 3;                 // outputs of a tile at most

// Scores of kRows samples; `to` has room for as many even where fewer are meant. As many others may be fetched.
template <Index C, bool fetch, class Real, class Sample>
HWY_INLINE void FewTile(const Sample* const* rows, const Real* weights, Index cols, Index stride, Real* to,
                        const Sample* const* next) {
    const hn::ScalableTag<Real> d;
    using V = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Sample* HWY_RESTRICT row[kRows];
    V sum[C][kRows];
    for (Index r = 0; r < kRows; ++r) {
        row[r] = rows[r];
        for (Index c = 0; c < C; ++c) sum[c][r] = hn::Zero(d);
    }
    const auto add = [&](Index j, const auto& load_samples, const auto& load) HWY_ATTR {
        V x[kRows];
        for (Index r = 0; r < kRows; ++r) {
            x[r] = load_samples(row[r] + j);
            KeepInRegister(x[r]);
        }
        for (Index c = 0; c < C; ++c) {
            const V w = load(weights + c * cols + j);
            for (Index r = 0; r < kRows; ++r) sum[c][r] = hn::MulAdd(x[r], w, sum[c][r]);
        }
    };
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
        if (fetch) {
            for (Index r = 0; r < kRows; ++r) __builtin_prefetch(next[r] + j, 0, 2);
        }
        add(
            j, [&](const Sample* from) HWY_ATTR { return LoadSamples(d, from); },
            [&](const Real* from) HWY_ATTR { return hn::LoadU(d, from); });
    }
    if (j < cols) {
        add(
            j, [&](const Sample* from) HWY_ATTR { return LoadLastSamples(d, from, cols - j); },
            [&](const Real* from) HWY_ATTR { return LoadTail(d, from, cols - j); });
    }
    for (Index c = 0; c < C; ++c)
        for (Index r = 0; r < kRows; r += 4)
            StoreSums(d, sum[c][r], sum[c][r + 1], sum[c][r + 2], sum[c][r + 3], to + c * stride + r);
}

template <bool fetch, class Real, class Sample>
HWY_INLINE void FewOutputs(Index outputs, const Sample* const* rows, const Real* weights, Index cols,
                           Index stride, Real* to, const Sample* const* next) {
    switch (outputs) {
        case 1:
            return FewTile<1, fetch>(rows, weights, cols, stride, to, next);
        case 2:
            return FewTile<2, fetch>(rows, weights, cols, stride, to, next);
        default:
            return FewTile<kFewOutputs, fetch>(rows, weights, cols, stride, to, next);
    }
}

template <class Real, class Sample>
void ForwardFew(const Sample* const* rows, Index count, const Real* weights, Index outputs, Index cols,
                Index stride, Real* scores, Ahead<Sample> ahead) {
    const Index tiles = (outputs + kFewOutputs - 1) / kFewOutputs;
    Index i = 0;
    for (; i + kRows <= count; i += kRows) {
        for (Index t = 0; t < tiles; ++t) {
            const Index c = outputs * t / tiles;
            const Index width = outputs * (t + 1) / tiles - c;
            const Real* w = weights + c * cols;
            Real* to = scores + c * stride + i;
            if (i + kRows <= ahead.count) {
                FewOutputs<true>(width, rows + i, w, cols, stride, to, ahead.rows + i);
            } else {
                FewOutputs<false>(width, rows + i, w, cols, stride, to, rows);
            }
        }
    }
    if (i == count) return;
    // The last samples: the last one stands in for those that are missing.
    const Sample* tile[kRows];
    for (Index r = 0; r < kRows; ++r) tile[r] = rows[std::min(i + r, count - 1)];
    Real last[few_outputs * kRows];
    for (Index t = 0; t < tiles; ++t) {
        const Index c = outputs * t / tiles;
        FewOutputs<false>(outputs * (t + 1) / tiles - c, tile, weights + c * cols, cols, kRows,
                          last + c * kRows, rows);
    }
    for (Index l = 0; l < outputs; ++l)
        std::copy(last + l * kRows, last + l * kRows + count - i, scores + l * stride + i);
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
              Index stride, float* scores, Ahead<float> ahead) {
    ForwardFew(rows, count, weights, outputs, cols, stride, scores, ahead);
}
void FewDouble(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
               Index stride, double* scores, Ahead<double> ahead) {
    ForwardFew(rows, count, weights, outputs, cols, stride, scores, ahead);
}
void FewFloatBytes(const std::uint8_t* const* rows, Index count, const float* weights, Index outputs,
                   Index cols, Index stride, float* scores) {
    ForwardFew(rows, count, weights, outputs, cols, stride, scores, Ahead<std::uint8_t>{});
}
void FewDoubleBytes(const std::uint8_t* const* rows, Index count, const double* weights, Index outputs,
                    Index cols, Index stride, double* scores) {
    ForwardFew(rows, count, weights, outputs, cols, stride, scores, Ahead<std::uint8_t>{});
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
HWY_EXPORT(FewFloatBytes);
HWY_EXPORT(FewDoubleBytes);
HWY_EXPORT(PackFloat);
HWY_EXPORT(PackDouble);
HWY_EXPORT(PackedFloat);
HWY_EXPORT(PackedDouble);

void forward_few(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
                 Index stride, float* scores, Ahead<float> ahead) {
    HWY_DYNAMIC_DISPATCH(FewFloat)(rows, count, weights, outputs, cols, stride, scores, ahead);
}
void forward_few(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
                 Index stride, double* scores, Ahead<double> ahead) {
    HWY_DYNAMIC_DISPATCH(FewDouble)(rows, count, weights, outputs, cols, stride, scores, ahead);
}
void forward_few(const std::uint8_t* const* rows, Index count, const float* weights, Index outputs,
                 Index cols, Index stride, float* scores) {
    HWY_DYNAMIC_DISPATCH(FewFloatBytes)(rows, count, weights, outputs, cols, stride, scores);
}
void forward_few(const std::uint8_t* const* rows, Index count, const double* weights, Index outputs,
                 Index cols, Index stride, double* scores) {
    HWY_DYNAMIC_DISPATCH(FewDoubleBytes)(rows, count, weights, outputs, cols, stride, scores);
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

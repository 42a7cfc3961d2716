// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_backward.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "kernels/dense.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// A tile of the gradient, outputs x vectors of features, stays in registers while the samples go by. The fewer
// outputs there are, the more vectors it takes, up to four.
constexpr Index kSums = kManyRegisters ? 27 : 12;  // vectors of a tile
constexpr Index kMostVectors = 4;

constexpr Index TileVectors(Index outputs) {
    return std::min(kMostVectors, std::max<Index>(kSums / outputs, 2));
}
constexpr Index TileOutputs(Index vectors) {
    return std::min(few_outputs, kSums / vectors);
}

// Samples of a panel that is copied together: with four vectors of features it fits the first-level cache.
constexpr Index kPanelRows = 96;

// The last vector of a tile is whole, or has only `tail` entries: of the gradient alone, where samples are followed
// by something that can be read, or of both.
enum class Last { whole, padded, ragged };

// Of each of the rows ahead, `fetched` vectors are fetched, from `ahead_at` on.
template <Index C, Index V, Last last, Index fetched, class Real, class Sample>
HWY_INLINE void Tile(const Sample* const* rows, Index count, Index j, const Real* residuals,
                     ScoreLayout layout, Real* gradient, Index gradient_stride, Start start,
                     const Ahead<Sample>& ahead, Index ahead_at, Index tail) {
    const hn::ScalableTag<Real> d;
    using Vector = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto load = [&](const auto* from, Index v, bool in_part) HWY_ATTR {
        return in_part && v + 1 == V ? LoadLastSamples(d, from + v * lanes, tail)
                                     : LoadSamples(d, from + v * lanes);
    };
    Vector sum[C][V];
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) {
        ALFCG_UNROLL
        for (Index v = 0; v < V; ++v) sum[c][v] = hn::Zero(d);
    }
    for (Index i = 0; i < count; ++i) {
        Vector x[V];
        ALFCG_UNROLL
        for (Index v = 0; v < V; ++v) x[v] = load(rows[i] + j, v, last == Last::ragged);
        if (i < ahead.count) {
            ALFCG_UNROLL
            for (Index v = 0; v < fetched; ++v)
                __builtin_prefetch(ahead.rows[i] + ahead_at + v * lanes, 0, 2);
        }
        const Real* residual = residuals + i * layout.sample_stride;
        ALFCG_UNROLL
        for (Index c = 0; c < C; ++c) {
            const Vector r = hn::Set(d, residual[c * layout.output_stride]);
            ALFCG_UNROLL
            for (Index v = 0; v < V; ++v) sum[c][v] = hn::MulAdd(r, x[v], sum[c][v]);
        }
    }
    // Not before: multiply-adds would wait for what was summed up so far, which the next tile's need not.
    if (start == Start::kept) {
        ALFCG_UNROLL
        for (Index c = 0; c < C; ++c) {
            ALFCG_UNROLL
            for (Index v = 0; v < V; ++v)
                sum[c][v] = hn::Add(sum[c][v], load(gradient + c * gradient_stride, v, last != Last::whole));
        }
    }
    ALFCG_UNROLL
    for (Index c = 0; c < C; ++c) {
        ALFCG_UNROLL
        for (Index v = 0; v < V; ++v) {
            Real* to = gradient + c * gradient_stride + v * lanes;
            if (last != Last::whole && v + 1 == V) {
                StoreTail(d, sum[c][v], to, tail);
            } else {
                hn::StoreU(sum[c][v], d, to);
            }
        }
    }
}

// Whether tiles of so many outputs and vectors come up all the time, which then have a version for whole vectors: as
// part of up to few_outputs that are shared out evenly. The others, at the end of the rows, go without.
constexpr bool HasWholeTile(Index outputs, Index vectors) {
    for (Index all = 1; all <= few_outputs; ++all) {
        const Index tiles = (all + TileOutputs(vectors) - 1) / TileOutputs(vectors);
        for (Index t = 0; t < tiles; ++t)
            if (TileVectors(all) == vectors && all * (t + 1) / tiles - all * t / tiles == outputs)
                return true;
    }
    return false;
}

// V vectors of features from j on, `tail` entries of the last; where all are whole, as often as they fit before `end`.
template <Index V, class Real, class Sample>
HWY_INLINE void Tiles(Index outputs, const Sample* const* rows, Index count, Index j, Index end,
                      const Real* residuals, ScoreLayout layout, Real* gradient, Index gradient_stride,
                      Start start, Ahead<Sample> ahead, Index tail) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    constexpr Index most = TileOutputs(V);
    const Index tiles = (outputs + most - 1) / most;
    for (Index t = 0; t < tiles; ++t) {
        const Index c = outputs * t / tiles;
        const Real* r = residuals + c * layout.output_stride;
        Real* g = gradient + c * gradient_stride;
        ForCount<most>(outputs * (t + 1) / tiles - c, [&]<Index C>() HWY_ATTR {
            constexpr Last in_part = sizeof(Sample) == 1 ? Last::padded : Last::ragged;
            constexpr Index fetched = sizeof(Sample) == 1 ? 1 : V;  // bytes of a tile share a cache line
            if constexpr (HasWholeTile(C, V)) {
                if (tail == lanes) {
                    for (Index k = j; k < end; k += V * lanes)
                        Tile<C, V, Last::whole, fetched>(rows, count, k, r, layout, g + k, gradient_stride,
                                                         start, ahead, k, tail);
                    return;
                }
            }
            Tile<C, V, in_part, fetched>(rows, count, j, r, layout, g + j, gradient_stride, start, ahead, j,
                                         tail);
        });
        ahead.count = 0;
    }
}

// The same for many outputs and V vectors from feature j on, of samples that are padded: outputs are shared out over
// tiles of nearly the same size. Rows ahead are fetched from `ahead_at` on, a part by each of the first tiles: a core
// can only wait for so many lines.
template <Index V, class Real>
HWY_INLINE void PanelTiles(Index outputs, const Real* const* rows, Index count, Index j,
                           const Real* residuals, ScoreLayout layout, Real* gradient, Index gradient_stride,
                           Start start, Ahead<Real> ahead, Index ahead_at, Index tail) {
    constexpr Index fetched = std::min<Index>(V, 2);
    constexpr Last last = V == 1 ? Last::padded : Last::whole;
    constexpr Index most = TileOutputs(kMostVectors);
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index tiles = (outputs + most - 1) / most;
    for (Index t = 0; t < tiles; ++t) {
        const Index c = outputs * t / tiles;
        if (t * fetched >= V) ahead.count = 0;
        const auto tile = [&]<Index C>() HWY_ATTR {
            Tile<C, V, last, fetched>(rows, count, j, residuals + c * layout.output_stride, layout,
                                      gradient + c * gradient_stride, gradient_stride, start, ahead,
                                      ahead_at + t * fetched * lanes, tail);
        };
        static_assert(most >= 3 && few_outputs >= 2 * most);  // so that tiles are no smaller than these
        switch (most - (outputs * (t + 1) / tiles - c)) {
            case 0:
                tile.template operator()<most>();
                break;
            case 1:
                tile.template operator()<most - 1>();
                break;
            default:
                tile.template operator()<most - 2>();
                break;
        }
    }
}

// Calls visit<V>(tail) for as many vectors V as `width` features fill, `tail` of them in the last.
template <class Real, class Visit>
HWY_INLINE void ForWidth(Index width, const Visit& visit) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index vectors = (width + lanes - 1) / lanes;
    const Index tail = width - (vectors - 1) * lanes;
    ForCount<kMostVectors>(vectors, [&]<Index V>() HWY_ATTR { visit.template operator()<V>(tail); });
}

// Features j .. j+width-1, at most four vectors, of all samples, for many outputs, through a copy in which samples
// lie side by side: it is read once for every tile of outputs, and has no incomplete vector.
template <class Real>
HWY_INLINE void Panel(const Real* const* rows, Index count, Index j, Index width, const Real* residuals,
                      ScoreLayout layout, Index outputs, Index cols, Real* gradient, Start start,
                      const Ahead<Real>& ahead) {
    constexpr Index V = kMostVectors;
    constexpr Index most = V * HWY_MAX_BYTES / static_cast<Index>(sizeof(Real));
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index stride = V * lanes;
    const Index whole = width / lanes * lanes;
    const Index tail = width - whole;
    HWY_ALIGN Real panel[kPanelRows * most];
    const Real* panel_rows[kPanelRows];
    for (Index r = 0; r < kPanelRows; ++r) panel_rows[r] = panel + r * stride;
    for (Index first = 0; first < count; first += kPanelRows) {
        const Index here = std::min(kPanelRows, count - first);
        for (Index r = 0; r < here; ++r) {
            const Real* from = rows[first + r] + j;
            Real* to = panel + r * stride;
            for (Index k = 0; k < whole; k += lanes) hn::Store(hn::LoadU(d, from + k), d, to + k);
            if (tail > 0) hn::Store(LoadTail(d, from + whole, tail), d, to + whole);
        }
        const Real* r = residuals + first * layout.sample_stride;
        const Start from = first == 0 ? start : Start::kept;
        const Ahead<Real> next{ahead.rows + first, ahead.count - first};
        if (width == stride) {
            PanelTiles<V>(outputs, panel_rows, here, 0, r, layout, gradient + j, cols, from, next, j, lanes);
        } else {
            for (Index k = 0; k < width; k += lanes)
                PanelTiles<1>(outputs, panel_rows, here, k, r, layout, gradient + j + k, cols, from, next,
                              j + k, std::min(lanes, width - k));
        }
    }
}

// T features from j on, for V vectors of outputs: a vector runs over outputs.
template <Index T, Index V, class Real>
HWY_INLINE void CrossTile(const Real* const* rows, Index count, Index j, const Real* residuals, Index stride,
                          Index outputs, Index cols, Real* gradient, Start start) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[T][V];
    ALFCG_UNROLL
    for (Index t = 0; t < T; ++t) {
        ALFCG_UNROLL
        for (Index v = 0; v < V; ++v) sum[t][v] = hn::Zero(d);
    }
    for (Index i = 0; i < count; ++i) {
        hn::Vec<decltype(d)> r[V];
        ALFCG_UNROLL
        for (Index v = 0; v < V; ++v) r[v] = hn::LoadU(d, residuals + i * stride + v * lanes);
        ALFCG_UNROLL
        for (Index t = 0; t < T; ++t) {
            const auto x = hn::Set(d, rows[i][j + t]);
            ALFCG_UNROLL
            for (Index v = 0; v < V; ++v) sum[t][v] = hn::MulAdd(x, r[v], sum[t][v]);
        }
    }
    HWY_ALIGN Real column[V * HWY_MAX_BYTES / sizeof(Real)] = {};
    ALFCG_UNROLL
    for (Index t = 0; t < T; ++t) {
        ALFCG_UNROLL
        for (Index v = 0; v < V; ++v) hn::Store(sum[t][v], d, column + v * lanes);
        Real* to = gradient + j + t;
        for (Index l = 0; l < std::min(V * lanes, outputs); ++l)
            to[l * cols] = column[l] + (start == Start::zero ? 0 : to[l * cols]);
    }
}

// The last features, where they fill half a vector at most, for many outputs.
template <class Real>
HWY_INLINE void LastFeatures(const Real* const* rows, Index count, Index j, const Real* residuals,
                             Index stride, Index outputs, Index cols, Real* gradient, Start start) {
    constexpr Index V = kManyRegisters ? 3 : 1;
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    constexpr Index half = std::max<Index>(hn::MaxLanes(hn::ScalableTag<Real>()) / 2, 1);
    ForCount<half>(cols - j, [&]<Index T>() HWY_ATTR {
        Index l = 0;
        for (; l + V * lanes <= padded<Real>(outputs); l += V * lanes)
            CrossTile<T, V>(rows, count, j, residuals + l, stride, outputs - l, cols, gradient + l * cols,
                            start);
        for (; l < outputs; l += lanes)
            CrossTile<T, 1>(rows, count, j, residuals + l, stride, outputs - l, cols, gradient + l * cols,
                            start);
    });
}

// Few outputs.
template <class Real, class Sample>
HWY_INLINE void BackwardFew(const Sample* const* rows, Index count, const Real* residuals, ScoreLayout layout,
                            Index outputs, Index cols, Real* gradient, Start start,
                            const Ahead<Sample>& ahead) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index vectors = TileVectors(outputs);
    const Index width = vectors * lanes;
    // Samples of a tile are read again at once where it takes several for all outputs.
    const Index step = outputs <= TileOutputs(vectors) ? std::max(cols / width, Index{1}) * width : width;
    for (Index j = 0; j < cols; j += step) {
        ForWidth<Real>(std::min(width, cols - j), [&]<Index V>(Index tail) HWY_ATTR {
            Tiles<V>(outputs, rows, count, j, std::min(j + step, cols), residuals, layout, gradient, cols,
                     start, ahead, tail);
        });
    }
}

template <class Real>
HWY_INLINE void BackwardMany(const Real* const* rows, Index count, const Real* residuals, ScoreLayout layout,
                             Index outputs, Index cols, Real* gradient, Start start,
                             const Ahead<Real>& ahead) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index rest = cols % lanes;
    const Index end = 2 * rest > lanes ? cols : cols - rest;
    for (Index j = 0; j < end; j += kMostVectors * lanes)
        Panel(rows, count, j, std::min(kMostVectors * lanes, end - j), residuals, layout, outputs, cols,
              gradient, start, ahead);
    if (end < cols)
        LastFeatures(rows, count, end, residuals, layout.sample_stride, outputs, cols, gradient, start);
}

template <class Real, class Sample>
void Backward(const Sample* const* rows, Index count, const Real* residuals, ScoreLayout layout,
              Index outputs, Index cols, Real* gradient, Start start, Ahead<Sample> ahead) {
    ahead.count = std::min(ahead.count, count);
    if constexpr (std::is_same_v<Real, Sample>) {
        if (outputs > few_outputs)
            return BackwardMany(rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
    }
    BackwardFew(rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}

void BackwardFloat(const float* const* rows, Index count, const float* residuals, ScoreLayout layout,
                   Index outputs, Index cols, float* gradient, Start start, Ahead<float> ahead) {
    Backward(rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}
void BackwardDouble(const double* const* rows, Index count, const double* residuals, ScoreLayout layout,
                    Index outputs, Index cols, double* gradient, Start start, Ahead<double> ahead) {
    Backward(rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}

void BackwardFloatBytes(const std::uint8_t* const* rows, Index count, const float* residuals,
                        ScoreLayout layout, Index outputs, Index cols, float* gradient, Start start,
                        Ahead<std::uint8_t> ahead) {
    Backward(rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}
void BackwardDoubleBytes(const std::uint8_t* const* rows, Index count, const double* residuals,
                         ScoreLayout layout, Index outputs, Index cols, double* gradient, Start start,
                         Ahead<std::uint8_t> ahead) {
    Backward(rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);
HWY_EXPORT(BackwardFloatBytes);
HWY_EXPORT(BackwardDoubleBytes);

void backward(const float* const* rows, Index count, const float* residuals, ScoreLayout layout,
              Index outputs, Index cols, float* gradient, Start start, Ahead<float> ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)
    (rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}
void backward(const double* const* rows, Index count, const double* residuals, ScoreLayout layout,
              Index outputs, Index cols, double* gradient, Start start, Ahead<double> ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)
    (rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}

void backward(const std::uint8_t* const* rows, Index count, const float* residuals, ScoreLayout layout,
              Index outputs, Index cols, float* gradient, Start start, Ahead<std::uint8_t> ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardFloatBytes)
    (rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}
void backward(const std::uint8_t* const* rows, Index count, const double* residuals, ScoreLayout layout,
              Index outputs, Index cols, double* gradient, Start start, Ahead<std::uint8_t> ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardDoubleBytes)
    (rows, count, residuals, layout, outputs, cols, gradient, start, ahead);
}

}  // namespace alfcg::kernels
#endif

// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_backward.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/dense.hpp"
#include "kernels/tail-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// A tile of the gradient, outputs x vectors of features, stays in registers while the samples go by: narrow
// ones take four vectors, wide ones (so that few outputs need no second walk) two.
constexpr Index kNarrow = kManyRegisters ? 6 : 3;
constexpr Index kWide = kManyRegisters ? 12 : 6;
// Samples of a panel that is copied together: with four vectors of features it fits the first-level cache.
constexpr Index kPanelRows = 96;

template <Index C, Index V, class Real>
HWY_INLINE void Tile(const Real* const* rows, Index count, Index j, const Real* residuals, ScoreLayout layout,
                     Real* gradient, Index gradient_stride, const Ahead<Real>& ahead, Index ahead_j) {
    const hn::ScalableTag<Real> d;
    using Vector = hn::Vec<decltype(d)>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    Vector sum[C][V];
    for (Index c = 0; c < C; ++c)
        for (Index v = 0; v < V; ++v) sum[c][v] = hn::LoadU(d, gradient + c * gradient_stride + v * lanes);
    for (Index i = 0; i < count; ++i) {
        Vector x[V];
        for (Index v = 0; v < V; ++v) x[v] = hn::LoadU(d, rows[i] + j + v * lanes);
        if (i < ahead.count) {
            for (Index v = 0; v < V; ++v) __builtin_prefetch(ahead.rows[i] + ahead_j + v * lanes, 0, 2);
        }
        const Real* residual = residuals + i * layout.sample_stride;
        for (Index c = 0; c < C; ++c) {
            const Vector r = hn::Set(d, residual[c * layout.output_stride]);
            for (Index v = 0; v < V; ++v) sum[c][v] = hn::MulAdd(r, x[v], sum[c][v]);
        }
    }
    for (Index c = 0; c < C; ++c)
        for (Index v = 0; v < V; ++v) hn::StoreU(sum[c][v], d, gradient + c * gradient_stride + v * lanes);
}

template <Index V, class Real>
HWY_INLINE void Tiles(Index outputs, const Real* const* rows, Index count, Index j, const Real* residuals,
                      ScoreLayout layout, Real* gradient, Index gradient_stride, Ahead<Real> ahead,
                      Index ahead_j) {
    constexpr Index most = V == 2 ? kWide : kNarrow;
    const Index tiles = (outputs + most - 1) / most;
    for (Index t = 0; t < tiles; ++t) {
        const Index c = outputs * t / tiles;
        const Real* r = residuals + c * layout.output_stride;
        Real* g = gradient + c * gradient_stride;
        const auto tile = [&]<Index C>() {
            Tile<std::min(C, most), V>(rows, count, j, r, layout, g, gradient_stride, ahead, ahead_j);
        };
        switch (outputs * (t + 1) / tiles - c) {
            case 1:
                tile.template operator()<1>();
                break;
            case 2:
                tile.template operator()<2>();
                break;
            case 3:
                tile.template operator()<3>();
                break;
            case 4:
                tile.template operator()<4>();
                break;
            case 5:
                tile.template operator()<5>();
                break;
            case 6:
                tile.template operator()<6>();
                break;
            case 7:
                tile.template operator()<7>();
                break;
            case 8:
                tile.template operator()<8>();
                break;
            case 9:
                tile.template operator()<9>();
                break;
            case 10:
                tile.template operator()<10>();
                break;
            case 11:
                tile.template operator()<11>();
                break;
            default:
                tile.template operator()<most>();
                break;
        }
        ahead.count = 0;
    }
}

// Features j .. j+width-1 of all samples, for all outputs, through a copy in which samples lie side by side:
// it is read once for every tile of outputs, and has no incomplete vector.
template <class Real>
HWY_INLINE void Panel(const Real* const* rows, Index count, Index j, Index width, const Real* residuals,
                      ScoreLayout layout, Index outputs, Index cols, Real* gradient,
                      const Ahead<Real>& ahead) {
    constexpr Index V = 4;
    constexpr Index most = V * HWY_MAX_BYTES / static_cast<Index>(sizeof(Real));
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const Index stride = V * lanes;
    HWY_ALIGN Real panel[kPanelRows * most];
    const Real* panel_rows[kPanelRows];
    for (Index r = 0; r < kPanelRows; ++r) panel_rows[r] = panel + r * stride;
    for (Index first = 0; first < count; first += kPanelRows) {
        const Index here = std::min(kPanelRows, count - first);
        for (Index r = 0; r < here; ++r) {
            const Real* from = rows[first + r] + j;
            for (Index v = 0; v < V; ++v) {
                const Index left = width - v * lanes;
                Real* to = panel + r * stride + v * lanes;
                if (left >= lanes) {
                    hn::Store(hn::LoadU(d, from + v * lanes), d, to);
                } else {
                    hn::Store(left > 0 ? LoadTail(d, from + v * lanes, left) : hn::Zero(d), d, to);
                }
            }
        }
        const Ahead<Real> next{ahead.rows + first, std::clamp<Index>(ahead.count - first, 0, here)};
        const Real* r = residuals + first * layout.sample_stride;
        if (width == stride) {
            Tiles<V>(outputs, panel_rows, here, 0, r, layout, gradient + j, cols, next, j);
            continue;
        }
        // The last features: the tile would reach into the next output's row.
        for (Index c = 0; c < outputs; c += kNarrow) {
            const Index tile_outputs = std::min(kNarrow, outputs - c);
            HWY_ALIGN Real tile[kNarrow * most] = {};
            Tiles<V>(tile_outputs, panel_rows, here, 0, r + c * layout.output_stride, layout, tile, stride,
                     Ahead<Real>{nullptr, 0}, 0);
            for (Index l = 0; l < tile_outputs; ++l) {
                Real* to = gradient + (c + l) * cols + j;
                for (Index k = 0; k < width; ++k) to[k] += tile[l * stride + k];
            }
        }
    }
}

template <class Real>
void Backward(const Real* const* rows, Index count, const Real* residuals, ScoreLayout layout, Index outputs,
              Index cols, Real* gradient, Ahead<Real> ahead) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    ahead.count = std::min(ahead.count, count);
    Index j = 0;
    if (outputs <= kNarrow) {
        for (; j + 4 * lanes <= cols; j += 4 * lanes)
            Tiles<4>(outputs, rows, count, j, residuals, layout, gradient + j, cols, ahead, j);
    } else if (outputs <= kWide) {
        for (; j + 2 * lanes <= cols; j += 2 * lanes)
            Tiles<2>(outputs, rows, count, j, residuals, layout, gradient + j, cols, ahead, j);
    } else {
        for (; j + 4 * lanes <= cols; j += 4 * lanes)
            Panel(rows, count, j, 4 * lanes, residuals, layout, outputs, cols, gradient, ahead);
    }
    if (j < cols) Panel(rows, count, j, cols - j, residuals, layout, outputs, cols, gradient, ahead);
}

void BackwardFloat(const float* const* rows, Index count, const float* residuals, ScoreLayout layout,
                   Index outputs, Index cols, float* gradient, Ahead<float> ahead) {
    Backward(rows, count, residuals, layout, outputs, cols, gradient, ahead);
}
void BackwardDouble(const double* const* rows, Index count, const double* residuals, ScoreLayout layout,
                    Index outputs, Index cols, double* gradient, Ahead<double> ahead) {
    Backward(rows, count, residuals, layout, outputs, cols, gradient, ahead);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

void backward(const float* const* rows, Index count, const float* residuals, ScoreLayout layout,
              Index outputs, Index cols, float* gradient, Ahead<float> ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)
    (rows, count, residuals, layout, outputs, cols, gradient, ahead);
}
void backward(const double* const* rows, Index count, const double* residuals, ScoreLayout layout,
              Index outputs, Index cols, double* gradient, Ahead<double> ahead) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)
    (rows, count, residuals, layout, outputs, cols, gradient, ahead);
}

}  // namespace alfcg::kernels
#endif

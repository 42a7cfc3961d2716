// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "kernels/dense.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Register tiles: with 32 vector registers 4 samples x 5 outputs of sums leave room for the operands; with
// 16, 2 x 5.
constexpr Index kRowTile = (HWY_TARGET <= HWY_AVX3) ? 4 : 2;
constexpr Index kOutputTile = 5;
constexpr Index kVectorTile = (HWY_TARGET <= HWY_AVX3) ? 4 : 2;

// The last, incomplete vector of a row goes through a small zeroed copy: reading past the end is never safe.
template <class D, class Real = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadTail(D d, const Real* from, Index count) {
    HWY_ALIGN Real lanes[HWY_MAX_BYTES / sizeof(Real)] = {};
    std::memcpy(lanes, from, static_cast<std::size_t>(count) * sizeof(Real));
    return hn::Load(d, lanes);
}

template <class D, class Real = hn::TFromD<D>>
HWY_INLINE void StoreTail(D d, hn::Vec<D> v, Real* to, Index count) {
    HWY_ALIGN Real lanes[HWY_MAX_BYTES / sizeof(Real)];
    hn::Store(v, d, lanes);
    std::memcpy(to, lanes, static_cast<std::size_t>(count) * sizeof(Real));
}

template <Index R, Index C, class Real>
HWY_INLINE void ForwardTile(const Real* const* rows, const Real* weights, Index outputs, Index cols,
                            Real* scores) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[R][C];
    for (Index r = 0; r < R; ++r)
        for (Index c = 0; c < C; ++c) sum[r][c] = hn::Zero(d);
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
        hn::Vec<decltype(d)> x[R];
        for (Index r = 0; r < R; ++r) x[r] = hn::LoadU(d, rows[r] + j);
        for (Index c = 0; c < C; ++c) {
            const auto w = hn::LoadU(d, weights + c * cols + j);
            for (Index r = 0; r < R; ++r) sum[r][c] = hn::MulAdd(x[r], w, sum[r][c]);
        }
    }
    if (j < cols) {
        hn::Vec<decltype(d)> x[R];
        for (Index r = 0; r < R; ++r) x[r] = LoadTail(d, rows[r] + j, cols - j);
        for (Index c = 0; c < C; ++c) {
            const auto w = LoadTail(d, weights + c * cols + j, cols - j);
            for (Index r = 0; r < R; ++r) sum[r][c] = hn::MulAdd(x[r], w, sum[r][c]);
        }
    }
    for (Index r = 0; r < R; ++r)
        for (Index c = 0; c < C; ++c) scores[r * outputs + c] = hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
}

template <Index R, class Real>
HWY_INLINE void ForwardRows(const Real* const* rows, const Real* weights, Index outputs, Index cols,
                            Real* scores) {
    Index c = 0;
    for (; c + kOutputTile <= outputs; c += kOutputTile)
        ForwardTile<R, kOutputTile>(rows, weights + c * cols, outputs, cols, scores + c);
    switch (outputs - c) {
        case 4:
            ForwardTile<R, 4>(rows, weights + c * cols, outputs, cols, scores + c);
            break;
        case 3:
            ForwardTile<R, 3>(rows, weights + c * cols, outputs, cols, scores + c);
            break;
        case 2:
            ForwardTile<R, 2>(rows, weights + c * cols, outputs, cols, scores + c);
            break;
        case 1:
            ForwardTile<R, 1>(rows, weights + c * cols, outputs, cols, scores + c);
            break;
        default:
            break;
    }
}

template <class Real>
void Forward(const Real* const* rows, Index count, const Real* weights, Index outputs, Index cols,
             Real* scores) {
    Index i = 0;
    for (; i + kRowTile <= count; i += kRowTile)
        ForwardRows<kRowTile>(rows + i, weights, outputs, cols, scores + i * outputs);
    for (; i < count; ++i) ForwardRows<1>(rows + i, weights, outputs, cols, scores + i * outputs);
}

template <Index C, Index V, class Real>
HWY_INLINE void BackwardTile(const Real* const* rows, Index count, const Real* residuals, Index outputs,
                             Index cols, Index j, Real* gradient) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    hn::Vec<decltype(d)> sum[C][V];
    for (Index c = 0; c < C; ++c)
        for (Index v = 0; v < V; ++v) sum[c][v] = hn::LoadU(d, gradient + c * cols + j + v * lanes);
    for (Index i = 0; i < count; ++i) {
        hn::Vec<decltype(d)> x[V];
        for (Index v = 0; v < V; ++v) x[v] = hn::LoadU(d, rows[i] + j + v * lanes);
        for (Index c = 0; c < C; ++c) {
            const auto r = hn::Set(d, residuals[i * outputs + c]);
            for (Index v = 0; v < V; ++v) sum[c][v] = hn::MulAdd(r, x[v], sum[c][v]);
        }
    }
    for (Index c = 0; c < C; ++c)
        for (Index v = 0; v < V; ++v) hn::StoreU(sum[c][v], d, gradient + c * cols + j + v * lanes);
}

template <Index C, class Real>
HWY_INLINE void BackwardTail(const Real* const* rows, Index count, const Real* residuals, Index outputs,
                             Index cols, Index j, Real* gradient) {
    const hn::ScalableTag<Real> d;
    hn::Vec<decltype(d)> sum[C];
    for (Index c = 0; c < C; ++c) sum[c] = LoadTail(d, gradient + c * cols + j, cols - j);
    for (Index i = 0; i < count; ++i) {
        const auto x = LoadTail(d, rows[i] + j, cols - j);
        for (Index c = 0; c < C; ++c) sum[c] = hn::MulAdd(hn::Set(d, residuals[i * outputs + c]), x, sum[c]);
    }
    for (Index c = 0; c < C; ++c) StoreTail(d, sum[c], gradient + c * cols + j, cols - j);
}

template <Index C, class Real>
HWY_INLINE void BackwardColumns(const Real* const* rows, Index count, const Real* residuals, Index outputs,
                                Index cols, Index j, Index width, Real* gradient) {
    if (width == kVectorTile) {
        BackwardTile<C, kVectorTile>(rows, count, residuals, outputs, cols, j, gradient);
    } else if (width == 1) {
        BackwardTile<C, 1>(rows, count, residuals, outputs, cols, j, gradient);
    } else {
        BackwardTail<C>(rows, count, residuals, outputs, cols, j, gradient);
    }
}

template <class Real>
void Backward(const Real* const* rows, Index count, const Real* residuals, Index outputs, Index cols,
              Real* gradient) {
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    for (Index j = 0; j < cols;) {
        const Index vectors = (cols - j) / lanes;  // whole vectors left
        const Index width = vectors >= kVectorTile ? kVectorTile : std::min<Index>(vectors, 1);
        Index c = 0;
        for (; c + kOutputTile <= outputs; c += kOutputTile)
            BackwardColumns<kOutputTile>(rows, count, residuals + c, outputs, cols, j, width,
                                         gradient + c * cols);
        switch (outputs - c) {
            case 4:
                BackwardColumns<4>(rows, count, residuals + c, outputs, cols, j, width, gradient + c * cols);
                break;
            case 3:
                BackwardColumns<3>(rows, count, residuals + c, outputs, cols, j, width, gradient + c * cols);
                break;
            case 2:
                BackwardColumns<2>(rows, count, residuals + c, outputs, cols, j, width, gradient + c * cols);
                break;
            case 1:
                BackwardColumns<1>(rows, count, residuals + c, outputs, cols, j, width, gradient + c * cols);
                break;
            default:
                break;
        }
        j += width == 0 ? cols - j : width * lanes;
    }
}

void ForwardFloat(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
                  float* scores) {
    Forward(rows, count, weights, outputs, cols, scores);
}
void ForwardDouble(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
                   double* scores) {
    Forward(rows, count, weights, outputs, cols, scores);
}
void BackwardFloat(const float* const* rows, Index count, const float* residuals, Index outputs, Index cols,
                   float* gradient) {
    Backward(rows, count, residuals, outputs, cols, gradient);
}
void BackwardDouble(const double* const* rows, Index count, const double* residuals, Index outputs,
                    Index cols, double* gradient) {
    Backward(rows, count, residuals, outputs, cols, gradient);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

void forward(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
             float* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardFloat)(rows, count, weights, outputs, cols, scores);
}
void forward(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
             double* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardDouble)(rows, count, weights, outputs, cols, scores);
}
void backward(const float* const* rows, Index count, const float* residuals, Index outputs, Index cols,
              float* gradient) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)(rows, count, residuals, outputs, cols, gradient);
}
void backward(const double* const* rows, Index count, const double* residuals, Index outputs, Index cols,
              double* gradient) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)(rows, count, residuals, outputs, cols, gradient);
}

}  // namespace alfcg::kernels
#endif

// Compiled once per instruction set; the plain loops over contiguous outputs are vectorised by the compiler
// for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/sparse.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

template <class Real>
HWY_INLINE void Forward(const SparseRow<Real>& row, const Real* HWY_RESTRICT weights, const Layout& layout,
                        Real* HWY_RESTRICT scores) {
    const Index outputs = layout.outputs;
    if (outputs == 1) {
        Real sum = 0;
        for (Index k = 0; k < row.count; ++k)
            sum += row.value[k] * weights[row.column[k] * layout.feature_stride];
        scores[0] = sum;
        return;
    }
    std::fill(scores, scores + outputs, Real(0));
    for (Index k = 0; k < row.count; ++k) {
        const Real value = row.value[k];
        const Real* HWY_RESTRICT w = weights + row.column[k] * layout.feature_stride;
        if (layout.output_stride == 1) {
            for (Index l = 0; l < outputs; ++l) scores[l] += value * w[l];
        } else {
            for (Index l = 0; l < outputs; ++l) scores[l] += value * w[l * layout.output_stride];
        }
    }
}

template <class Real>
HWY_INLINE void Backward(const SparseRow<Real>& row, const Real* HWY_RESTRICT residuals, const Layout& layout,
                         Real* HWY_RESTRICT gradient) {
    const Index outputs = layout.outputs;
    if (outputs == 1) {
        const Real residual = residuals[0];
        for (Index k = 0; k < row.count; ++k)
            gradient[row.column[k] * layout.feature_stride] += residual * row.value[k];
        return;
    }
    for (Index k = 0; k < row.count; ++k) {
        const Real value = row.value[k];
        Real* HWY_RESTRICT g = gradient + row.column[k] * layout.feature_stride;
        if (layout.output_stride == 1) {
            for (Index l = 0; l < outputs; ++l) g[l] += residuals[l] * value;
        } else {
            for (Index l = 0; l < outputs; ++l) g[l * layout.output_stride] += residuals[l] * value;
        }
    }
}

template <class Real>
HWY_INLINE void Transpose(const Real* HWY_RESTRICT from, Index rows, Index cols, Index first, Index last,
                          Real* HWY_RESTRICT to) {
    constexpr Index tile = 16;
    for (Index j0 = first; j0 < last; j0 += tile) {
        const Index j1 = std::min(j0 + tile, last);
        for (Index i0 = 0; i0 < rows; i0 += tile) {
            const Index i1 = std::min(i0 + tile, rows);
            for (Index j = j0; j < j1; ++j)
                for (Index i = i0; i < i1; ++i) to[j * rows + i] = from[i * cols + j];
        }
    }
}

void ForwardFloat(const SparseRow<float>& row, const float* weights, const Layout& layout, float* scores) {
    Forward(row, weights, layout, scores);
}
void ForwardDouble(const SparseRow<double>& row, const double* weights, const Layout& layout,
                   double* scores) {
    Forward(row, weights, layout, scores);
}
void BackwardFloat(const SparseRow<float>& row, const float* residuals, const Layout& layout,
                   float* gradient) {
    Backward(row, residuals, layout, gradient);
}
void BackwardDouble(const SparseRow<double>& row, const double* residuals, const Layout& layout,
                    double* gradient) {
    Backward(row, residuals, layout, gradient);
}
void TransposeFloat(const float* from, Index rows, Index cols, Index first, Index last, float* to) {
    Transpose(from, rows, cols, first, last, to);
}
void TransposeDouble(const double* from, Index rows, Index cols, Index first, Index last, double* to) {
    Transpose(from, rows, cols, first, last, to);
}

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);
HWY_EXPORT(TransposeFloat);
HWY_EXPORT(TransposeDouble);

void sparse_forward(const SparseRow<float>& row, const float* weights, const Layout& layout, float* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardFloat)(row, weights, layout, scores);
}
void sparse_forward(const SparseRow<double>& row, const double* weights, const Layout& layout,
                    double* scores) {
    HWY_DYNAMIC_DISPATCH(ForwardDouble)(row, weights, layout, scores);
}
void sparse_backward(const SparseRow<float>& row, const float* residuals, const Layout& layout,
                     float* gradient) {
    HWY_DYNAMIC_DISPATCH(BackwardFloat)(row, residuals, layout, gradient);
}
void sparse_backward(const SparseRow<double>& row, const double* residuals, const Layout& layout,
                     double* gradient) {
    HWY_DYNAMIC_DISPATCH(BackwardDouble)(row, residuals, layout, gradient);
}
void transpose(const float* from, Index rows, Index cols, Index first, Index last, float* to) {
    HWY_DYNAMIC_DISPATCH(TransposeFloat)(from, rows, cols, first, last, to);
}
void transpose(const double* from, Index rows, Index cols, Index first, Index last, double* to) {
    HWY_DYNAMIC_DISPATCH(TransposeDouble)(from, rows, cols, first, last, to);
}

}  // namespace alfcg::kernels
#endif

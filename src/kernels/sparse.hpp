#pragma once

#include <cstdint>

#include "alfcg/core/matrix.hpp"

namespace alfcg::kernels {

/// One sample of compressed-row data.
template <class Real>
struct SparseRow {
    const std::int32_t* column;
    const Real* value;
    Index count;
};

/// Where the weight (or gradient) of output l and feature j lies: l * output_stride + j * feature_stride.
/// Contiguous outputs (output_stride = 1) serve passes over much data, contiguous features avoid a
/// transposition.
struct Layout {
    Index outputs;
    Index output_stride;
    Index feature_stride;
};

/// scores[l] = Σ_k value[k] weights(l, column[k]).
void sparse_forward(const SparseRow<float>& row, const float* weights, const Layout& layout, float* scores);
void sparse_forward(const SparseRow<double>& row, const double* weights, const Layout& layout,
                    double* scores);

/// gradient(l, column[k]) += residuals[l] value[k].
void sparse_backward(const SparseRow<float>& row, const float* residuals, const Layout& layout,
                     float* gradient);
void sparse_backward(const SparseRow<double>& row, const double* residuals, const Layout& layout,
                     double* gradient);

/// to[j * rows + i] = from[i * cols + j] for columns first .. last-1.
void transpose(const float* from, Index rows, Index cols, Index first, Index last, float* to);
void transpose(const double* from, Index rows, Index cols, Index first, Index last, double* to);

}  // namespace alfcg::kernels

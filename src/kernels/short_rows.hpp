#pragma once

#include "kernels/dense.hpp"

/// Samples of few features, with very few outputs: the arithmetic is over before memory has answered, and what counts
/// is that rows are read in the order in which they lie there, each from its first entry to its last. Nothing is
/// fetched ahead: CPUs see what comes next by themselves then, and sooner.
namespace alfcg::kernels {

constexpr Index short_outputs = 2;
constexpr Index short_bytes = 4096;
template <class Real>
constexpr bool are_short(Index cols, Index outputs) {
    return outputs <= short_outputs && cols * static_cast<Index>(sizeof(Real)) <= short_bytes;
}

/// scores[l * stride + i] = <rows[i], weights + l * cols>; the stride is padded.
void forward_short(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
                   Index stride, float* scores);
void forward_short(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
                   Index stride, double* scores);

/// gradient[l * cols + j] += Σ_i residuals[l * stride + i] rows[i][j]
void backward_short(const float* const* rows, Index count, const float* residuals, Index stride,
                    Index outputs, Index cols, float* gradient, Start start);
void backward_short(const double* const* rows, Index count, const double* residuals, Index stride,
                    Index outputs, Index cols, double* gradient, Start start);

}  // namespace alfcg::kernels

#pragma once

#include "alfcg/core/matrix.hpp"

/// The hot loops. They know arrays and nothing else; the instruction set is chosen at run time by CPU.
/// `rows` is a list of pointers to the samples of a block, each of `cols` entries.
namespace alfcg::kernels {

/// scores[i * outputs + l] = <rows[i], weights + l * cols>.
void forward(const float* const* rows, Index count, const float* weights, Index outputs, Index cols,
             float* scores);
void forward(const double* const* rows, Index count, const double* weights, Index outputs, Index cols,
             double* scores);

/// gradient[l * cols + j] += Σ_i residuals[i * outputs + l] rows[i][j].
void backward(const float* const* rows, Index count, const float* residuals, Index outputs, Index cols,
              float* gradient);
void backward(const double* const* rows, Index count, const double* residuals, Index outputs, Index cols,
              double* gradient);

}  // namespace alfcg::kernels

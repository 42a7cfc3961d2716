#pragma once

#include "alfcg/core/matrix.hpp"

/// Products of a gradient with double vectors and with itself. Entries are row-major, G[i * cols + j]; all
/// sums are double whatever the entries are. `scale` multiplies the gradient: a power of two that keeps
/// squares in range.
namespace alfcg::region {

/// Doubles that gram() needs as scratch for a smaller side of this length.
Index gram_scratch(Index side);

/// Terms that enter one entry of gram() one after the other, at most: its rounding error is below this many
/// units in the last place of Σ|g_i||g_j|.
Index gram_depth(Index side, Index length);

/// The Gram matrix of the smaller side, side x side, symmetric: s²GGᵀ when rows <= cols, else s²GᵀG.
void gram(const float* entries, Shape shape, double scale, double* scratch, double* result);
void gram(const double* entries, Shape shape, double scale, double* scratch, double* result);

/// y = scale · G x.
void times(const float* entries, Shape shape, double scale, const double* x, double* y);
void times(const double* entries, Shape shape, double scale, const double* x, double* y);

/// y = scale · Gᵀ x.
void transposed_times(const float* entries, Shape shape, double scale, const double* x, double* y);
void transposed_times(const double* entries, Shape shape, double scale, const double* x, double* y);

}  // namespace alfcg::region

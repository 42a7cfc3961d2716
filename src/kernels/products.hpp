#pragma once

#include "alfcg/core/matrix.hpp"

/// Products of a gradient with double vectors and with itself. Entries are row-major, G[i * cols + j]; all
/// sums are double whatever the entries are. `scale` multiplies the gradient: a power of two that keeps
/// squares in range. Large ones are shared among threads.
namespace alfcg::kernels {

/// The Gram matrix of the smaller side, side x side, symmetric: s²GGᵀ when rows <= cols, else s²GᵀG.
template <class Real>
void gram(const Real* entries, Shape shape, double scale, int threads, AlignedVector<double>& scratch,
          double* result);

/// Terms that enter one entry of gram() one after the other, at most: its rounding error is below this many
/// units in the last place of Σ|g_i||g_j|.
Index gram_depth(Index side, Index length, int threads);

/// y = scale · G x.
template <class Real>
void times(const Real* entries, Shape shape, double scale, const double* x, double* y, int threads = 1);

/// y = scale · Gᵀ x.
template <class Real>
void transposed_times(const Real* entries, Shape shape, double scale, const double* x, double* y,
                      int threads = 1);

/// Columns that are multiplied at a time.
inline constexpr Index block_columns = 4;

/// Y = scale · G X and Y = scale · Gᵀ X of as many columns, one after the other.
template <class Real>
void times_block(const Real* entries, Shape shape, double scale, const double* x, double* y, int threads);
template <class Real>
void transposed_times_block(const Real* entries, Shape shape, double scale, const double* x, double* y,
                            int threads);

/// Y = s²GᵀG X (right side) or s²GGᵀ X (left side), reading the gradient once. X and Y have four columns of
/// cols, or rows, entries, one column after the other.
enum class Side { left, right };
template <class Real>
void normal_product(const Real* entries, Shape shape, double scale, Side side, const double* x, double* y,
                    int threads, AlignedVector<double>& scratch);

}  // namespace alfcg::kernels

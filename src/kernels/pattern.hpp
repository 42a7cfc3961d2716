#pragma once

#include <cstdint>

#include "alfcg/core/matrix.hpp"

/// One row of a matrix that is known at some places only, against tables with a line for each of its columns.
namespace alfcg::kernels {

/// Columns of a block of vectors that a matrix is multiplied with at a time.
constexpr Index pattern_block = 4;

/// out[k] = Σ_l row[l] · table[index[k] · stride + l] over l < width. Lines are aligned to 64 bytes and, like the row, zero from the
/// width on.
void row_dots(const std::int32_t* index, Index count, const float* row, const float* table, Index stride,
              Index width, float* out);
void row_dots(const std::int32_t* index, Index count, const double* row, const double* table, Index stride,
              Index width, double* out);

/// out[c] = Σ_k value[k] · table[index[k] · pattern_block + c], c < pattern_block.
void row_sums(const std::int32_t* index, Index count, const float* value, const double* table, double* out);
void row_sums(const std::int32_t* index, Index count, const double* value, const double* table, double* out);

/// table[index[k] · pattern_block + c] += value[k] · row[c]: the indices differ.
void row_adds(const std::int32_t* index, Index count, const float* value, const double* row, double* table);
void row_adds(const std::int32_t* index, Index count, const double* value, const double* row, double* table);

/// The normal equations of a row: gram(a, b) = Σ_k weight[k] line_k[a] line_k[b] for b ≤ a (more may be written) and right[a] =
/// Σ_k target[k] line_k[a], line_k = table + index[k] · stride; `weight` null: all 1. Both have room for `stride` lines of `stride`.
void row_normal(const std::int32_t* index, Index count, const float* weight, const float* target,
                const float* table, Index stride, Index width, float* gram, float* right);
void row_normal(const std::int32_t* index, Index count, const double* weight, const double* target,
                const double* table, Index stride, Index width, double* gram, double* right);

}  // namespace alfcg::kernels

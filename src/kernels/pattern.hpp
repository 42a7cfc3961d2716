#pragma once

#include <cstdint>

#include "alfcg/core/matrix.hpp"

/// One row of a matrix that is known at some places only, against tables with a line for each of its columns.
namespace alfcg::kernels {

/// Columns of a block of vectors that a matrix is multiplied with at a time.
constexpr Index pattern_block = 4;

/// out[k] = Σ_l row[l] · table[index[k] · stride + l] over l < width. Lines are aligned to 64 bytes and, like the row, zero from the
/// width on. `index` null: lines 0, 1, 2, …
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

/// to: the lines of `table` with these indices, one after the other, `stride` numbers each.
void gather_lines(const std::int32_t* index, Index count, const float* table, Index stride, float* to);
void gather_lines(const std::int32_t* index, Index count, const double* table, Index stride, double* to);

/// out[l] = Σ_k value[k] · table[index[k] · stride + l] for l < width, up to a whole vector; `index` null: lines 0, 1, 2, …
void sum_lines(const std::int32_t* index, Index count, const float* value, const float* table, Index stride,
               Index width, float* out);
void sum_lines(const std::int32_t* index, Index count, const double* value, const double* table, Index stride,
               Index width, double* out);

/// table[index[k] · stride + l] += value[k] · row[l] for l < width, up to a whole vector.
void add_lines(const std::int32_t* index, Index count, const float* value, const float* row, Index stride,
               Index width, float* table);
void add_lines(const std::int32_t* index, Index count, const double* value, const double* row, Index stride,
               Index width, double* table);

/// The normal equations of lines that lie one after the other: gram[a · stride + b] = Σ_k weight[k] line_k[a] line_k[b] for b ≥ a (more
/// may be written), for a up to a multiple of four; `weight` null: all 1.
void gram_of_lines(const float* lines, Index count, const float* weight, Index stride, Index width,
                   float* gram);
void gram_of_lines(const double* lines, Index count, const double* weight, Index stride, Index width,
                   double* gram);

/// The same without weights, summed up in double precision and added to `gram`.
void add_gram(const float* lines, Index count, Index stride, Index width, double* gram);
void add_gram(const double* lines, Index count, Index stride, Index width, double* gram);

/// x with A x = b of a symmetric, positive definite matrix, by Cholesky's method: A is given by rows, `stride` apart, from the diagonal on;
/// it is overwritten, and b becomes x. False where it is not positive definite. `stride` is a multiple of 8, and rows end in zeros.
bool solve_positive(double* a, Index size, Index stride, double* b);

}  // namespace alfcg::kernels

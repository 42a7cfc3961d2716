#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "alfcg/core/column_numbers.hpp"
#include "alfcg/core/matrix.hpp"
#include "kernels/dense.hpp"

/// Sparse samples against tables in which the outputs of a feature (or of a sample) lie side by side.
namespace alfcg::kernels {

/// Compressed rows (or columns): the entries of line i are positions start[i] .. start[i+1]-1.
template <class Real>
struct SparseLines {
    const Index* start;
    NumberPointer index;
    const Real* value;
    [[nodiscard]] Index index_of(Index k) const { return index[k]; }
    [[nodiscard]] Real value_of(Index k) const { return value[k]; }
};

/// The same in half the memory, where there are few values: an entry is its index and, in the lowest bits, the number of its value.
template <class Real>
struct CodedLines {
    static constexpr int code_bits = 8;
    static constexpr Index most_values = Index{1} << code_bits;
    static constexpr Index most_indices = Index{1} << (32 - code_bits);
    const Index* start;
    const std::uint32_t* entry;
    const Real* values;
    [[nodiscard]] Index index_of(Index k) const { return entry[k] >> code_bits; }
    [[nodiscard]] Real value_of(Index k) const { return values[entry[k] % most_values]; }
};

/// Some lines: those listed, or from `first` on.
struct LineChoice {
    const Index* list;  // null: first, first + 1, ...
    Index first;
    Index count;
    const std::uint16_t* places = nullptr;  // of results; null: in the order of the lines
    [[nodiscard]] Index line(Index i) const { return list == nullptr ? first + i : list[i]; }
    [[nodiscard]] Index place(Index i) const { return places == nullptr ? i : places[i]; }
};

/// A table keeps the outputs of each of its lines (features, or samples) side by side, in two parts: as many as
/// fill whole cache lines, and after all of those the rest of every line. So one line of the table touches
/// no more cache lines than it must, and the short rests (of 16, 32 or 64 bytes) share theirs. A single output is an array.
template <class Real>
constexpr Index table_body(Index outputs) {
    constexpr Index lanes = vector_bytes / static_cast<Index>(sizeof(Real));
    return outputs / lanes * lanes;
}
template <class Real>
constexpr Index table_rest(Index outputs) {
    constexpr Index least = 16 / static_cast<Index>(sizeof(Real));
    const Index rest = outputs - table_body<Real>(outputs);
    if (rest == 0 || outputs == 1) return rest;
    return std::max(least, static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(rest))));
}
/// Entries of one line, padding included.
template <class Real>
constexpr Index table_stride(Index outputs) {
    return table_body<Real>(outputs) + table_rest<Real>(outputs);
}
template <class Real>
struct Table {
    Real* entries;
    Index lines;
};

/// out[p * stride + l] = Σ_k value[k] table(index[k], l) over the entries k of the i-th line chosen, p its place, stride =
/// table_stride(outputs); the padding of `out` is written too.
void gather_sums(const SparseLines<float>& lines, LineChoice choice, Table<const float> table, Index outputs,
                 float* out);
void gather_sums(const SparseLines<double>& lines, LineChoice choice, Table<const double> table,
                 Index outputs, double* out);
void gather_sums(const CodedLines<float>& lines, LineChoice choice, Table<const float> table, Index outputs,
                 float* out);
void gather_sums(const CodedLines<double>& lines, LineChoice choice, Table<const double> table, Index outputs,
                 double* out);

/// table(index[k], l) += value[k] residuals[i * stride + l], the padding of `residuals` being zero.
void scatter_adds(const SparseLines<float>& lines, LineChoice choice, const float* residuals, Index outputs,
                  Table<float> table);
void scatter_adds(const SparseLines<double>& lines, LineChoice choice, const double* residuals, Index outputs,
                  Table<double> table);

/// The same two for a matrix of outputs x features that is not worth laying out anew: matrix[l * cols +
/// index[k]] takes the place of table(index[k], l).
void gather_sums(const SparseLines<float>& lines, LineChoice choice, const float* matrix, Index outputs,
                 Index cols, float* out);
void gather_sums(const SparseLines<double>& lines, LineChoice choice, const double* matrix, Index outputs,
                 Index cols, double* out);
void scatter_adds(const SparseLines<float>& lines, LineChoice choice, const float* residuals, Index outputs,
                  Index cols, float* matrix);
void scatter_adds(const SparseLines<double>& lines, LineChoice choice, const double* residuals, Index outputs,
                  Index cols, double* matrix);

/// Matrix (outputs x features) to table, features first .. last-1, padded with zeros; and back.
void to_table(const float* matrix, Index outputs, Index cols, Index first, Index last, Table<float> table);
void to_table(const double* matrix, Index outputs, Index cols, Index first, Index last, Table<double> table);
void from_table(Table<const float> table, Index outputs, Index cols, Index first, Index last, float* matrix);
void from_table(Table<const double> table, Index outputs, Index cols, Index first, Index last,
                double* matrix);

/// Lines first .. first+count-1 of the table from rows of `stride` entries that lie side by side; and rows to
/// columns `first` .. of a matrix of outputs x cols.
void rows_to_table(const float* rows, Index first, Index count, Index outputs, Table<float> table);
void rows_to_table(const double* rows, Index first, Index count, Index outputs, Table<double> table);
void rows_to_matrix(const float* rows, Index first, Index count, Index outputs, Index cols, float* matrix);
void rows_to_matrix(const double* rows, Index first, Index count, Index outputs, Index cols, double* matrix);

}  // namespace alfcg::kernels

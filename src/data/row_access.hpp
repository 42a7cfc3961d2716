#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "alfcg/data/features.hpp"
#include "core/parallel.hpp"

namespace alfcg {

template <class Real>
Index stored_entries(const DenseFeatures<Real>& features) {
    return features.rows() * features.cols();
}
template <class Real>
Index stored_entries(const SparseFeatures<Real>& features) {
    return features.nonzeros();
}

/// Calls body(column, value) for the stored entries of row i, in order.
template <class Real, class Body>
void for_each_entry(const DenseFeatures<Real>& features, Index i, const Body& body) {
    const Real* row = features.row(i);
    for (Index j = 0; j < features.cols(); ++j) body(j, row[j]);
}
template <class Real, class Body>
void for_each_entry(const SparseFeatures<Real>& features, Index i, const Body& body) {
    const auto last = static_cast<std::size_t>(features.start[static_cast<std::size_t>(i + 1)]);
    for (auto k = static_cast<std::size_t>(features.start[static_cast<std::size_t>(i)]); k < last; ++k)
        body(static_cast<Index>(features.column[k]), features.value[k]);
}

/// Threads worth having for one pass over the data: below some tens of thousands of entries each, waiting for
/// one another costs more than it saves.
template <class AnyFeatures>
int useful_threads(const AnyFeatures& features, int threads) {
    constexpr Index entries_per_thread = 32768;
    return parts_of(stored_entries(features), entries_per_thread, std::max(threads, 1));
}

/// <row i, vector>, summed in double.
template <class Real>
double row_dot(const DenseFeatures<Real>& features, Index i, const double* vector) {
    const Real* row = features.row(i);
    const Index cols = features.cols();
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index j = 0; j < cols; ++j) sum += static_cast<double>(row[j]) * vector[j];
    return sum;
}
template <class Real>
double row_dot(const SparseFeatures<Real>& features, Index i, const double* vector) {
    double sum = 0;
    for_each_entry(features, i, [&](Index j, Real value) { sum += static_cast<double>(value) * vector[j]; });
    return sum;
}

/// vector += factor * row i.
template <class Real>
void row_add(const DenseFeatures<Real>& features, Index i, double factor, double* vector) {
    const Real* row = features.row(i);
    const Index cols = features.cols();
#pragma omp simd
    for (Index j = 0; j < cols; ++j) vector[j] += factor * static_cast<double>(row[j]);
}
template <class Real>
void row_add(const SparseFeatures<Real>& features, Index i, double factor, double* vector) {
    for_each_entry(features, i,
                   [&](Index j, Real value) { vector[j] += factor * static_cast<double>(value); });
}

/// Largest absolute entry of row i.
template <class AnyFeatures>
double row_maximum(const AnyFeatures& features, Index i) {
    double largest = 0;
    for_each_entry(features, i, [&](Index, auto value) {
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    });
    return largest;
}

/// Euclidean norm of row i, also where squares overflow or vanish.
template <class AnyFeatures>
double row_norm(const AnyFeatures& features, Index i) {
    double squares = 0;
    for_each_entry(features, i, [&](Index, auto value) {
        squares += static_cast<double>(value) * static_cast<double>(value);
    });
    if (squares > 1e-200 && std::isfinite(squares)) return std::sqrt(squares);
    const double largest = row_maximum(features, i);
    if (largest == 0) return 0;
    squares = 0;
    for_each_entry(features, i, [&](Index, auto value) {
        const double ratio = static_cast<double>(value) / largest;
        squares += ratio * ratio;
    });
    return largest * std::sqrt(squares);
}

}  // namespace alfcg

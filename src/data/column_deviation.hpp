#pragma once

#include <span>
#include <vector>

#include "alfcg/core/ranks.hpp"
#include "alfcg/data/features.hpp"

namespace alfcg {

/// Population standard deviation (1/N) of every column, absent entries of sparse data counting as zeros;
/// exactly 0 for a constant column and for no other. A row of weight 2 counts as two (no weights: all count once). The
/// answer does not depend on the number of threads.
template <class Real>
std::vector<double> column_deviations(const DenseFeatures<Real>& features, std::span<const double> weights,
                                      int threads);
template <class Real>
std::vector<double> column_deviations(const SparseFeatures<Real>& features, std::span<const double> weights,
                                      int threads);

/// Of the rows of all ranks.
template <class AnyFeatures>
std::vector<double> column_deviations(const AnyFeatures& features, std::span<const double> weights,
                                      Ranks& ranks);

}  // namespace alfcg

#pragma once

#include <vector>

#include "alfcg/data/features.hpp"

namespace alfcg {

/// Population standard deviation (1/N) of every column, absent entries of sparse data counting as zeros;
/// exactly 0 for a constant column and for no other. The answer does not depend on the number of threads.
template <class Real>
std::vector<double> column_deviations(const DenseFeatures<Real>& features, int threads);
template <class Real>
std::vector<double> column_deviations(const SparseFeatures<Real>& features, int threads);

}  // namespace alfcg

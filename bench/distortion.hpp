#pragma once

#include <string>

#include "alfcg/data/dataset.hpp"

namespace alfcg::bench {

/// Turns a data set into an awkward version of itself: "shuffled-labels", "huge-feature" (the largest feature
/// times 1e6), "duplicated-rows" (the rows after the first tenth repeat those of it in turn), or "none".
template <class Real>
void distort(Dataset<Real>& data, const std::string& how);

/// Leaves out the features without an entry: their weights stay zero, and the problem is the same.
template <class Real>
void drop_empty_columns(SparseFeatures<Real>& features);

}  // namespace alfcg::bench

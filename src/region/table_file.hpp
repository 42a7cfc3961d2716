#pragma once

#include <string>

#include "alfcg/data/dataset.hpp"

namespace alfcg::region {

/// A data file all of whose columns are features: nothing in it is a label, but where a format has labels of its own.
template <class Real>
Dataset<Real> read_table(const std::string& path, int threads);

}  // namespace alfcg::region

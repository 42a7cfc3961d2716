#pragma once

#include <string>
#include <vector>

#include "alfcg/region/structured.hpp"

namespace alfcg::region {

/// a x ≤ b from one data file (CSV, NPY, …) and a x = b from another: a row holds the entries of a, then b. Where both have
/// names, columns are found by those of the features, and features that are not there have 0. An empty name: no file, but one is
/// needed.
LinearConstraints read_constraints(const std::string& at_most, const std::string& equal,
                                   const std::vector<std::string>& features);

}  // namespace alfcg::region

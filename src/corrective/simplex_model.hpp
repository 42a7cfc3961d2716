#pragma once

#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// Where <slopes, u − w> + ½ <u − w, matrix (u − w)> is least over weights u ≥ 0 that add up to 1, from w, which do. The matrix is
/// symmetric, and what is not positive of it along directions that add up to 0 counts as nearly nothing.
std::vector<double> least_on_simplex(const Matrix<double>& matrix, const std::vector<double>& slopes,
                                     const std::vector<double>& w);

}  // namespace alfcg

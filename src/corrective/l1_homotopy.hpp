#pragma once

#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// The minimum of ½ <u, H u> − <b, u> + l1 ‖u‖₁ over ‖u‖₁ ≤ radius, for a positive semidefinite H of moderate size. It is followed from
/// u = 0, where the multiplier of the norm is largest, down to where the ball or l1 ends the way: between changes of the
/// support u moves on a line.
std::vector<double> l1_minimum(const Matrix<double>& h, const std::vector<double>& b, double l1,
                               double radius);

}  // namespace alfcg

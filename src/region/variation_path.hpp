#pragma once

#include <span>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// Σ over the rows of |x₁| + Σ |x_{j+1} − x_j|.
double total_variation_of(std::span<const double> x, Index cols);

/// Replaces rows by the nearest ones whose total variation is at most `radius` together, in O(n log n) steps.
void project_variation(std::span<double> x, Index cols, double radius);

}  // namespace alfcg::region

#pragma once

#include <span>

namespace alfcg::region {

/// Projection of t / (tightness · largest), t >= 0 outside, onto the unit l_p ball, 1 < p < ∞, p ≠ 2. `sizes`
/// holds t, and is overwritten. The answer is shape / ‖shape‖_p; returns ‖shape‖_p.
double project_lp(double p, double tightness, double largest, std::span<double> sizes,
                  std::span<double> shape);

}  // namespace alfcg::region

#pragma once

#include <span>

namespace alfcg::region {

/// Projection of a / tightness, a outside, onto the unit l_p ball, 1 < p < ∞, p ≠ 2, where a >= 0 has the
/// largest entry 1 and is given by its logarithms (-inf for 0). The answer is shape / ‖shape‖_p; returns
/// ‖shape‖_p.
double project_lp(double p, double tightness, std::span<const double> log_a, std::span<double> shape);

}  // namespace alfcg::region

#pragma once

#include <functional>
#include <span>
#include <vector>

namespace alfcg::region {

/// Writes a point of a convex set that minimises <direction, point>.
using Supporter = std::function<void(std::span<const double> direction, std::span<double> point)>;

/// How far x lies from a convex set, relative to the largest distance from x to a point of the set that was seen: Wolfe's
/// search for the point of least norm (1976) in the set less x. What is below `rounding` counts as 0.
double relative_distance(std::span<const double> x, const Supporter& support, double rounding);

}  // namespace alfcg::region

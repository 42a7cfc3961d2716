#pragma once

#include <algorithm>
#include <limits>

namespace alfcg::region {

/// How far outside a point is, without what rounding of its entries may add up to: sets with equations have no inside.
template <class Real>
double beyond_rounding(double outside) {
    return outside > 8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) ? outside : 0;
}

/// A distance from a set, relative to its size, that is rounding.
template <class Real>
inline constexpr double distance_rounding =
    std::max(8 * static_cast<double>(std::numeric_limits<Real>::epsilon()), 1e-13);

}  // namespace alfcg::region

#pragma once

#include <limits>

namespace alfcg::region {

/// How far outside a point is, without what rounding of its entries may add up to: sets with equations have no inside.
template <class Real>
double beyond_rounding(double outside) {
    return outside > 64 * static_cast<double>(std::numeric_limits<Real>::epsilon()) ? outside : 0;
}

}  // namespace alfcg::region

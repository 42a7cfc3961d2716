#pragma once

#include <memory>

#include "alfcg/region/region.hpp"

namespace alfcg::region {

/// A region with h = 0 and a projection, with (weight/2) ‖x‖₂² for h: the oracle's answer is then a projection too. Itself where
/// the weight is 0.
template <class Real>
std::unique_ptr<Region<Real>> with_square(std::unique_ptr<Region<Real>> region, double weight);

}  // namespace alfcg::region

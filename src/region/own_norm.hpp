#pragma once

#include <memory>

#include "alfcg/region/region.hpp"

namespace alfcg::region {

/// The same ball of a norm (Region::norm) with weight ‖x‖ more in h; itself where the weight is 0. Its h without that must be
/// positively homogeneous: l1, not l2. On every ray from the origin, the objective of the oracle is then linear: the ball's
/// own answer is the answer, or the origin is.
template <class Real>
std::unique_ptr<Region<Real>> with_own_norm(std::unique_ptr<Region<Real>> ball, double radius, double weight);

}  // namespace alfcg::region

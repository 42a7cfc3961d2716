#pragma once

#include "alfcg/solve/method.hpp"

namespace alfcg {

/// A step of the move along which f + h goes down, h being no more than what lies between both ends; false where there is none. `slope`: of
/// f along the way.
template <class Real>
bool search_line(Run<Real>& run, const Proposal<Real>& seen, const Move<Real>& move, double slope,
                 double& step);

}  // namespace alfcg

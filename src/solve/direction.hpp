#pragma once

#include "alfcg/region/region.hpp"
#include "alfcg/solve/solve.hpp"

namespace alfcg {

/// Where the loop moves towards. Every method but one moves towards the oracle's vertex for g_t.
template <class Real>
class DirectionRule {
  public:
    virtual ~DirectionRule() = default;
    /// Writes the point to move towards and returns the oracle's slack (0: exact; infinite: not the oracle's
    /// answer for g_t at all). Counts what it uses.
    virtual double target(Region<Real>& region, const Matrix<Real>& gradient, const Matrix<Real>& /*x*/,
                          double tolerance, Vertex<Real>& vertex, Counters& counters) {
        ++counters.oracle_calls;
        return region.minimize(gradient, tolerance, false, vertex);
    }
    /// Called when a run ends without having converged: may put a point that is known to be better in the
    /// place of the last iterate.
    virtual void settle(Region<Real>& /*region*/, Matrix<Real>& /*x*/, Counters& /*counters*/) {}
};

}  // namespace alfcg

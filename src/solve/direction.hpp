#pragma once

#include "alfcg/region/region.hpp"

namespace alfcg {

/// Where the loop moves towards. Every method but one moves towards the oracle's vertex for g_t.
template <class Real>
class DirectionRule {
  public:
    virtual ~DirectionRule() = default;
    /// Writes the point to move towards and returns the oracle's slack (0: exact). `calls` counts oracle
    /// calls.
    virtual double target(Region<Real>& region, const Matrix<Real>& gradient, double tolerance,
                          Vertex<Real>& vertex, Index& calls) {
        ++calls;
        return region.minimize(gradient, tolerance, false, vertex);
    }
};

}  // namespace alfcg

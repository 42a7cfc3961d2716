#pragma once

#include "alfcg/method/options.hpp"
#include "alfcg/solve/solve.hpp"

namespace alfcg {

/// What came of a run with a method by name.
template <class Real>
struct Solution : Result<Real> {
    Parameters parameters;  // as used: defaults filled in, ρ as found
};

/// Minimises f + h over the region with the method that `options` names; see solve() with a method of one's own.
template <class Real>
Solution<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                     const std::type_identity_t<Observer<Real>>& observer = {},
                     const Matrix<Real>* x0 = nullptr);

}  // namespace alfcg

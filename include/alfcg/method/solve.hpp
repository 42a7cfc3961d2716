#pragma once

#include "alfcg/method/options.hpp"
#include "alfcg/solve/solve.hpp"

namespace alfcg {

/// What came of a run with a method by name.
template <class Real>
struct Solution : Result<Real> {
    std::string method;     // as used
    Parameters parameters;  // as used: defaults filled in, ρ as found
};

struct MethodChoice {
    std::string name;
    std::string_view reason;  // in a word; empty where the caller chose
};
/// The method that `options` names, or the one that suits region and data: where nothing but its own parameters, if any, are given, the
/// fastest to the optimum as `bench/run --only optimum` shows it, else alfcg-d.
template <class Real>
MethodChoice choose_method(const Objective<Real>& objective, const Region<Real>& region,
                           const Options& options);

/// Minimises f + h over the region with the method that `options` names; see solve() with a method of one's own.
template <class Real>
Solution<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                     const std::type_identity_t<Observer<Real>>& observer = {},
                     const Matrix<Real>* x0 = nullptr);
/// The same from a point in the form that the objective looks at: factors, where that has a pattern.
template <class Real>
Solution<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                     const std::type_identity_t<Observer<Real>>& observer, const Iterate<Real>* x0);

}  // namespace alfcg

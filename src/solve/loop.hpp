#pragma once

#include "alfcg/solve/solve.hpp"
#include "estimator/estimator.hpp"
#include "solve/direction.hpp"
#include "step/step.hpp"

namespace alfcg {

/// The one loop (spec 2): estimate, oracle, step, move. It knows neither the data nor the names of methods.
/// The result's `parameters` are left to the caller.
template <class Real>
Result<Real> run_loop(Objective<Real>& objective, Region<Real>& region, Estimator<Real>& estimator,
                      DirectionRule<Real>& direction, StepRule& step, const Options& options,
                      const Observer<Real>& observer, const Matrix<Real>* x0);

}  // namespace alfcg

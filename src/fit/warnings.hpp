#pragma once

#include <string>
#include <vector>

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// What should be said about weights that went from `start` to where the model has them, and about its answers on the rows that
/// trained it; mostly nothing.
template <class Real>
std::vector<std::string> warnings_of(const Model<Real>& model, const Matrix<Real>& start,
                                     const Predictions& answers, Ranks* ranks);

/// What may have kept a run from its end: dense features in units that are far apart, and stayed so. Mostly nothing.
template <class Real>
std::vector<std::string> warnings_about_units(const Problem<Real>& problem);

}  // namespace alfcg

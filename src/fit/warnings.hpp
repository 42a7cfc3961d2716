#pragma once

#include <string>
#include <vector>

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// What should be said about weights that went from `start` to where the model has them, and about its answers on the rows that
/// trained it; mostly nothing.
template <class Real>
std::vector<std::string> warnings_of(const Model<Real>& model, const Matrix<Real>& start,
                                     const Predictions& answers);

}  // namespace alfcg

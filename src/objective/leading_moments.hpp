#pragma once

#include <optional>
#include <vector>

#include "alfcg/objective/objective.hpp"

namespace alfcg {

/// The second moments of the rows' features, around `centre` if that is not empty, from some of the rows, by their weights (null: all
/// alike; else with mean 1).
template <class Real>
std::optional<SecondMoments<Real>> leading_moments(const Features<Real>& features, const Real* weights,
                                                   const std::vector<double>& centre, int threads);

}  // namespace alfcg

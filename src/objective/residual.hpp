#pragma once

#include <cstdint>

#include "alfcg/objective/loss.hpp"

namespace alfcg {

/// Turns the scores of one sample into weight · ∂loss/∂score, in place, and returns the (unweighted) loss.
/// Right for scores of any size.
template <class Real>
double multinomial_residual(Real* scores, Index outputs, std::int32_t target, double weight);
template <class Real>
double scalar_residual(Real& score, double target, const LossOptions& loss, double weight);

}  // namespace alfcg

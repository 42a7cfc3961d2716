#pragma once

#include "alfcg/objective/loss.hpp"
#include "kernels/dense.hpp"

namespace alfcg {

/// What a linear model is asked to predict, and how it is judged: turns blocks of scores into residuals.
template <class Real>
class BlockLoss {
  public:
    BlockLoss(const Targets& targets, const LossOptions& loss);

    /// Targets of all rows, class numbers or values, padded at the end.
    [[nodiscard]] const Real* targets() const { return targets_.data(); }

    /// Whether a sample's scores may all be shifted alike, so that its residuals add up to zero.
    [[nodiscard]] bool relative() const { return loss_.kind == Loss::multinomial; }

    /// Scores of `count` samples with these targets become weight · ∂loss/∂score, in place; returns the sum of
    /// the losses.
    double apply(Real* scores, Index count, kernels::ScoreLayout layout, const Real* targets,
                 double weight) const;

  private:
    LossOptions loss_;
    Index outputs_;
    AlignedVector<Real> targets_;
};

}  // namespace alfcg

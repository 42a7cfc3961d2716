#pragma once

#include "objective/loss_table.hpp"

namespace alfcg {

/// What a linear model is asked to predict, and how it is judged: turns blocks of scores into residuals.
template <class Real>
class BlockLoss {
  public:
    BlockLoss(const Targets& targets, const LossSpec& loss);

    /// Targets of all rows, class numbers or values, padded at the end.
    [[nodiscard]] const Real* targets() const { return targets_.data(); }

    /// Whether a sample's scores may all be shifted alike, so that its residuals add up to zero.
    [[nodiscard]] bool relative() const { return relative_; }

    /// Scores of `count` samples with these targets become weight · ∂loss/∂score, in place; returns the sum of
    /// the losses.
    double apply(Real* scores, Index count, kernels::ScoreLayout layout, const Real* targets,
                 double weight) const {
        return judge_({scores, count, outputs_, layout, targets}, weight);
    }

  private:
    JudgeBlock<Real> judge_;
    bool relative_;
    Index outputs_;
    AlignedVector<Real> targets_;
};

}  // namespace alfcg

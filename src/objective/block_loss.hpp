#pragma once

#include "objective/loss_table.hpp"
#include "objective/row_share.hpp"

namespace alfcg {

/// What some samples are to be, and how much each counts.
template <class Real>
struct Truth {
    const Real* targets = nullptr;
    const Real* weights = nullptr;  // null: all alike
};

/// What a linear model is asked to predict, and how it is judged: turns blocks of scores into residuals.
template <class Real>
class BlockLoss {
  public:
    /// Numbers are to be predicted less `shift`. `rows`: those that the targets are of, unless one stands in for none. Throws Error when the
    /// weights are not some.
    BlockLoss(const Targets& targets, const LossSpec& loss, double shift, const RowShare& rows);

    /// Of all rows, class numbers or values, and weights whose mean (over all ranks) is 1; padded at the end.
    [[nodiscard]] Truth<Real> truth() const {
        return {targets_.data(), weights_.empty() ? nullptr : weights_.data()};
    }
    [[nodiscard]] Truth<Real> truth(Index first) const {
        const Truth<Real> all = truth();
        return {all.targets + first, all.weights == nullptr ? nullptr : all.weights + first};
    }

    /// Whether a sample's scores may all be shifted alike, so that its residuals add up to zero.
    [[nodiscard]] bool relative() const { return relative_; }

    /// Scores of `count` samples become weight · ∂loss/∂score, in place; returns the sum of the losses. Both times the
    /// weights of the samples.
    double apply(Real* scores, Index count, kernels::ScoreLayout layout, const Truth<Real>& truth,
                 double weight) const {
        return judge_({scores, count, outputs_, layout, truth.targets, {weight, truth.weights}});
    }

    /// Whether samples have one score each, of which bend() tells the second derivative of the loss (at least 0, and where it is
    /// straight what it bends further on), times the sample's weight, from the score and what apply() has made of it with a weight of 1.
    [[nodiscard]] bool bends() const { return bend_ != nullptr; }
    [[nodiscard]] double bend(double score, double slope, double target, double weight) const {
        return weight > 0 ? weight * bend_(score, slope / weight, target, parameter_) : 0;
    }
    /// The most that a second derivative can be, of one score or along any direction of several.
    [[nodiscard]] double most_bend() const { return most_bend_; }

  private:
    JudgeBlock<Real> judge_;
    double (*bend_)(double score, double slope, double target, double parameter);
    double most_bend_;
    double parameter_;
    bool relative_;
    Index outputs_;
    AlignedVector<Real> targets_;
    AlignedVector<Real> weights_;
};

}  // namespace alfcg

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "alfcg/data/features.hpp"
#include "alfcg/point/iterate.hpp"
#include "objective/intercept_search.hpp"

namespace alfcg {

/// The intercept of a linear model in the course of a run: where it is at a point, where it goes, and what the search for the best has learned.
template <class Real>
class FollowedIntercept : public InterceptRule {
  public:
    FollowedIntercept(const Targets& targets, const LossSpec& loss, const RowShare& rows)
        : InterceptRule(targets, loss, rows), rows_(rows) {}

    /// The mean of the rows, by their weights.
    void find_centre(const Features<Real>& features, std::span<const double> weights, int threads);
    [[nodiscard]] const std::vector<double>& centre() const { return centre_; }
    /// Of derivatives: root mean square of the residuals without features.
    void set_scale(double scale) { scale_ = scale; }

    [[nodiscard]] const std::vector<double>& at(const Iterate<Real>& x) const {
        return x.intercept().at.empty() ? start() : x.intercept().at;
    }
    /// The least mean loss, which the search goes down from `at`; `x` is where that is, or null for a point in between. `largest_score` has the size
    /// that no score is beyond; without it, `loss` is only asked for the scores as they are, and a search may be lost where it is flat.
    InterceptFound best(InterceptLoss loss, std::vector<double>& at, const Iterate<Real>* x,
                        const std::function<double()>& largest_score);
    /// A batch of rows has been judged at x; their residuals have been summed up, times `weight`.
    void move(const Iterate<Real>& x, Index rows, std::span<const double> sums, double weight) const;
    /// Takes off a gradient what residuals that do not quite add up to 0 have left in it.
    void take_off(const InterceptFound& found, Matrix<Real>& gradient) const;

    void archive(Archive& state) { state(inverse_, inverse_at_); }

  private:
    RowShare rows_;
    std::vector<double> inverse_;  // of the curvature, where the last point was that a move led to
    Version inverse_at_ = Version::none;
    double scale_ = 0;
    std::vector<double> centre_;
};

}  // namespace alfcg

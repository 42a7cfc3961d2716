#pragma once

#include <span>
#include <vector>

#include "core/function_ref.hpp"
#include "objective/loss_table.hpp"
#include "objective/row_share.hpp"

namespace alfcg {

/// The intercept of a linear model before there are any weights: where it begins, and how fast it may move.
class InterceptRule {
  public:
    InterceptRule(const Targets& targets, const LossSpec& loss, const RowShare& rows);

    /// Taken off the numbers to be predicted, before anything else: their median.
    [[nodiscard]] double shift() const { return shift_; }
    /// The best for classes, of which only the shares are known; 0 for numbers.
    [[nodiscard]] const std::vector<double>& start() const { return start_; }
    /// One over the curvature there, along each axis.
    [[nodiscard]] const std::vector<double>& pace() const { return pace_; }
    /// How far the intercept may go at a point.
    [[nodiscard]] double reach() const { return reach_; }

  private:
    double shift_ = 0;
    std::vector<double> start_;
    std::vector<double> pace_;
    double reach_;
};

/// The mean loss for these intercepts, and its derivatives.
using InterceptLoss = FunctionRef<double(std::span<const double> at, std::span<double> gradient)>;

struct InterceptFound {
    double loss = 0;
    bool certain = false;            // all derivatives are zero to the tolerance
    bool going = false;              // they are not, within a `reach` that is not infinite, or by far
    std::vector<double> derivative;  // what they are
};

/// Quasi-Newton search (BFGS) for the intercepts where all derivatives are at most `tolerance` in size. `inverse`, as
/// many rows as columns as there are intercepts, is what is known of the inverse of the curvature, before and after.
/// Losses are known up to a share of `rounding`, and no intercept moves by more than `reach`.
InterceptFound search_intercept(InterceptLoss loss, std::vector<double>& at, std::vector<double>& inverse,
                                double tolerance, double rounding, double reach);

}  // namespace alfcg

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
    /// The inverse of the curvature there, as far as that tells it.
    [[nodiscard]] std::vector<double> inverse() const;
    /// How far the intercept may go at a point.
    [[nodiscard]] double reach() const { return reach_; }

  private:
    double shift_ = 0;
    std::vector<double> start_;
    std::vector<double> pace_;
    double reach_;
};

/// The mean loss for these intercepts, where all scores are taken times `share`, and its derivatives by them.
using InterceptLoss =
    FunctionRef<double(double share, std::span<const double> at, std::span<double> gradient)>;

struct InterceptFound {
    double loss = 0;
    bool certain = false;            // all derivatives are zero to the tolerance
    bool lost = false;               // they are not, by far
    bool going = false;              // they are not, by far or within a `reach` that is not infinite
    std::vector<double> derivative;  // what they are
};

/// How exactly intercepts are found.
struct InterceptAccuracy {
    double tolerance;  // of all derivatives, in size
    double rounding;   // losses are known up to such a share
};

/// Quasi-Newton search (BFGS) for the intercepts where all derivatives are zero to the tolerance. `inverse`, as
/// many rows as columns as there are intercepts, is what is known of the inverse of the curvature, before and after.
/// No intercept moves by more than `reach`.
InterceptFound search_intercept(InterceptLoss loss, std::vector<double>& at, std::vector<double>& inverse,
                                const InterceptAccuracy& accuracy, double reach);

/// The same for scores of any size, none of them larger than `size`: where they are small, no loss is flat. So the search begins
/// with a small share of them, at the rule's start, and follows the intercepts while the share doubles. It takes as many searches as the size has
/// binary digits.
InterceptFound follow_intercept(InterceptLoss loss, const InterceptRule& rule, std::vector<double>& at,
                                std::vector<double>& inverse, const InterceptAccuracy& accuracy, double size);

}  // namespace alfcg

#pragma once

#include <memory>
#include <utility>

#include "solve/staged.hpp"

namespace alfcg {

/// A method put together from an estimator and a step rule.
template <class Real, class Rule = StepRule>
class Composed : public StagedMethod<Real> {
  public:
    Composed(std::unique_ptr<Estimator<Real>> estimator, std::unique_ptr<Rule> rule)
        : rule_(std::move(rule)), estimator_(std::move(estimator)) {}

    void moved(double distance) override { rule_->moved(distance); }
    [[nodiscard]] std::optional<double> scale() const override { return rule_->scale(); }
    [[nodiscard]] bool takes_shares() const override { return estimator_->linear(); }
    void archive(Run<Real>& /*run*/, Archive& state) override { state(*rule_, *estimator_); }

  protected:
    std::optional<double> begin(Index iteration) override { return rule_->begin(iteration); }
    Estimate estimate(Run<Real>& run, std::optional<double> alpha, Proposal<Real>& proposal) override {
        return estimator_->estimate(run.iteration(), run.x(), alpha, proposal.gradient);
    }
    double step(const StepInput& input, LineFunction& line) override { return rule_->step(input, line); }
    [[nodiscard]] std::optional<double> curvature() const override { return rule_->curvature(); }

    std::unique_ptr<Rule> rule_;

  private:
    std::unique_ptr<Estimator<Real>> estimator_;
};

template <class Real>
std::unique_ptr<Method<Real>> composed(std::unique_ptr<Estimator<Real>> estimator,
                                       std::unique_ptr<StepRule> rule) {
    return std::make_unique<Composed<Real>>(std::move(estimator), std::move(rule));
}

}  // namespace alfcg

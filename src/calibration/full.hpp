#pragma once

#include "calibration/calibrated_step.hpp"
#include "solve/staged.hpp"

namespace alfcg {

/// ALFCG-D that finds its own scale (docs/calibration.md). The vertex is the oracle's for a running mean of
/// the gradients, the step the calibrated one.
template <class Real>
class CalibratedFull final : public StagedMethod<Real> {
  public:
    explicit CalibratedFull(Objective<Real>& objective) : step_(objective) {}

    void conclude(Run<Real>& run, Iterate<Real>& x) override { step_.conclude(run, x); }
    [[nodiscard]] std::optional<double> scale() const override { return step_.curvature(); }
    [[nodiscard]] bool takes_shares() const override { return true; }
    void archive(Run<Real>& /*run*/, Archive& state) override { state(step_, mean_, going_back_); }

  protected:
    Estimate estimate(Run<Real>& run, std::optional<double> alpha, Proposal<Real>& proposal) override;
    double aim(Run<Real>& run, Proposal<Real>& proposal) override;
    double step(const StepInput& input, LineFunction& line) override;
    [[nodiscard]] std::optional<double> curvature() const override { return step_.curvature(); }

  private:
    CalibratedStep<Real> step_;
    Matrix<Real> mean_;  // of the gradients
    bool going_back_ = false;
};

}  // namespace alfcg

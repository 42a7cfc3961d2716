#pragma once

#include "calibration/checkpoint.hpp"
#include "calibration/descent.hpp"
#include "calibration/probe.hpp"
#include "solve/staged.hpp"

namespace alfcg {

/// ALFCG-D that finds its own scale (docs/calibration.md). The vertex is the oracle's for a running mean of
/// the gradients, the step a short one with the curvature that the last moves met: the secant of two
/// successive gradients, which costs nothing. A move that the next gradient shows to have gone too far is
/// taken back as far as the two slopes say.
template <class Real>
class CalibratedFull final : public StagedMethod<Real> {
  public:
    explicit CalibratedFull(Objective<Real>& objective) : probe_(objective) {}

    void conclude(Run<Real>& run, Iterate<Real>& x) override;
    [[nodiscard]] std::optional<double> scale() const override { return step_curvature(); }

  protected:
    Estimate estimate(Run<Real>& run, std::optional<double> alpha, Proposal<Real>& proposal) override;
    double aim(Run<Real>& run, Proposal<Real>& proposal) override;
    double step(const StepInput& input, LineFunction& line) override;
    [[nodiscard]] std::optional<double> curvature() const override { return step_curvature(); }

  private:
    // The last move x_{t−1} → x_t: x_t = x_{t−1} + η d.
    struct LastMove {
        Vertex<Real> from;     // x_{t−1}, as a point to go back to
        Vertex<Real> towards;  // x_{t−1} + d
        double step = 0;       // η
        double gap = 0;        // −slope of F along d at x_{t−1}, h taken as linear
        double slope = 0;      // of f alone
        double length_squared = 0;
    };

    // Slope along the last direction where this is the gradient, in units of −slope at its start: below 0 the minimum along it lies
    // further on. Also the secant between the two.
    double overshoot(const Matrix<Real>& gradient, double& secant) const;
    [[nodiscard]] double step_curvature() const;

    Probe<Real> probe_;
    Descent<Real> descent_;
    Checkpoint<Real> start_;
    Matrix<Real> mean_;  // of the gradients
    LastMove move_;
    double curvature_ = least_curvature;
    int steps_back_ = 0;  // in a row
    bool moved_ = false;  // at all
    bool going_back_ = false;
    double back_ = 0;  // share of the last move that is taken back
};

}  // namespace alfcg

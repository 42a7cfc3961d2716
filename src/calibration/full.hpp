#pragma once

#include "calibration/checkpoint.hpp"
#include "calibration/descent.hpp"
#include "calibration/probe.hpp"
#include "estimator/estimator.hpp"
#include "solve/direction.hpp"
#include "step/step.hpp"

namespace alfcg {

/// ALFCG-D that finds its own scale (docs/calibration.md). The vertex is the oracle's for a running mean of
/// the gradients, the step a short one with the curvature that the last moves met: the secant of two
/// successive gradients, which costs nothing. A move that the next gradient shows to have gone too far is
/// taken back as far as the two slopes say.
template <class Real>
class CalibratedFull final : public Estimator<Real>, public DirectionRule<Real>, public StepRule {
  public:
    explicit CalibratedFull(Objective<Real>& objective)
        : objective_(objective), probe_(objective), descent_(objective) {}

    Estimate estimate(Index iteration, const Matrix<Real>& x, std::optional<double> alpha,
                      Matrix<Real>& gradient) override;
    [[nodiscard]] bool full() const override { return true; }
    double target(Region<Real>& region, const Matrix<Real>& gradient, const Matrix<Real>& x, double tolerance,
                  Vertex<Real>& vertex, Counters& counters) override;
    double step(const StepInput& input, LineFunction& line) override;
    void settle(Region<Real>& region, Matrix<Real>& x, Counters& counters) override;
    [[nodiscard]] std::optional<double> curvature() const override { return step_curvature(); }
    [[nodiscard]] std::optional<double> scale() const override { return step_curvature(); }

  private:
    // The last move x_{t−1} → x_t: x_t = x_{t−1} + η d.
    struct Move {
        Vertex<Real> from;  // x_{t−1}, as a point to go back to
        double step = 0;    // η
        double gap = 0;     // −slope of F along d at x_{t−1}, h taken as linear
        double slope = 0;   // of f alone
        double length_squared = 0;
    };

    // Slope along the last direction at x, in units of −slope at its start: below 0 the minimum along it lies
    // further on. Also the secant between the two.
    double overshoot(const Matrix<Real>& gradient, const Matrix<Real>& x, double& secant) const;
    [[nodiscard]] double step_curvature() const;

    Objective<Real>& objective_;
    Probe<Real> probe_;
    Descent<Real> descent_;
    Checkpoint<Real> start_;
    Matrix<Real> mean_;  // of the gradients
    Move move_;
    Index iteration_ = 0;
    double curvature_ = least_curvature;
    int steps_back_ = 0;  // in a row
    bool moved_ = false;  // at all
    bool going_back_ = false;
    double back_ = 0;  // share of the last move that is taken back
};

}  // namespace alfcg

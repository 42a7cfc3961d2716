#pragma once

#include "calibration/checkpoint.hpp"
#include "calibration/descent.hpp"
#include "calibration/probe.hpp"
#include "step/step.hpp"

namespace alfcg {

/// The ALF step that finds its own scale, with full gradients (docs/calibration.md): a short one with the curvature that the
/// last moves met, the secant of two successive gradients, which costs nothing. A move that the next gradient shows to
/// have gone too far is taken back as far as the two slopes say. Which way moves go is not its business.
template <class Real>
class CalibratedStep {
  public:
    explicit CalibratedStep(Objective<Real>& objective) : probe_(objective) {}

    /// The start of a run, and a first look at the curvature on the way to a vertex that promises this gap.
    void begin(Run<Real>& run, const Matrix<Real>& gradient, const Vertex<Real>& vertex, double composite,
               double gap);
    /// The gradient where the last move has led to; true where that was too far: then the next move is the one back.
    bool went_too_far(const Matrix<Real>& gradient);
    /// x_{t−1}, as a point to go back to.
    void way_back(Vertex<Real>& point) const { remember(last_.from, last_.composite, point); }
    /// The share of the way back that is to be gone.
    double step_back();

    /// The move that is next, from x, where the composite term is this.
    void set_out(const Iterate<Real>& x, double composite, const Move<Real>& move);
    /// η for it.
    double step(const StepInput& input);
    /// The end of a run: a last move that went too far is undone, and so is everything where F is not proven to have fallen.
    void conclude(Run<Real>& run, Iterate<Real>& x);

    /// L_t.
    [[nodiscard]] double curvature() const;

    void archive(Archive& state) { state(start_, last_, curvature_, steps_back_, moved_, back_); }

  private:
    // The last move x_{t−1} → x_t: x_t = x_{t−1} + η d.
    struct LastMove {
        Iterate<Real> from;    // x_{t−1}
        double composite = 0;  // h there
        Move<Real> move;       // along d
        double step = 0;       // η
        double gap = 0;        // −slope of F along d at x_{t−1}, h taken as linear
        double slope = 0;      // of f alone
        double length_squared = 0;

        void archive(Archive& state) { state(from, composite, move, step, gap, slope, length_squared); }
    };

    // Slope along the last direction where this is the gradient, in units of −slope at its start: below 0 the minimum along it lies
    // further on. Also the secant between the two.
    double overshoot(const Matrix<Real>& gradient, double& secant) const;

    Probe<Real> probe_;
    Descent<Real> descent_;
    Checkpoint<Real> start_;
    Matrix<Real> at_end_;  // gradient
    LastMove last_;
    double curvature_ = least_curvature;
    int steps_back_ = 0;  // in a row
    bool moved_ = false;  // at all
    double back_ = 0;     // share of the last move that is taken back
};

}  // namespace alfcg

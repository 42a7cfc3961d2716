#pragma once

#include "alfcg/solve/method.hpp"

namespace alfcg {

/// Accelerated proximal gradient steps with restarts and a curvature that is found, for regions with a proximal map. x̂ and z belong
/// to the region, and so does y = (1−θ) x̂ + θ z between them, where the gradient is taken:
///
///     z ← prox_{θL}(z − ∇f(y)/(θL)),    x̂ ← prox_L(y − ∇f(y)/L),    the next θ with θ²/(1−θ) = the last θ²,
///
/// prox_w being the proximal map of weight w. One pass gives f and the certificate at y, and the iterate is the best y so far. L
/// follows the curvature between one y and the next. A y that is no better than the iterate makes the method begin anew
/// there, with θ = 1: plain proximal steps with a growing L, until one of them is better.
template <class Real>
class Accelerated final : public Method<Real> {
  public:
    void propose(Run<Real>& run, Proposal<Real>& proposal) override;
    void archive(Run<Real>& /*run*/, Archive& state) override {
        state(started_, moved_, seen_, made_, value_, curvature_, guessed_, share_, y_, trial_, met_, fits_,
              x_, z_);
        state(lowest_, mark_, least_gap_, idle_);
    }

  private:
    // A point of the region, looked at in full.
    struct Look {
        Iterate<Real> at;
        Matrix<Real> gradient;
        double value = 0;      // f
        double composite = 0;  // h

        void archive(Archive& state) { state(at, gradient, value, composite); }
    };

    // Whether the iterate is where the last proposal has led.
    [[nodiscard]] bool is_own(const Iterate<Real>& x) const;
    void look_at_iterate(Run<Real>& run, Proposal<Real>& proposal);
    void begin_anew(const Run<Real>& run, const Proposal<Real>& proposal);
    void try_next(Run<Real>& run);
    // prox_weight(from − ∇f(y)/weight).
    void step_from(Run<Real>& run, const Matrix<Real>& from, double weight, Matrix<Real>& to);
    // What the way from y to the trial says about the curvature.
    void measure_way();
    // Whether f + h is lower at the trial than anywhere before. Where rounding hides that, momentum is trusted, and a plain step
    // if the curvature that it met is not above L.
    [[nodiscard]] bool is_better(const Run<Real>& run, const Proposal<Real>& proposal) const;
    // What f + h may be off by.
    [[nodiscard]] double rounding(const Run<Real>& run, const Proposal<Real>& proposal) const;
    // Whether momentum has carried x̂ to where the next step goes back.
    [[nodiscard]] bool has_turned();
    void accept();
    // Whether neither f + h nor the gap has fallen for long.
    [[nodiscard]] bool is_stuck(const Run<Real>& run, const Proposal<Real>& proposal);

    bool started_ = false;
    bool moved_ = false;            // the last proposal did: y is where the iterate went
    Version seen_ = Version::none;  // the iterate then, and the move from there
    Version made_ = Version::none;
    double value_ = 0;      // f at the iterate
    double curvature_ = 0;  // L
    bool guessed_ = true;   // L is
    double share_ = 1;      // θ
    Look y_;
    Look trial_;        // the next y
    double met_ = 0;    // the curvature that the trial met, with caution; 0: it tells nothing
    bool fits_ = true;  // L is no less than that along the way to it
    Matrix<Real> x_;    // x̂
    Matrix<Real> z_;
    Matrix<Real> next_x_;
    Matrix<Real> next_z_;
    Matrix<Real> scratch_;
    Vertex<Real> nearest_;

    double lowest_ = 0;     // f + h
    double mark_ = 0;       // f + h when it last fell by more than rounding
    double least_gap_ = 0;  // the gap when it last fell by much
    int idle_ = 0;          // iterations since either did
};

}  // namespace alfcg

#pragma once

#include "alfcg/solve/method.hpp"
#include "step/step.hpp"

namespace alfcg {

/// f and h along a move.
template <class Real>
class AlongMove final : public LineFunction {
  public:
    /// `trial` is memory for x + η d.
    AlongMove(Run<Real>& run, const Move<Real>& move, Iterate<Real>& trial)
        : run_(run), move_(move), trial_(trial) {}

    double smooth(double step) override {
        ++run_.account().counters.function_evaluations;
        step_ = step;
        return run_.objective().value_after(run_.x(), move_, step);
    }
    double slope(double step) override {
        ++run_.account().counters.function_evaluations;
        return run_.objective().slope_after(run_.x(), move_, step);
    }
    double composite() override {
        trial_.stand_at(run_.x());
        trial_.make(move_, step_);
        return composite_at(run_.region(), trial_);
    }

  private:
    Run<Real>& run_;
    const Move<Real>& move_;
    Iterate<Real>& trial_;
    double step_ = 0;
};

}  // namespace alfcg

#pragma once

#include "alfcg/objective/objective.hpp"
#include "alfcg/solve/solve.hpp"
#include "calibration/checkpoint.hpp"

namespace alfcg {

/// Compares F at two points by slopes on the way between them, without a function value.
template <class Real>
class Descent {
  public:
    explicit Descent(Objective<Real>& objective) : objective_(objective) {}

    /// Whether F(x) ≤ F at the point known; true only where that is proven for convex f, whose slopes rise
    /// along the way and so bound it on both sides. While the bounds disagree on the sign, a look is taken
    /// where they differ most, each one counted gradient.
    bool proven(const Checkpoint<Real>& known, const Matrix<Real>& x, const Matrix<Real>& gradient_at_x,
                double composite, Counters& counters);
    /// The same with a first look at x.
    bool proven(const Checkpoint<Real>& known, const Matrix<Real>& x, double composite, Counters& counters);

  private:
    void look(const Matrix<Real>& at, Matrix<Real>& gradient, Counters& counters);

    Objective<Real>& objective_;
    Matrix<Real> at_x_;
    Matrix<Real> middle_;
    Matrix<Real> at_middle_;
};

}  // namespace alfcg

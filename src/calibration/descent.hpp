#pragma once

#include "alfcg/solve/method.hpp"
#include "calibration/checkpoint.hpp"

namespace alfcg {

/// Compares F at two points by slopes on the way between them, without a function value.
template <class Real>
class Descent {
  public:
    /// Whether F(x) ≤ F at the point known; true only where that is proven for convex f, whose slopes rise
    /// along the way and so bound it on both sides. While the bounds disagree on the sign, a look is taken
    /// where they differ most, each one counted gradient.
    bool proven(Run<Real>& run, const Checkpoint<Real>& known, const Iterate<Real>& x,
                const Matrix<Real>& gradient_at_x, double composite);
    /// The same with a first look at x.
    bool proven(Run<Real>& run, const Checkpoint<Real>& known, const Iterate<Real>& x, double composite);

  private:
    Matrix<Real> at_x_;
    Iterate<Real> middle_;
    Matrix<Real> at_middle_;
};

}  // namespace alfcg

#pragma once

#include "estimator/estimator.hpp"
#include "solve/direction.hpp"
#include "step/step.hpp"

namespace alfcg {

/// Conditional gradient sliding (Lan and Zhou). The iterate of the loop is y; this object keeps the second
/// sequence x. With k = t+1: γ = 3/(k+2), β = 3L/(k+1), z = (1−γ)y + γx; the gradient is taken at z, a few
/// conditional gradient steps on <∇f(z),u> + (β/2)‖u−x‖² + h(u) from u = x make the new x, and y moves
/// towards it by γ.
template <class Real>
class Sliding final : public Estimator<Real>, public DirectionRule<Real>, public StepRule {
  public:
    Sliding(Objective<Real>& objective, double lipschitz, Index inner_steps)
        : objective_(objective), lipschitz_(lipschitz), inner_steps_(inner_steps) {}

    Estimate estimate(Index iteration, const Matrix<Real>& y, std::optional<double> alpha,
                      Matrix<Real>& gradient) override;
    double target(Region<Real>& region, const Matrix<Real>& gradient, const Matrix<Real>& y, double tolerance,
                  Vertex<Real>& vertex, Counters& counters) override;
    double step(const StepInput& input, LineFunction& line) override;
    [[nodiscard]] std::optional<double> curvature() const override { return lipschitz_; }

  private:
    Objective<Real>& objective_;
    double lipschitz_;
    Index inner_steps_;
    double gamma_ = 1;
    double beta_ = 0;
    Matrix<Real> x_;               // prox centre
    Matrix<Real> z_;               // where the gradient is taken
    Matrix<Real> inner_gradient_;  // ∇f(z) + β(u − x)
    Vertex<Real> corner_;
};

}  // namespace alfcg

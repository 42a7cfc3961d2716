#pragma once

#include "solve/staged.hpp"

namespace alfcg {

/// Conditional gradient sliding (Lan and Zhou). The iterate of the loop is y; this object keeps the second
/// sequence x. With k = t+1: γ = 3/(k+2), β = 3L/(k+1), z = (1−γ)y + γx; the gradient is taken at z, a few
/// conditional gradient steps on <∇f(z),u> + (β/2)‖u−x‖² + h(u) from u = x make the new x, and y moves
/// towards it by γ.
template <class Real>
class Sliding final : public StagedMethod<Real> {
  public:
    Sliding(double lipschitz, Index inner_steps) : lipschitz_(lipschitz), inner_steps_(inner_steps) {}

    void archive(Run<Real>& /*run*/, Archive& state) override { state(x_, z_); }

  protected:
    Estimate estimate(Run<Real>& run, std::optional<double> alpha, Proposal<Real>& proposal) override;
    double aim(Run<Real>& run, Proposal<Real>& proposal) override;
    double step(const StepInput& /*input*/, LineFunction& /*line*/) override { return gamma_; }
    [[nodiscard]] std::optional<double> curvature() const override { return lipschitz_; }

  private:
    double lipschitz_;
    Index inner_steps_;
    double gamma_ = 1;
    double beta_ = 0;
    Matrix<Real> x_;               // prox centre
    Iterate<Real> z_;              // where the gradient is taken
    Matrix<Real> inner_gradient_;  // ∇f(z) + β(u − x)
    Vertex<Real> corner_;
};

}  // namespace alfcg

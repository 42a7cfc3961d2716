#pragma once

#include "alfcg/solve/method.hpp"
#include "estimator/estimator.hpp"
#include "step/step.hpp"

namespace alfcg {

/// A method that estimates the gradient, then asks where to go, then how far: what all but the corrective ones do.
template <class Real>
class StagedMethod : public Method<Real> {
  public:
    void propose(Run<Real>& run, Proposal<Real>& proposal) final;

  protected:
    /// Before g_t is formed; α_t, where the step steers the momentum.
    virtual std::optional<double> begin(Index /*iteration*/) { return std::nullopt; }
    /// g_t into proposal.gradient, which holds g_{t−1}; proposal.move is still the last one.
    virtual Estimate estimate(Run<Real>& run, std::optional<double> alpha, Proposal<Real>& proposal) = 0;
    /// The move, and its slack: every method but a few goes towards the oracle's point for g_t.
    virtual double aim(Run<Real>& run, Proposal<Real>& proposal) {
        return run.find_aim(proposal.gradient, proposal.move.towards());
    }
    /// η_t.
    virtual double step(const StepInput& input, LineFunction& line) = 0;
    /// L_t, where there is one.
    [[nodiscard]] virtual std::optional<double> curvature() const { return std::nullopt; }

  private:
    Iterate<Real> trial_;  // x + η d of a search
};

}  // namespace alfcg

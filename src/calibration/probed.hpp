#pragma once

#include <memory>
#include <utility>

#include "calibration/probe.hpp"
#include "estimator/batches.hpp"
#include "solve/composed.hpp"
#include "step/alf.hpp"

namespace alfcg {

/// The one-probe rule (spec 9): ρ is the curvature along the first direction, and ALFCG is applied to
/// f/‖∇f(x_0)‖, on which the 1 in 1 + S has its meaning.
template <class Real>
class ProbedAlf final : public Composed<Real, AlfStep> {
  public:
    enum class Rows {
        estimate,  // the first estimate is ∇f(x_0): one more full gradient
        all_rows,  // two full gradients
        one_batch  // two gradients of a batch of its own
    };
    ProbedAlf(std::unique_ptr<Estimator<Real>> estimator, std::unique_ptr<AlfStep> step,
              Objective<Real>& objective, Batches& batches, Rows rows, Index batch)
        : Composed<Real, AlfStep>(std::move(estimator), std::move(step)),
          probe_(objective),
          batches_(batches),
          probed_rows_(rows),
          batch_(batch) {}

  protected:
    double aim(Run<Real>& run, Proposal<Real>& proposal) override;

  private:
    Probe<Real> probe_;
    Batches& batches_;
    Rows probed_rows_;
    Index batch_;
};

}  // namespace alfcg

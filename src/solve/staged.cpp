#include "solve/staged.hpp"

namespace alfcg {

namespace {

// f and h along a move.
template <class Real>
class AlongMove final : public LineFunction {
  public:
    AlongMove(Run<Real>& run, const Move<Real>& move, Matrix<Real>& trial)
        : run_(run), move_(move), trial_(trial) {}

    double smooth(double step) override {
        ++run_.account().counters.function_evaluations;
        step_ = step;
        return run_.objective().value_after(run_.x(), move_, step);
    }
    double composite() override {
        trial_ = run_.x().matrix();
        apply(move_, step_, trial_);
        return run_.region().composite(trial_);
    }

  private:
    Run<Real>& run_;
    const Move<Real>& move_;
    Matrix<Real>& trial_;
    double step_ = 0;
};

}  // namespace

template <class Real>
void StagedMethod<Real>::propose(Run<Real>& run, Proposal<Real>& proposal) {
    Account& account = run.account();
    const Index iteration = run.iteration();
    const auto alpha = begin(iteration);
    {
        const auto charge = account.charge(&Timings::gradient);
        const Estimate estimated = estimate(run, alpha, proposal);
        account.counters.component_gradients += estimated.cost;
        proposal.value = estimated.value;
        proposal.alpha = estimated.alpha;
    }
    {
        const auto charge = account.charge(&Timings::oracle);
        proposal.slack = aim(run, proposal);
    }
    run.measure(proposal);
    const StepInput input{.iteration = iteration,
                          .gap = proposal.gap,
                          .length_squared = proposal.direction.length_squared,
                          .slope = proposal.direction.slope,
                          .value = proposal.value,
                          .composite = proposal.composite};
    AlongMove<Real> line(run, proposal.move, trial_);
    proposal.step = step(input, line);
    proposal.curvature = curvature();
}

template class StagedMethod<float>;
template class StagedMethod<double>;

}  // namespace alfcg

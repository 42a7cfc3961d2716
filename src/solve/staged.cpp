#include "solve/staged.hpp"

#include "solve/along_move.hpp"

namespace alfcg {

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

#include "calibration/probed.hpp"

namespace alfcg {

template <class Real>
double ProbedAlf<Real>::aim(Run<Real>& run, Proposal<Real>& proposal) {
    Vertex<Real>& vertex = proposal.move.towards();
    const double slack = run.find_aim(proposal.gradient, vertex);
    if (run.iteration() > 0) return slack;
    const auto charge = run.account().charge(&Timings::gradient);
    const Index samples = run.objective().samples();
    Index cost = samples;
    if (probed_rows_ == Rows::estimate) {
        this->rule_->set_scale(probe_.curvature({}, run.x(), proposal.gradient, vertex, first_probe),
                               norm(proposal.gradient));
    } else {
        const bool all = probed_rows_ == Rows::all_rows || batch_ >= samples;
        const auto rows = all ? std::span<const Index>() : batches_.draw(batch_);
        const double curvature = probe_.curvature(rows, run.x(), vertex, first_probe);
        this->rule_->set_scale(curvature, norm(probe_.gradient()));
        cost = 2 * (all ? samples : static_cast<Index>(rows.size()));
    }
    run.account().counters.component_gradients += cost;
    return slack;
}

template class ProbedAlf<float>;
template class ProbedAlf<double>;

}  // namespace alfcg

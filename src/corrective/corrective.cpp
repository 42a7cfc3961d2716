#include "corrective/corrective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/memory.hpp"
#include "corrective/on_samples.hpp"

namespace alfcg {

namespace {

// What may be kept where nobody says: this, or a quarter of the data.
constexpr Index modest_bytes = Index{64} << 20;

// Of scores, starts of rows and the like, which inner steps have beside it for every row.
constexpr Index bytes_beside = 48;

// No more than half of what is free; of small data nothing depends on that.
Index usual_memory(Index data_bytes, Index rows) {
    if (data_bytes / 4 <= modest_bytes) return modest_bytes;
    const Index free = static_cast<Index>(free_memory()) - bytes_beside * rows;
    return std::min(data_bytes / 4, std::max(modest_bytes, free / 2));
}

template <class Real>
std::unique_ptr<Corrector<Real>> corrector_for(const Objective<Real>& objective, const Region<Real>& region,
                                               const Iterate<Real>& x, Index memory) {
    const auto ball = region.ball();
    const Shape shape = x.shape();
    if (x.factors() != nullptr) {
        if (!ball || ball->norm != Ball::Norm::nuclear || !ball->composite.zero())
            throw Error(
                "alfcg-c sweeps over factors in a nuclear ball without composite terms only: use another "
                "`method`");
        return factor_corrector<Real>(*ball);
    }
    if (ball && ball->norm == Ball::Norm::lp && ball->p == 1) return l1_corrector<Real>(*ball, memory);
    if (ball && ball->norm == Ball::Norm::nuclear) return nuclear_corrector<Real>(*ball, memory);
    if (ball && ball->norm == Ball::Norm::lp && ball->p >= 2 && std::isfinite(ball->p) &&
        ball->composite.l1 == 0 && shape.rows > 1 && has_many_rows(objective))
        return lp_corrector<Real>(*ball, memory);
    if (region.has_proximal(shape)) return smooth_corrector<Real>(memory);
    return hull_corrector<Real>(memory);
}

}  // namespace

template <class Real>
void Corrective<Real>::propose(Run<Real>& run, Proposal<Real>& proposal) {
    if (!corrector_) {
        corrector_ = make_corrector(run);
        if (run.x().factors() != nullptr || !run.region().has_proximal(run.x().shape()) ||
            !corrector_->is_even(run))
            rival_.reset();
    }
    if (rival_ && turns_.is_rivals()) {
        rival_->propose(run, proposal);
        look(run, proposal);
        if (!std::exchange(proposal.exhausted, false)) return;
        rival_.reset();  // inner steps may tell more points apart
    }
    proposal.value = run.full_gradient(proposal.gradient);
    run.require_finite(*proposal.value);  // inner steps could not go on
    // Where the last way led along a sum of many pairs, that is large: there is one of them, not two.
    if (proposal.move.atoms() > 0 && proposal.move.atom().kind == Vertex<Real>::Kind::low_rank)
        std::swap(proposal.move, better_);
    run.aim(proposal);
    proposal.step = 0;
    // Asked again at the same point, there is more to do: what proves the gap has found it larger.
    if (run.ends_at(proposal) && std::exchange(ended_at_, run.x().version()) != run.x().version()) return;
    if (rival_) look(run, proposal);
    double step = 0;
    if (!corrector_->correct(run, proposal, better_, step)) {
        proposal.exhausted = true;
        return;
    }
    // The certificate stays that of the oracle's answer, which was asked for all of the gradient.
    std::swap(proposal.move, better_);
    proposal.direction = direction(proposal.move, proposal.gradient, run.x());
    proposal.step = step;
}

template <class Real>
std::unique_ptr<Corrector<Real>> Corrective<Real>::make_corrector(Run<Real>& run) const {
    const Index data = run.objective().entries() * static_cast<Index>(sizeof(Real));
    const Index rows = run.objective().samples();
    Ranks* const ranks = run.objective().ranks();
    Index memory = memory_ ? *memory_ : usual_memory(data, ranks == nullptr ? rows : rows / ranks->size());
    // Ranks go the same way, however much each has.
    if (ranks != nullptr) memory = ranks->told(memory);
    return corrector_for(run.objective(), run.region(), run.x(), memory);
}

template <class Real>
void Corrective<Real>::archive(Run<Real>& run, Archive& state) {
    if (state.has(corrector_, [&] { return make_corrector(run); })) corrector_->archive(run, state);
    bool has_rival = rival_ != nullptr;
    state(has_rival, turns_, ended_at_);
    if (!has_rival) rival_.reset();
    if (rival_) rival_->archive(run, state);
}

template <class Real>
void Corrective<Real>::look(Run<Real>& run, const Proposal<Real>& proposal) {
    turns_.look(*proposal.value + proposal.composite, proposal.gap,
                static_cast<double>(run.account().counters.component_gradients) /
                    static_cast<double>(run.objective().samples()));
}

template class Corrective<float>;
template class Corrective<double>;

}  // namespace alfcg

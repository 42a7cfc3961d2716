#include "active/active_moves.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "solve/along_move.hpp"

namespace alfcg {

namespace {

// Units of rounding between x and its atoms after which x is written anew from them.
constexpr double most_drift = 64;
// Of values of f, for searches.
template <class Real>
constexpr double value_rounding = sizeof(Real) == sizeof(float) ? 1e-6 : 1e-12;
// Units in the last place of h that say nothing.
constexpr double composite_rounding = 1e2;

}  // namespace

template <class Real>
ActiveMethod<Real>::ActiveMethod(Objective<Real>& objective, ActiveMoves moves,
                                 std::unique_ptr<StepRule> rule)
    : moves_(moves), rule_(std::move(rule)) {
    if (!rule_) calibrated_.emplace(objective);
}

template <class Real>
void ActiveMethod<Real>::propose(Run<Real>& run, Proposal<Real>& proposal) {
    const Matrix<Real>& x = run.x().matrix();
    const bool first = run.iteration() == 0;
    proposal.value = run.full_gradient(proposal.gradient);
    proposal.step = 0;
    if (calibrated_ && !judged_ && calibrated_->went_too_far(proposal.gradient))
        return go_back(run, proposal);
    judged_ = true;
    proposal.slack = run.find_aim(proposal.gradient, proposal.move.towards());
    run.measure(proposal);
    if (first) {
        set_.start(x, proposal.composite);
        if (calibrated_)
            calibrated_->begin(run, proposal.gradient, proposal.move.atom(), proposal.composite,
                               proposal.gap);
    }
    set_.settle(run.region());
    if (run.ends_at(proposal)) return;
    // With atoms f + h is replaced by f + Σ weight · h(atom), which lies above by an excess. No step can win more than the gap
    // and the excess together: where the excess is the greater part, x as an atom of its own wins half of it at once.
    double excess = set_.composite() - proposal.composite;
    const double rounding = composite_rounding * static_cast<double>(std::numeric_limits<Real>::epsilon());
    if (excess > rounding * std::abs(proposal.composite) && excess >= proposal.gap) {
        set_.start(x, proposal.composite);
        excess = 0;
        drift_ = 0;
    }
    const Choice choice = choose(proposal, excess);
    proposal.step = step_along(run, proposal, choice.rise);
    proposal.curvature = calibrated_ ? std::optional(calibrated_->curvature()) : rule_->curvature();
    if (!(proposal.step > 0)) {
        proposal.exhausted = true;
        return;
    }
    update_set(choice, proposal);
    judged_ = false;
    if (drift_ > most_drift) renew_point(run, proposal);
}

template <class Real>
void ActiveMethod<Real>::go_back(Run<Real>& run, Proposal<Real>& proposal) {
    calibrated_->way_back(proposal.move.towards());
    proposal.slack = std::numeric_limits<double>::infinity();
    run.measure(proposal);
    proposal.step = calibrated_->step_back();
    proposal.curvature = calibrated_->curvature();
    set_.step_back(proposal.step);
    drift_ += 1;
}

// The oracle's answer is the first atom of the proposal's move, and stays it where it is part of another.
template <class Real>
typename ActiveMethod<Real>::Choice ActiveMethod<Real>::choose(Proposal<Real>& proposal, double excess) {
    using Kind = typename Choice::Kind;
    Move<Real>& move = proposal.move;
    const auto ends = set_.ends(proposal.gradient);
    const double forward = proposal.gap + excess;
    const double composite = proposal.composite + excess;
    const double weight = set_.weight(ends.most);
    const double left = set_.atom(ends.most).composite;
    Choice choice;
    choice.from = ends.most;
    choice.rise = move.atom().composite - composite;
    if (set_.size() == 1) return choice;
    switch (moves_) {
        case ActiveMoves::away:
            if (forward >= ends.at_most - ends.mean) return choice;
            choice.kind = Kind::away;
            choice.rise = composite - left;
            move.away(weight / (1 - weight)) = set_.atom(ends.most);
            break;
        case ActiveMoves::pairwise:
            choice.kind = Kind::across;
            choice.rise = move.atom().composite - left;
            move.pairwise(weight)[1] = set_.atom(ends.most);
            break;
        case ActiveMoves::blended: {
            if (ends.at_most - ends.at_least < forward) return choice;
            choice.kind = Kind::across;
            choice.to = ends.least;
            choice.rise = set_.atom(ends.least).composite - left;
            auto& atoms = move.pairwise(weight);
            atoms[0] = set_.atom(ends.least);
            atoms[1] = set_.atom(ends.most);
            break;
        }
    }
    return choice;
}

template <class Real>
double ActiveMethod<Real>::step_along(Run<Real>& run, Proposal<Real>& proposal, double rise) {
    const Matrix<Real>& x = run.x().matrix();
    const Move<Real>& move = proposal.move;
    proposal.direction = direction(move, proposal.gradient, x);
    const StepInput input{.iteration = run.iteration(),
                          .gap = -proposal.direction.slope - rise,
                          .length_squared = proposal.direction.length_squared,
                          .slope = proposal.direction.slope,
                          .value = proposal.value,
                          .composite = proposal.composite,
                          .longest = move.longest(),
                          .rounding = value_rounding<Real>};
    if (!calibrated_) {
        AlongMove<Real> line(run, move, trial_);
        return rule_->step(input, line);
    }
    calibrated_->set_out(run.x(), proposal.composite, move);
    return calibrated_->step(input);
}

template <class Real>
void ActiveMethod<Real>::update_set(const Choice& choice, const Proposal<Real>& proposal) {
    using Kind = typename Choice::Kind;
    const double step = proposal.step;
    const bool whole = step == proposal.move.longest();
    switch (choice.kind) {
        case Kind::towards:
            set_.step_towards(set_.find_or_add(proposal.move.atom()), step);
            drift_ = (1 - step) * drift_ + 1;
            break;
        case Kind::away:
            set_.step_away(choice.from, step, whole);
            drift_ = (1 + step) * (drift_ + 1);
            break;
        case Kind::across:
            set_.step_across(choice.to ? *choice.to : set_.find_or_add(proposal.move.atom()), choice.from,
                             step, whole);
            drift_ += 1;
            break;
    }
}

// The step leads to where the atoms say, in the form of a whole step to that point.
template <class Real>
void ActiveMethod<Real>::renew_point(Run<Real>& run, Proposal<Real>& proposal) {
    Vertex<Real>& point = proposal.move.towards();
    point.kind = Vertex<Real>::Kind::dense;
    set_.write_point(point.dense);
    point.shape = point.dense.shape();
    point.composite = set_.composite();
    proposal.direction = direction(proposal.move, proposal.gradient, run.x().matrix());
    proposal.step = 1;
    drift_ = 1;
}

template <class Real>
void ActiveMethod<Real>::moved(double distance) {
    if (rule_) rule_->moved(distance);
}

template <class Real>
void ActiveMethod<Real>::conclude(Run<Real>& run, Iterate<Real>& x) {
    if (calibrated_) calibrated_->conclude(run, x);
}

template <class Real>
void ActiveMethod<Real>::archive(Run<Real>& /*run*/, Archive& state) {
    if (calibrated_) state(*calibrated_);
    if (rule_) state(*rule_);
    state(set_, judged_, drift_);
}

template class ActiveMethod<float>;
template class ActiveMethod<double>;

}  // namespace alfcg

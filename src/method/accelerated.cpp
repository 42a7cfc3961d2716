#include "method/accelerated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// The first step goes about this share of the way to the oracle's answer: it is there to meet a curvature.
constexpr double first_share = 0.01;
// Of a step that met less curvature than L, L keeps this share, and of one that was a guess this.
constexpr double forgotten = 0.9;
constexpr double forgotten_guess = 0.1;
// L is so much above the curvature met: other directions are steeper.
constexpr double caution = 1.3;
// Iterations without any progress after which rounding has the last word.
constexpr int most_idle = 50;
// A gap has fallen when it is below this share of what it was.
constexpr double fallen = 0.9;

// Units in the last place, of f + h and of a gradient, that rounding may hide.
constexpr double value_rounding = 8;
constexpr double gradient_rounding = 32;

template <class Real>
constexpr double unit = static_cast<double>(std::numeric_limits<Real>::epsilon());

template <class Real>
double norm_of(const Matrix<Real>& m) {
    return std::sqrt(kernels::direction(m.size(), m.data(), m.data(), 0, nullptr).length_squared);
}

// θ with θ²/(1−θ) = this.
double next_share(double square) {
    return std::min(1.0, (std::sqrt(square * square + 4 * square) - square) / 2);
}

}  // namespace

template <class Real>
bool Accelerated<Real>::is_own(const Iterate<Real>& x) const {
    if (!moved_) return x.version() == seen_;
    const MadeMove<Real>* last = x.last_move();
    return last != nullptr && last->from == seen_ && last->move == made_;
}

template <class Real>
void Accelerated<Real>::look_at_iterate(Run<Real>& run, Proposal<Real>& proposal) {
    const bool elsewhere = !is_own(run.x());
    if (elsewhere) {
        value_ = run.full_gradient(proposal.gradient);
    } else if (moved_) {
        proposal.gradient = y_.gradient;
    }
    proposal.value = value_;
    if (elsewhere || moved_) run.aim(proposal);
    if (elsewhere && started_) {
        lowest_ = value_ + proposal.composite;
        begin_anew(run, proposal);
    }
    seen_ = run.x().version();
}

template <class Real>
void Accelerated<Real>::begin_anew(const Run<Real>& run, const Proposal<Real>& proposal) {
    y_.at.stand_at(run.x());
    y_.gradient = proposal.gradient;
    y_.value = value_;
    x_ = run.x().matrix();
    z_ = x_;
    share_ = 1;
}

template <class Real>
void Accelerated<Real>::step_from(Run<Real>& run, const Matrix<Real>& from, double weight, Matrix<Real>& to) {
    const auto charge = run.account().charge(&Timings::oracle);
    scratch_ = from;
    kernels::axpby(from.size(), -1 / weight, y_.gradient.data(), 1, scratch_.data());
    if (!run.region().proximal(scratch_, weight, nearest_))
        throw QuantityError("method", "accelerated needs the nearest point of a region, which the " +
                                          run.region().describe() + " cannot give for " +
                                          std::to_string(from.rows()) + " x " + std::to_string(from.cols()) +
                                          " weights; alfcg-d, alfcg-fs and all others do without");
    to.reshape(from.shape());
    move_towards(nearest_, 1, to);
}

template <class Real>
void Accelerated<Real>::try_next(Run<Real>& run) {
    step_from(run, z_, share_ * curvature_, next_z_);
    if (share_ < 1) step_from(run, y_.at.matrix(), curvature_, next_x_);
    const double share = next_share(share_ * share_);
    Matrix<Real>& y = trial_.at.rewrite();
    y = next_z_;
    if (share_ < 1) {
        kernels::axpby(y.size(), 1 - share, next_x_.data(), share, y.data());
    } else {
        next_x_ = next_z_;
    }
    trial_.value = run.full_gradient(trial_.at, trial_.gradient);
    trial_.composite = run.region().composite(y);
}

template <class Real>
double Accelerated<Real>::rounding(const Run<Real>& run, const Proposal<Real>& proposal) const {
    // A point is of the region to rounding, and f changes by what that is worth.
    const double edge = norm_of(proposal.gradient) * norm_of(run.x().matrix());
    return value_rounding * unit<Real> * std::max({std::abs(value_), std::abs(proposal.composite), edge});
}

template <class Real>
void Accelerated<Real>::measure_way() {
    kernels::subtract(scratch_.size(), trial_.gradient.data(), y_.gradient.data(), scratch_.data());
    const kernels::Direction way = kernels::direction(scratch_.size(), scratch_.data(), y_.at.matrix().data(),
                                                      1, trial_.at.matrix().data());
    const double change = norm_of(scratch_);
    const bool told = way.slope > 0 && change > gradient_rounding * unit<Real> * norm_of(y_.gradient);
    met_ = told ? caution * change * (change / way.slope) : 0;
    fits_ = way.slope <= curvature_ * way.length_squared;
}

template <class Real>
bool Accelerated<Real>::is_better(const Run<Real>& run, const Proposal<Real>& proposal) const {
    const double change = trial_.value + trial_.composite - lowest_;
    if (!(std::abs(change) <= rounding(run, proposal))) return change < 0;
    return share_ < 1 || fits_;
}

template <class Real>
bool Accelerated<Real>::has_turned() {
    const Index n = x_.size();
    kernels::subtract(n, y_.at.matrix().data(), next_x_.data(), scratch_.data());
    return kernels::direction(n, scratch_.data(), x_.data(), 1, next_x_.data()).slope > 0;
}

template <class Real>
bool Accelerated<Real>::is_stuck(const Run<Real>& run, const Proposal<Real>& proposal) {
    const double objective = value_ + proposal.composite;
    const bool lower = !started_ || objective < mark_ - rounding(run, proposal);
    const bool nearer = !started_ || proposal.gap < fallen * least_gap_;
    if (lower) mark_ = objective;
    if (nearer) least_gap_ = proposal.gap;
    lowest_ = started_ ? std::min(lowest_, objective) : objective;
    idle_ = lower || nearer ? 0 : idle_ + 1;
    return idle_ > most_idle;
}

template <class Real>
void Accelerated<Real>::propose(Run<Real>& run, Proposal<Real>& proposal) {
    look_at_iterate(run, proposal);
    proposal.step = 0;
    proposal.exhausted = is_stuck(run, proposal);
    moved_ = false;
    if (proposal.exhausted || run.ends_at(proposal)) return;
    if (!started_) {
        curvature_ = norm_of(proposal.gradient) / std::sqrt(proposal.direction.length_squared) / first_share;
        if (!(curvature_ > 0 && std::isfinite(curvature_))) curvature_ = 1;
        begin_anew(run, proposal);
        started_ = true;
    }

    try_next(run);
    measure_way();
    proposal.curvature = curvature_;
    if (!is_better(run, proposal)) {
        curvature_ = std::max(met_, share_ < 1 ? curvature_ : 2 * curvature_);
        begin_anew(run, proposal);
        return;
    }
    // The certificate stays that of the oracle's answer.
    Vertex<Real>& vertex = proposal.move.towards();
    vertex.kind = Vertex<Real>::Kind::dense;
    vertex.shape = trial_.at.shape();
    vertex.dense = trial_.at.matrix();
    vertex.composite = trial_.composite;
    proposal.direction = direction(proposal.move, proposal.gradient, run.x().matrix());
    proposal.step = 1;
    made_ = proposal.move.version();
    moved_ = true;
    accept();
}

template <class Real>
void Accelerated<Real>::accept() {
    const double next = std::max(met_, (guessed_ ? forgotten_guess : forgotten) * curvature_);
    guessed_ = guessed_ && met_ < next;
    const double square = share_ * share_ * (curvature_ / next);
    const bool turned = share_ < 1 && has_turned();
    share_ = turned ? 1 : next_share(square);
    curvature_ = next;
    value_ = trial_.value;
    std::swap(y_, trial_);
    std::swap(x_, next_x_);
    std::swap(z_, next_z_);
    if (!turned) return;
    x_ = y_.at.matrix();
    z_ = x_;
}

template class Accelerated<float>;
template class Accelerated<double>;

}  // namespace alfcg

#include "calibration/batches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alfcg {

namespace {

// Plain numbers without units; docs/calibration.md says how much they matter.
constexpr double too_far = 0.5;       // slope at the end of a part of the way over −slope at its start
constexpr double hardly_a_way = 0.2;  // share of it that is not worth a gradient of its own
constexpr double hopeless = 1e3;      // the ratio where it did not even start downhill
constexpr double storm_power = 0.8;
// β of EMA's momentum: old gradients stay true for long where the cap below decides on the step, and not where
// curvature does.
constexpr double beta_at_the_cap = 300;
constexpr double beta_below_it = 60;
constexpr double least_reliability = 0.2;
// An average of old gradients goes on where a new one would turn round: its directions may be worth next to nothing.
constexpr double least_reliability_ema = 0.05;
constexpr double alarm_ratio = 3;
// No step is longer than m/(t + m): noise needs ever shorter steps, whatever the batches say.
constexpr double open_loop = 4;
constexpr double open_loop_ema = 2;
// The mean of EMA's way: of points a thirtieth of it apart, whose weights grow as the square of t.
constexpr Index parts_of_way = 30;
constexpr double mean_power = 2;

}  // namespace

template <class Real>
CalibratedBatches<Real>::CalibratedBatches(Objective<Real>& objective, Batches& batches, const Parts& parts)
    : batches_(batches),
      sampler_(objective, batches),
      probe_(objective),
      parts_(parts),
      samples_(objective.samples()),
      averages_(parts.kind == Kind::ema && objective.pattern() == nullptr),
      trust_(parts.kind == Kind::ema ? least_reliability_ema : least_reliability, averages_) {}

template <class Real>
bool CalibratedBatches<Real>::full_gradient_due() const {
    if (full_due_) return true;
    switch (parts_.kind) {
        case Kind::spider:
            return since_full_ >= parts_.period;
        case Kind::storm:
            return epochs() >= next_full_;
        case Kind::ema:
            break;
    }
    return false;
}

template <class Real>
double CalibratedBatches<Real>::momentum() const {
    const auto t = static_cast<double>(iteration_);
    const double elapsed = 1 + (parts_.beta ? t * *parts_.beta : noise_) + trust_.accumulated();
    if (parts_.kind == Kind::ema) return 1 / std::sqrt(elapsed);
    if (!parts_.beta) return std::pow(t + 1, -storm_power);
    const double root = std::cbrt((1 + *parts_.beta + trust_.largest()) / elapsed);
    return iteration_ == 0 ? 1.0 : std::min(alpha_, root * root);
}

template <class Real>
Estimate CalibratedBatches<Real>::estimate(Run<Real>& run, std::optional<double> /*alpha*/,
                                           Proposal<Real>& proposal) {
    const Iterate<Real>& x = run.x();
    iteration_ = run.iteration();
    going_ = Going::on;
    alpha_ = momentum();
    Estimate answer;
    if (parts_.kind != Kind::spider) answer.alpha = alpha_;
    full_ = at_known_ || full_gradient_due();
    if (at_known_) {
        proposal.gradient = safe_.gradient;
    } else if (full_) {
        answer.value = run.full_gradient(proposal.gradient);
        used_ += samples_;
        if (const auto slope = slope_along(proposal, x)) see_slope(*slope);
    } else {
        answer.cost = look_at_batch(x, proposal);
    }
    used_ += answer.cost;
    since_full_ = full_ ? 1 : since_full_ + 1;
    if (full_ && epochs() >= next_full_) next_full_ = std::max(epochs() + 1, 2 * next_full_);
    full_due_ = false;
    if (parts_.kind != Kind::ema || iteration_ + 1 >= next_secant_) previous_.stand_at(x);
    return answer;
}

template <class Real>
std::optional<double> CalibratedBatches<Real>::slope_along(const Proposal<Real>& last,
                                                           const Iterate<Real>& x) const {
    // x_t = x_{t−1} + η d and v − x_t = (1 − η) d.
    if (!(step_ > 0) || !(step_ < 1)) return std::nullopt;
    return direction_to(last.move.atom(), last.gradient, x).slope / (1 - step_);
}

template <class Real>
void CalibratedBatches<Real>::see_slope(double slope) {
    // What the direction was worth where it began: the slope where it ended, less what curvature added.
    const double added = step_ * trust_.secant() * length_squared_;
    trust_.see_gap(iteration_, gap_, composite_gain_ - slope + added);
}

template <class Real>
Index CalibratedBatches<Real>::look_at_batch(const Iterate<Real>& x, Proposal<Real>& proposal) {
    Slopes slopes;
    Blend<Real> blend{.keep = 1, .at_x = 1, .x = &x, .at_y = -1, .y = &previous_, .slopes = &slopes};
    if (parts_.kind == Kind::storm) {
        blend.keep = 1 - alpha_;
        blend.at_y = alpha_ - 1;
    } else if (parts_.kind == Kind::ema) {
        blend.keep = 1 - alpha_;
        blend.at_x = alpha_;
        blend.at_y = 0;
        if (iteration_ < next_secant_) {
            blend.y = nullptr;
            blend.slopes = nullptr;
        } else {
            next_secant_ = iteration_ + 1 + iteration_ / 10;
        }
    }
    const Index cost = sampler_.blend(parts_.batch, blend, proposal.gradient).cost;
    if (!(step_ > 0)) return cost;  // nothing was tried
    if (blend.slopes != nullptr) {
        const double distance_squared = step_ * step_ * length_squared_;
        const double secant = (slopes.at_x - slopes.at_y) / distance_squared;
        const bool rare = parts_.kind == Kind::ema;
        trust_.see_curvature(iteration_, secant, rare ? iteration_ - last_secant_ : 1);
        last_secant_ = iteration_;
        if (rare) {
            see_ema_slope(slopes.at_x / step_);
        } else {
            trust_.see_gap(iteration_, gap_, composite_gain_ - slopes.at_y / step_);
        }
    } else if (const auto blended = slope_along(proposal, x)) {
        // g_t = (1−α) g_{t−1} + α ∇_B f(x_t), and <g_{t−1}, d> is known.
        see_ema_slope((*blended - (1 - alpha_) * slope_) / alpha_);
    }
    return cost;
}

template <class Real>
void CalibratedBatches<Real>::see_ema_slope(double slope) {
    see_slope(slope);
    watch_.see(step_, gap_, slope - composite_gain_);
    watched_ = true;
}

template <class Real>
void CalibratedBatches<Real>::check_way(const Matrix<Real>& gradient, const Iterate<Real>& x,
                                        double composite) {
    const auto bounds = safe_.bounds(x, gradient, composite);
    if (!bounds.beyond(too_far)) {
        trust_.went_well();
        if (bounds.most <= decrease_) {
            decrease_ -= bounds.most;
            safe_.set(x, gradient, composite);
        }
        return;
    }
    const bool downhill = bounds.least < 0;
    trust_.overshot(downhill ? bounds.most / -bounds.least : hopeless);
    if (bounds.distance_squared > 0)
        trust_.raise_curvature((bounds.most - bounds.least) / bounds.distance_squared);
    const double share = downhill ? -bounds.least / (bounds.most - bounds.least) : 0;
    going_ = share < hardly_a_way ? Going::to_safe : Going::towards_safe;
    back_ = going_ == Going::to_safe ? 1 : 1 - share;
}

template <class Real>
void CalibratedBatches<Real>::watch_epoch(const Iterate<Real>& x, double composite) {
    if (!watched_) return;
    watched_ = false;
    if (watch_.alarming()) {
        trust_.overshot(alarm_ratio);
        going_ = Going::to_mark;
        back_ = 1;
    } else if (epochs() >= marked_at_ + 1 && watch_.descending()) {
        if (watch_.surely_descending()) trust_.went_well();
        mark(x, composite);
    }
}

template <class Real>
void CalibratedBatches<Real>::mark(const Iterate<Real>& x, double composite) {
    remember(x, composite, mark_);
    marked_at_ = epochs();
    watch_.clear();
}

template <class Real>
void CalibratedBatches<Real>::average(const Iterate<Real>& x, double composite) {
    if (iteration_ < averaged_ + 1 + averaged_ / parts_of_way) return;
    if (averaged_ == 0) mean_.stand_at(x);
    remember(x, composite, here_);
    const auto before = static_cast<double>(averaged_) / static_cast<double>(iteration_);
    mean_.go_towards(here_, 1 - std::pow(before, mean_power + 1));
    averaged_ = iteration_;
}

template <class Real>
double CalibratedBatches<Real>::aim(Run<Real>& run, Proposal<Real>& proposal) {
    const Iterate<Real>& x = run.x();
    const Matrix<Real>& gradient = proposal.gradient;
    Vertex<Real>& vertex = proposal.move.towards();
    if (iteration_ == 0 && x.factors() == nullptr) vertex.dense = x.matrix();  // memory for the way back
    const double composite = composite_at(run.region(), x);
    if (iteration_ > 0) {
        if (parts_.kind == Kind::ema) {
            watch_epoch(x, composite);
        } else if (full_ && !at_known_) {
            check_way(gradient, x, composite);
        }
    }
    at_known_ = going_ == Going::to_safe;
    if (going_ != Going::on) {
        full_due_ = true;
        vertex = going_ == Going::to_mark ? mark_ : safe_.point;
        if (going_ == Going::to_mark) {
            marked_at_ = epochs();
            watch_.clear();
        }
        return std::numeric_limits<double>::infinity();
    }
    if (averages_) average(x, composite);
    const double slack = run.find_aim(gradient, vertex);
    if (iteration_ == 0) {
        safe_.set(x, gradient, composite);
        if (parts_.kind == Kind::ema) {
            mark(x, composite);
            marked_at_ = 0;  // the first move, made with an exact gradient, is worth a mark of its own
        }
        find_first_curvature(run, proposal, composite);
    }
    return slack;
}

template <class Real>
void CalibratedBatches<Real>::find_first_curvature(Run<Real>& run, const Proposal<Real>& proposal,
                                                   double composite) {
    const auto charge = run.account().charge(&Timings::gradient);
    const Vertex<Real>& vertex = proposal.move.atom();
    const auto direction = direction_to(vertex, proposal.gradient, run.x());
    const double gap = composite - vertex.composite - direction.slope;
    double curvature = least_curvature;
    if (gap > 0 && direction.length_squared > 0) {
        const bool all = parts_.batch >= samples_;
        const auto rows = all ? std::span<const Index>() : batches_.draw(parts_.batch);
        const auto found = probe_.curvature_at_step(rows, run.x(), proposal.gradient, vertex, gap);
        curvature = found.curvature;
        run.account().counters.component_gradients += found.cost;
        used_ += found.cost;
    }
    trust_.begin(curvature, gap, norm(proposal.gradient));
}

template <class Real>
double CalibratedBatches<Real>::step(const StepInput& input, LineFunction& /*line*/) {
    if (going_ != Going::on) {
        step_ = 0;
        return back_;
    }
    gap_ = input.gap;
    slope_ = input.slope;
    composite_gain_ = input.gap + input.slope;
    length_squared_ = input.length_squared;
    const double most = parts_.kind == Kind::ema ? open_loop_ema : open_loop;
    const double longest = most / (static_cast<double>(input.iteration) + most);
    step_ = std::min(short_step(input.gap, trust_.make_curvature(), input.length_squared), longest);
    noise_ += step_ < longest ? beta_below_it : beta_at_the_cap;
    return step_;
}

template <class Real>
void CalibratedBatches<Real>::moved(double distance) {
    if (going_ == Going::on) trust_.moved(distance);
}

template <class Real>
bool CalibratedBatches<Real>::settle_at_mean(Run<Real>& run, Iterate<Real>& x, const Matrix<Real>& gradient) {
    if (averaged_ == 0) return false;
    Checkpoint<Real> last;
    last.set(x, gradient, composite_at(run.region(), x));
    mean_.intercept() = x.intercept();
    mean_.look_again();
    const double composite = composite_at(run.region(), mean_);
    if (last.bounds(mean_, gradient, composite).least >= 0) return false;  // for convex f it is no lower
    Matrix<Real> at_mean;
    run.full_gradient(mean_, at_mean);
    const auto bounds = last.bounds(mean_, at_mean, composite);
    if (bounds.least + bounds.most >= 0) return false;
    if (!descent_.proven(run, safe_, mean_, at_mean, composite)) return false;
    x.stand_at(mean_);
    return true;
}

template <class Real>
void CalibratedBatches<Real>::conclude(Run<Real>& run, Iterate<Real>& x) {
    if (safe_.gradient.size() == 0) return;  // no step was made
    Matrix<Real> gradient;
    run.full_gradient(x, gradient);
    if (settle_at_mean(run, x, gradient)) return;
    if (descent_.proven(run, safe_, x, gradient, composite_at(run.region(), x))) return;
    x.jump_to(safe_.point);
    if (parts_.kind != Kind::ema) return;
    Iterate<Real> marked;
    marked.stand_at(x);
    marked.jump_to(mark_);
    if (descent_.proven(run, safe_, marked, mark_.composite)) x.jump_to(mark_);
}

template <class Real>
void CalibratedBatches<Real>::archive(Run<Real>& /*run*/, Archive& state) {
    state(trust_, iteration_, used_, since_full_, full_due_, at_known_, full_, next_full_, last_secant_,
          next_secant_, noise_, alpha_);
    state(previous_, slope_, gap_, composite_gain_, length_squared_, step_);
    state(safe_, decrease_, watch_, mark_, marked_at_, watched_, going_, back_, mean_, averaged_);
}

template class CalibratedBatches<float>;
template class CalibratedBatches<double>;

}  // namespace alfcg

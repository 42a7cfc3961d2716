#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "corrective/corrector.hpp"
#include "corrective/exact_curvature.hpp"
#include "corrective/progress.hpp"
#include "corrective/quasi_newton.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Steps that a model remembers.
constexpr Index most_pairs = 10;
// Proximal steps on a model: how many may be made, more where that has not been enough, and fewer where it has.
struct ProximalSteps {
    int now;
    int most;
    int least = now;

    void judge(bool solved) { now = solved ? std::max(least, now * 3 / 4) : std::min(most, 2 * now); }
};
constexpr ProximalSteps usual_steps{.now = 30, .most = 120};
// On f's own second derivatives, where they are at hand: products cost little, and steps that have been remembered say less.
constexpr ProximalSteps exact_steps{.now = 250, .most = 8000};
// They were those of too few samples where a step has left more of the gap.
constexpr double exact_enough = 0.3;
// A model is minimised when a step is this share of the first one.
constexpr double model_accuracy = 1e-2;
// A step is long enough where a parabola has its lowest point at this share of it or further.
constexpr double long_enough = 0.7;
constexpr double shortest_cut = 0.02;
constexpr double longest_leap = 10;
constexpr int most_lengths = 12;

template <class Real>
double length_of(const Matrix<Real>& m) {
    return std::sqrt(kernels::direction(m.size(), m.data(), m.data(), 0, nullptr).length_squared);
}

// <a, b − c>.
template <class Real>
double product_with_difference(const Matrix<Real>& a, const Matrix<Real>& b, const Matrix<Real>& c) {
    return kernels::direction(a.size(), a.data(), c.data(), 1, b.data()).slope;
}

/// Projected quasi-Newton steps: u minimises <g, u − x> + ½ <u − x, B(u − x)> + h(u) over the region by accelerated proximal steps,
/// which never look at the data, and x goes towards u.
template <class Real>
class SmoothCorrector final : public Corrector<Real> {
  public:
    explicit SmoothCorrector(Index memory) : memory_(memory) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        const Matrix<Real>& x = run.x().matrix();
        if (!curvature_) begin(run.objective());
        learn(x, seen.gradient);
        if (progress_.is_stuck(*seen.value + seen.composite, seen.gap)) return false;
        if (++corrections_ > most_pairs && exact_ && step_exactly(run, seen, move, step)) return true;
        if (curvature_->ready()) {
            minimize_model(run, seen, *curvature_, steps_, move.towards());
            step = search(run, seen, move);
            if (step > 0) return true;
            // The last steps tell nothing of where x is now.
            curvature_->forget();
            minimize_model(run, seen, *curvature_, steps_, move.towards());
            step = search(run, seen, move);
            if (step > 0) return true;
        }
        move.towards() = seen.move.atom();
        step = search(run, seen, move);
        return step > 0;
    }
    // Moments come from the data alone, and so anew.
    void archive(Run<Real>& run, Archive& state) override {
        bool begun = curvature_.has_value();
        state(begun);
        if (!begun) return;
        if (!curvature_) begin(run.objective());
        state(*curvature_);
        if (state.has(exact_, [&] { return ExactCurvature<Real>::of(run.objective(), memory_); }))
            state(*exact_);
        state(steps_.now, exact_steps_.now, corrections_, last_gap_, length_, last_x_, last_gradient_,
              progress_);
        if (state.loading() && last_x_.size() > 0) make_room(last_x_.shape());
    }

  private:
    void begin(Objective<Real>& objective) {
        const Index room = memory_ / static_cast<Index>(sizeof(Real));
        const Shape shape = objective.shape();
        auto moments = objective.second_moments();
        if (moments && moments->vectors.size() > room / 2) moments.reset();
        // Of a step, s, C s and the change of the gradient.
        const Index pairs = std::clamp<Index>(room / 2 / (3 * shape.size()), 1, most_pairs);
        curvature_.emplace(moments, shape.rows, pairs);
        exact_ = ExactCurvature<Real>::of(objective, memory_);
    }
    // Newton's step; false where it leads nowhere.
    bool step_exactly(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) {
        if (seen.gap > exact_enough * last_gap_) exact_->take_more();
        last_gap_ = seen.gap;
        const double passes = exact_->passes();
        const bool found = exact_->look(run.x());
        run.account().counters.component_gradients +=
            static_cast<Index>((exact_->passes() - passes) * static_cast<double>(run.objective().samples()));
        if (found) {
            length_ = 1;
            minimize_model(run, seen, *exact_, exact_steps_, move.towards());
            step = search(run, seen, move);
            if (step > 0) return true;
        }
        if (!found || !exact_->take_more()) exact_.reset();
        return false;
    }
    void make_room(Shape shape) {
        for (Matrix<Real>* own : {&point_, &product_, &way_, &y_, &u_, &last_u_, &next_}) own->reshape(shape);
    }
    // From the step that led to x.
    void learn(const Matrix<Real>& x, const Matrix<Real>& gradient) {
        if (last_x_.size() > 0) {
            kernels::subtract(x.size(), x.data(), last_x_.data(), point_.data());
            kernels::subtract(x.size(), gradient.data(), last_gradient_.data(), product_.data());
            // Rounding of a gradient is no curvature.
            constexpr double unseen = 32 * static_cast<double>(std::numeric_limits<Real>::epsilon());
            if (length_of(product_) > unseen * length_of(gradient)) curvature_->add(point_, product_);
        } else {
            make_room(x.shape());
        }
        last_x_ = x;
        last_gradient_ = gradient;
    }
    template <class Curvature>
    void minimize_model(Run<Real>& run, const Proposal<Real>& seen, Curvature& curvature,
                        ProximalSteps& steps, Vertex<Real>& to);
    // How far to go; 0: nowhere.
    double search(Run<Real>& run, const Proposal<Real>& seen, const Move<Real>& move);

    Index memory_;
    std::optional<QuasiNewton<Real>> curvature_;
    ProximalSteps steps_ = usual_steps;
    std::unique_ptr<ExactCurvature<Real>> exact_;  // where it is to be had
    ProximalSteps exact_steps_ = exact_steps;
    Index corrections_ = 0;
    double last_gap_ = std::numeric_limits<double>::infinity();
    double length_ = 1;  // of the last step
    Matrix<Real> last_x_;
    Matrix<Real> last_gradient_;
    Matrix<Real> point_;
    Matrix<Real> product_;
    Matrix<Real> way_;
    Matrix<Real> y_;
    Matrix<Real> u_;
    Matrix<Real> last_u_;
    Matrix<Real> next_;
    Vertex<Real> nearest_;
    Progress<Real> progress_;
};

template <class Real>
template <class Curvature>
void SmoothCorrector<Real>::minimize_model(Run<Real>& run, const Proposal<Real>& seen, Curvature& curvature,
                                           ProximalSteps& steps, Vertex<Real>& to) {
    const Matrix<Real>& x = run.x().matrix();
    const Index n = x.size();
    const double weight = curvature.largest();
    run.require_finite(weight);
    u_ = x;
    last_u_ = x;
    double share = 1;
    double first = 0;
    bool solved = false;
    for (int k = 0; k < steps.now && !solved; ++k) {
        double next_share = (1 + std::sqrt(1 + 4 * share * share)) / 2;
        const double ahead = (share - 1) / next_share;
        y_ = u_;
        kernels::axpby(n, -ahead, last_u_.data(), 1 + ahead, y_.data());
        kernels::subtract(n, y_.data(), x.data(), way_.data());
        curvature.times(way_, product_);
        kernels::axpby(n, 1, seen.gradient.data(), 1, product_.data());
        point_ = y_;
        kernels::axpby(n, -1 / weight, product_.data(), 1, point_.data());
        {
            const auto charge = run.account().charge(&Timings::oracle);
            run.region().proximal(point_, weight, nearest_);
        }
        next_.fill(0);
        move_towards(nearest_, 1, next_);
        kernels::subtract(n, y_.data(), next_.data(), way_.data());
        if (product_with_difference(way_, next_, u_) > 0) next_share = 1;
        const double length = std::sqrt(kernels::distance_squared(n, next_.data(), u_.data()));
        if (k == 0) first = length;
        solved = length <= model_accuracy * first;
        std::swap(last_u_, u_);
        std::swap(u_, next_);
        share = next_share;
    }
    steps.judge(solved);
    to.kind = Vertex<Real>::Kind::dense;
    to.shape = x.shape();
    to.dense = u_;
    to.composite = nearest_.composite;
}

template <class Real>
double SmoothCorrector<Real>::search(Run<Real>& run, const Proposal<Real>& seen, const Move<Real>& move) {
    const double objective = *seen.value + seen.composite;
    const double slope =
        direction(move, seen.gradient, run.x().matrix()).slope + move.atom().composite - seen.composite;
    if (!(slope < 0)) return 0;
    // A step that promises less than values can tell is taken on trust, and whole: the progress made sees to it that this ends.
    const bool trusted = -slope <= 2 * progress_.noise(objective);
    double best = 0;
    double lowest = objective;
    double length = trusted ? 1 : length_;
    for (int trial = 0; trial < most_lengths; ++trial) {
        ++run.account().counters.function_evaluations;
        point_ = run.x().matrix();
        apply(move, length, point_);
        const double reached =
            run.objective().value_after(run.x(), move, length) + run.region().composite(point_);
        if (trusted && reached <= objective + progress_.noise(objective)) return length;
        if (reached < lowest) {
            lowest = reached;
            best = length;
        } else if (best > 0) {
            break;
        }
        // Where the parabola through both ends has its lowest point.
        const double bend = reached - objective - length * slope;
        const double lower = bend > 0 ? -slope * length / (2 * bend) : HUGE_VAL;
        const double factor = std::isfinite(reached) ? lower : shortest_cut;
        const bool near = factor >= long_enough && (factor <= 1 / long_enough || length >= 1);
        if (near && best > 0) break;
        length =
            std::min(1.0, length * std::clamp(factor, shortest_cut, best > 0 ? longest_leap : long_enough));
    }
    if (best > 0) length_ = best;
    return best;
}

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> smooth_corrector(Index memory) {
    return std::make_unique<SmoothCorrector<Real>>(memory);
}

template std::unique_ptr<Corrector<float>> smooth_corrector(Index);
template std::unique_ptr<Corrector<double>> smooth_corrector(Index);

}  // namespace alfcg

#include "calibration/calibrated_step.hpp"

#include <algorithm>
#include <vector>

namespace alfcg {

namespace {

// The constants are plain numbers without units; docs/calibration.md says how much they matter.
constexpr double forgetting = 0.7;         // least factor from one curvature to the next
constexpr double boldness = 0.85;          // steps are longer than the curvature allows by this divisor
constexpr double overshoot_allowed = 0.5;  // slope at the end over −slope at the start
constexpr int most_steps_back = 20;        // in a row

// Rows for a first look at the curvature, spread over the data: a tenth is enough. None: all.
std::vector<Index> sample(Index samples) {
    constexpr Index enough = 32;
    const Index size = std::max(enough, samples / 10);
    std::vector<Index> rows;
    if (size >= samples) return rows;
    for (Index k = 0; k < size; ++k) rows.push_back(k * samples / size);
    return rows;
}

}  // namespace

template <class Real>
double CalibratedStep<Real>::curvature() const {
    return std::max(boldness * curvature_, least_curvature);
}

template <class Real>
double CalibratedStep<Real>::overshoot(const Matrix<Real>& gradient, double& secant) const {
    // Along d itself: x − x_{t−1} is mostly rounding where the step is short.
    const double now = direction(last_.move, gradient, last_.from).slope;
    const double rise = now - last_.slope;
    secant = std::max(0.0, rise / (last_.step * last_.length_squared));
    return rise / last_.gap - 1;
}

template <class Real>
void CalibratedStep<Real>::begin(Run<Real>& run, const Matrix<Real>& gradient, const Vertex<Real>& vertex,
                                 double composite, double gap) {
    const auto charge = run.account().charge(&Timings::gradient);
    start_.set(run.x(), gradient, composite);
    const auto found =
        probe_.curvature_at_step(sample(run.objective().samples()), run.x(), gradient, vertex, gap);
    curvature_ = found.curvature;
    run.account().counters.component_gradients += found.cost;
}

template <class Real>
bool CalibratedStep<Real>::went_too_far(const Matrix<Real>& gradient) {
    if (last_.step > 0) {
        double secant = 0;
        const double beyond = overshoot(gradient, secant);
        if (beyond > overshoot_allowed && steps_back_ < most_steps_back) {
            ++steps_back_;
            back_ = beyond / (1 + beyond);
            curvature_ = std::max(secant, curvature_);
            return true;
        }
        curvature_ = std::max({secant, forgetting * curvature_, least_curvature});
    }
    steps_back_ = 0;
    return false;
}

template <class Real>
double CalibratedStep<Real>::step_back() {
    last_.step *= 1 - back_;
    return back_;
}

template <class Real>
void CalibratedStep<Real>::set_out(const Iterate<Real>& x, double composite, const Move<Real>& move) {
    last_.from.stand_at(x);
    last_.composite = composite;
    last_.move = move;
}

template <class Real>
double CalibratedStep<Real>::step(const StepInput& input) {
    last_.gap = input.gap;
    last_.slope = input.slope;
    last_.length_squared = input.length_squared;
    last_.step = short_step(input.gap, curvature(), input.length_squared, input.longest);
    moved_ = moved_ || last_.step > 0;
    return last_.step;
}

template <class Real>
void CalibratedStep<Real>::conclude(Run<Real>& run, Iterate<Real>& x) {
    if (!moved_) return;
    run.full_gradient(x, at_end_);
    double secant = 0;
    if (last_.step > 0 && overshoot(at_end_, secant) > overshoot_allowed) {
        x.stand_at(last_.from);
        x.look_again();
        run.full_gradient(x, at_end_);
    }
    if (!descent_.proven(run, start_, x, at_end_, composite_at(run.region(), x))) x.jump_to(start_.point);
}

template class CalibratedStep<float>;
template class CalibratedStep<double>;

}  // namespace alfcg

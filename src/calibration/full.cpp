#include "calibration/full.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// The constants are plain numbers without units; docs/calibration.md says how much they matter.
constexpr double memory = 4;         // a new gradient has the weight memory/(t + memory) in the mean
constexpr double forgetting = 0.7;   // least factor from one curvature to the next
constexpr double boldness = 0.85;    // steps are longer than the curvature allows by this divisor
constexpr double too_far = 0.5;      // slope at the end over −slope at the start
constexpr int most_steps_back = 20;  // in a row

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
double CalibratedFull<Real>::step_curvature() const {
    return std::max(boldness * curvature_, least_curvature);
}

template <class Real>
double CalibratedFull<Real>::overshoot(const Matrix<Real>& gradient, double& secant) const {
    // Along d itself: x − x_{t−1} is mostly rounding where the step is short.
    const double now = direction_to(move_.towards, gradient, move_.from.dense).slope;
    const double rise = now - move_.slope;
    secant = std::max(0.0, rise / (move_.step * move_.length_squared));
    return rise / move_.gap - 1;
}

template <class Real>
Estimate CalibratedFull<Real>::estimate(Run<Real>& run, std::optional<double> /*alpha*/,
                                        Proposal<Real>& proposal) {
    const Index iteration = run.iteration();
    Matrix<Real>& gradient = proposal.gradient;
    Estimate answer;
    answer.value = run.full_gradient(gradient);
    going_back_ = false;
    if (iteration > 0 && move_.step > 0) {
        double secant = 0;
        const double beyond = overshoot(gradient, secant);
        if (beyond > too_far && steps_back_ < most_steps_back) {
            ++steps_back_;
            going_back_ = true;
            back_ = beyond / (1 + beyond);
            curvature_ = std::max(secant, curvature_);
            return answer;
        }
        curvature_ = std::max({secant, forgetting * curvature_, least_curvature});
    }
    steps_back_ = 0;
    if (iteration == 0) {
        mean_ = gradient;
    } else {
        const double weight = memory / (static_cast<double>(iteration) + memory);
        kernels::axpby(gradient.size(), weight, gradient.data(), 1 - weight, mean_.data());
    }
    return answer;
}

template <class Real>
double CalibratedFull<Real>::aim(Run<Real>& run, Proposal<Real>& proposal) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    Vertex<Real>& vertex = proposal.move.towards();
    if (going_back_) {
        vertex = move_.from;
        return unknown;
    }
    const Matrix<Real>& x = run.x().matrix();
    const Matrix<Real>& gradient = proposal.gradient;
    const bool first = run.iteration() == 0;
    if (first) vertex.dense = x;  // memory for the way back
    const double composite = run.region().composite(x);
    const auto gap = [&] { return composite - vertex.composite - direction_to(vertex, gradient, x).slope; };
    double slack = run.ask_oracle(mean_, vertex);
    if (!first) {
        if (gap() > 0) {
            slack = unknown;
        } else {
            slack = run.ask_oracle(gradient, vertex);
        }
    } else {
        const auto charge = run.account().charge(&Timings::gradient);
        start_.set(x, gradient, composite);
        const auto found =
            probe_.curvature_at_step(sample(run.objective().samples()), run.x(), gradient, vertex, gap());
        curvature_ = found.curvature;
        run.account().counters.component_gradients += found.cost;
    }
    remember(x, composite, move_.from);
    move_.towards = vertex;
    return slack;
}

template <class Real>
double CalibratedFull<Real>::step(const StepInput& input, LineFunction& /*line*/) {
    if (going_back_) {
        move_.step *= 1 - back_;
        return back_;
    }
    move_.gap = input.gap;
    move_.slope = input.slope;
    move_.length_squared = input.length_squared;
    move_.step = short_step(input.gap, step_curvature(), input.length_squared);
    moved_ = moved_ || move_.step > 0;
    return move_.step;
}

template <class Real>
void CalibratedFull<Real>::conclude(Run<Real>& run, Iterate<Real>& x) {
    if (!moved_) return;
    run.full_gradient(x, mean_);
    double secant = 0;
    if (move_.step > 0 && overshoot(mean_, secant) > too_far) {
        x.jump_to(move_.from.dense);
        run.full_gradient(x, mean_);
    }
    if (!descent_.proven(run, start_, x.matrix(), mean_, run.region().composite(x.matrix())))
        x.jump_to(start_.point.dense);
}

template class CalibratedFull<float>;
template class CalibratedFull<double>;

}  // namespace alfcg

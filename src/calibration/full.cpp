#include "calibration/full.hpp"

#include <limits>

#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// A plain number without units; docs/calibration.md says how much it matters.
constexpr double memory = 4;  // a new gradient has the weight memory/(t + memory) in the mean

}  // namespace

template <class Real>
Estimate CalibratedFull<Real>::estimate(Run<Real>& run, std::optional<double> /*alpha*/,
                                        Proposal<Real>& proposal) {
    const Index iteration = run.iteration();
    Matrix<Real>& gradient = proposal.gradient;
    Estimate answer;
    answer.value = run.full_gradient(gradient);
    going_back_ = iteration > 0 && step_.went_too_far(gradient);
    if (going_back_) return answer;
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
        step_.way_back(vertex);
        return unknown;
    }
    const Iterate<Real>& x = run.x();
    const Matrix<Real>& gradient = proposal.gradient;
    const bool first = run.iteration() == 0;
    if (first && x.factors() == nullptr) vertex.dense = x.matrix();  // memory for the way back
    const double composite = composite_at(run.region(), x);
    const auto gap = [&] { return composite - vertex.composite - direction_to(vertex, gradient, x).slope; };
    double slack = run.find_aim(mean_, vertex);
    if (first) {
        step_.begin(run, gradient, vertex, composite, gap());
    } else if (gap() > 0) {
        slack = unknown;
    } else {
        slack = run.ask_oracle(gradient, vertex);
    }
    step_.set_out(x, composite, proposal.move);
    return slack;
}

template <class Real>
double CalibratedFull<Real>::step(const StepInput& input, LineFunction& /*line*/) {
    return going_back_ ? step_.step_back() : step_.step(input);
}

template class CalibratedFull<float>;
template class CalibratedFull<double>;

}  // namespace alfcg

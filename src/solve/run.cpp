#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/solve/method.hpp"
#include "core/range_advice.hpp"
#include "core/thread_time.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

void Account::turn_to(double Timings::*part) {
    const std::chrono::duration<double> time =
        clock_ == Clock::thread ? thread_time() : std::chrono::steady_clock::now().time_since_epoch();
    const double now = time.count();
    if (part_ != nullptr) seconds.*part_ += now - since_;
    part_ = part;
    since_ = now;
}

template <class Real>
double Run<Real>::full_gradient(const Iterate<Real>& at, Matrix<Real>& gradient) {
    const auto charge = account_.charge(&Timings::gradient);
    account_.counters.component_gradients += objective_.samples();
    return objective_.evaluate(at, gradient);
}

template <class Real>
double Run<Real>::ask_oracle(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
    const auto charge = account_.charge(&Timings::oracle);
    ++account_.counters.oracle_calls;
    recalled_ = false;
    const Pattern* pattern = objective_.pattern();
    if (pattern != nullptr) return region_.minimize_at(*pattern, gradient, oracle_tolerance_, false, vertex);
    return region_.minimize(gradient, oracle_tolerance_, false, vertex);
}

template <class Real>
double Run<Real>::find_aim(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
    if (region_.remembers() && known_gap_ > 0) {
        const auto charge = account_.charge(&Timings::oracle);
        const Matrix<Real>& x = x_.matrix();
        const double here =
            region_.composite(x) - kernels::direction(x.size(), gradient.data(), x.data(), 0, nullptr).slope;
        recalled_ = region_.recall(gradient, here - known_gap_ / 2, vertex);
        if (recalled_) return std::numeric_limits<double>::infinity();
    }
    return ask_oracle(gradient, vertex);
}

template <class Real>
void Run<Real>::aim(Proposal<Real>& proposal) {
    proposal.slack = ask_oracle(proposal.gradient, proposal.move.towards());
    measure(proposal);
}

template <class Real>
void Run<Real>::measure(Proposal<Real>& proposal) {
    const auto charge = account_.charge(&Timings::step);
    proposal.direction = direction(proposal.move, proposal.gradient, x_);
    proposal.composite = composite_at(region_, x_);
    if (proposal.move.along_x() == -1)
        proposal.gap = proposal.composite - proposal.move.atom().composite - proposal.direction.slope;
    require_finite(proposal.gap);
    require_finite(proposal.direction.length_squared);
}

template <class Real>
void Run<Real>::require_finite(double number) const {
    if (std::isfinite(number)) return;
    throw Error("the objective or its gradient is not a finite number at iteration " +
                std::to_string(iteration_) + ": the problem overflows; " + range_advice<Real>());
}

template <class Real>
void Method<Real>::archive(Run<Real>& /*run*/, Archive& /*state*/) {
    throw Error(
        "the method does not say what it remembers: there can be no checkpoints of it (Method::archive)");
}

template void Method<float>::archive(Run<float>&, Archive&);
template void Method<double>::archive(Run<double>&, Archive&);
template class Run<float>;
template class Run<double>;

}  // namespace alfcg

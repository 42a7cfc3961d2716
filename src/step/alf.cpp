#include "step/alf.hpp"

#include <algorithm>
#include <cmath>

namespace alfcg {

void AlfAccumulator::begin(Index iteration) {
    const double elapsed = 1 + static_cast<double>(iteration) * beta_ + sum_;
    curvature_ = rho_ * std::sqrt(1 + sum_);
    switch (momentum_) {
        case Momentum::none:
            break;
        case Momentum::mvr1:
            alpha_ = 1 / std::sqrt(elapsed);
            curvature_ /= std::sqrt(alpha_);
            break;
        case Momentum::mvr2: {
            const double root = std::cbrt((1 + largest_) / elapsed);
            alpha_ = std::min(alpha_, root * root);
            curvature_ /= std::sqrt(std::sqrt(alpha_));
            break;
        }
    }
}

void AlfAccumulator::set_scale(double rho, double unit) {
    curvature_ = rho_ > 0 ? curvature_ * rho / rho_ : 0;
    rho_ = rho;
    unit_ = unit > 0 ? unit : 1;
}

void AlfAccumulator::moved(double distance) {
    const double delta =
        distance > 0 ? curvature_ * distance / unit_ : 0;  // also when the curvature has overflowed
    sum_ += delta * delta;
    largest_ = std::max(largest_, beta_ + delta * delta);
}

std::optional<double> AlfStep::begin(Index iteration) {
    accumulator_.begin(iteration);
    return steers_ ? std::optional(accumulator_.alpha()) : std::nullopt;
}

double AlfStep::step(const StepInput& input, LineFunction& /*line*/) {
    return short_step(input.gap, accumulator_.curvature(), input.length_squared);
}

}  // namespace alfcg

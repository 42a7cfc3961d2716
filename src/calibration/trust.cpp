#include "calibration/trust.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/probe.hpp"

namespace alfcg {

namespace {

// Plain numbers without units; docs/calibration.md says how much they matter.
constexpr double curvature_memory = 20;  // moves in the running mean of secants
constexpr double gap_memory = 4;         // weight (1 + t/4)^{−0.8} of the newest in the means of gaps
constexpr double gap_memory_power = 0.8;
constexpr double recovery = 0.7;  // of the caution, after a part that went well
constexpr double most_caution = 1e6;
constexpr double worst_ratio = 99;

constexpr double noise_levels = 4;  // of EpochWatch
constexpr double promise_share = 0.5;
constexpr double slope_memory = 20;  // moves in the running mean of slope²
constexpr double outlier = 9;        // a slope² counts at most this many times the mean in it

}  // namespace

void Trust::begin(double curvature, double gap, double unit) {
    secant_ = curvature;
    promised_ = honest_ = gap;
    unit_ = unit > 0 ? unit : 1;
}

void Trust::see_curvature(Index iteration, double secant, Index later) {
    const auto t = static_cast<double>(iteration);
    const auto passed = static_cast<double>(later);
    const double weight = std::max(1 / curvature_memory, passed / (t + 1));
    const double slowest = (t + 2 - passed) / (t + 2);
    secant_ = std::max((1 - weight) * secant_ + weight * std::max(secant, 0.0), slowest * slowest * secant_);
}

void Trust::raise_curvature(double curvature) {
    secant_ = std::max(secant_, curvature);
}

void Trust::see_gap(Index iteration, double promised, double honest) {
    const double weight = std::pow(1 + static_cast<double>(iteration) / gap_memory, -gap_memory_power);
    promised_ = (1 - weight) * promised_ + weight * promised;
    honest_ = (1 - weight) * honest_ + weight * honest;
}

void Trust::overshot(double ratio) {
    caution_ = std::min(caution_ * std::sqrt(1 + std::min(ratio, worst_ratio)), most_caution);
}

void Trust::went_well() {
    caution_ = std::max(1.0, recovery * caution_);
}

double Trust::scale() const {
    const double reliability = promised_ > 0 ? std::clamp(honest_ / promised_, least_reliability_, 1.0) : 1.0;
    return std::max(caution_ * secant_ / reliability, least_curvature);
}

double Trust::make_curvature() {
    const double root = std::sqrt(1 + sum_);
    curvature_ = scale() * (mean_follows_ ? std::sqrt(root) : root);
    return curvature_;
}

void Trust::moved(double distance) {
    const double delta = distance > 0 ? curvature_ * distance / unit_ : 0;
    sum_ += delta * delta;
    largest_ = std::max(largest_, delta * delta);
}

void EpochWatch::clear() {
    change_ = promised_ = variance_ = 0;
}

void EpochWatch::see(double step, double gap, double slope) {
    change_ += step * slope;
    promised_ += step * gap;
    const double square = slope * slope;
    variance_ += step * step * (seasoned_ ? typical_ : square);
    const double newest = seasoned_ ? std::min(square, outlier * typical_) : square;
    typical_ += seasoned_ ? (newest - typical_) / slope_memory : newest;
    seasoned_ = seasoned_ || square > 0;
}

bool EpochWatch::alarming() const {
    return change_ > promise_share * promised_ + noise_levels * std::sqrt(variance_);
}

bool EpochWatch::surely_descending() const {
    return change_ < -2 * std::sqrt(variance_);
}

}  // namespace alfcg

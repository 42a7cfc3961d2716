#include "region/projection_root.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

// The stationarity condition of the projection ω of a/κ onto the unit ball is κ ω_i + ν ω_i^{p-1} = a_i (spec
// 5). Divide by its instance at the largest entry, a = 1, where ω = s: with x_i = ω_i / s and c = κ s it
// reads
//
//     c x_i + (1 - c) x_i^{p-1} = a_i,    0 <= x_i <= 1,    c ‖x(c)‖_p = κ.
//
// The multiplier is gone, and one unknown c in (0, 1] is left, unique because the projection is. c = 1 is the
// unprojected point, and c -> 0 with κ is the linear oracle: every case in between is equally well scaled.
namespace alfcg::region {
namespace {

/// c, log c and log(1 - c) from log c <= 0.
struct Mixture {
    explicit Mixture(double log_share)
        : log_c(log_share), c(std::exp(log_share)), rest(-std::expm1(log_share)) {
        log_rest = std::log(rest);
    }
    double log_c;
    double c;
    double rest;  // 1 - c
    double log_rest;
};

/// x = e^{-z} and x^{p-1}.
struct Coordinate {
    double x = 0;
    double power = 0;
};

/// Solves for z = -log x >= 0: the left side as a function of z is a sum of two decaying exponentials, so its
/// logarithm is convex and decreasing, and Newton's method from the left of the root climbs to it without
/// overshooting.
Coordinate by_newton(double p, const Mixture& mix, double log_a) {
    const double steep = p - 1;
    // Each exponential alone is at most a: a start within a factor of two of the level.
    double z = std::max({0.0, mix.log_c - log_a, (mix.log_rest - log_a) / steep});
    for (int iteration = 0; iteration < 60; ++iteration) {
        const double drop = mix.c * std::expm1(-z) + mix.rest * std::expm1(-steep * z);
        const double gentle_term = mix.log_c - z;
        const double steep_term = mix.log_rest - steep * z;
        const double top = std::max(gentle_term, steep_term);
        const double gentle = std::exp(gentle_term - top);
        const double sheer = std::exp(steep_term - top);
        // Near level 1 only log1p keeps the digits; far below only the sum of exponentials does.
        const double level = drop > -0.5 ? std::log1p(drop) : top + std::log(gentle + sheer);
        const double step = (level - log_a) * (gentle + sheer) / (gentle + steep * sheer);
        z = std::max(z + step, 0.0);
        if (!(std::abs(step) > 4e-16 * z)) break;
    }
    return {std::exp(-z), std::exp(-steep * z)};
}

Coordinate coordinate(double p, const Mixture& mix, double log_a) {
    if (std::isinf(log_a)) return {};
    if (p == 3) {  // c x + (1-c) x² = a
        const double a = std::exp(log_a);
        const double x = 2 * a / (mix.c + std::sqrt(mix.c * mix.c + 4 * mix.rest * a));
        return {x, x * x};
    }
    if (p == 1.5) {  // c y² + (1-c) y = a with y = √x
        const double a = std::exp(log_a);
        const double y = 2 * a / (mix.rest + std::sqrt(mix.rest * mix.rest + 4 * mix.c * a));
        return {y * y, y};
    }
    return by_newton(p, mix, log_a);
}

struct Norm {
    double log_norm = 0;  // log ‖x(c)‖_p
    double slope = 0;     // its derivative by log c
};

Norm evaluate(double p, const Mixture& mix, std::span<const double> log_a, std::span<double> shape) {
    double sum = 0;
    double derivative = 0;  // Σ x^{p-1} dx/dc
    for (std::size_t i = 0; i < log_a.size(); ++i) {
        const auto [x, power] = coordinate(p, mix, log_a[i]);
        shape[i] = x;
        sum += x * power;
        const double stiffness = mix.c * x + (p - 1) * mix.rest * power;
        if (power > 0 && stiffness > 0) derivative += power * (x / stiffness) * (power - x);
    }
    return {std::log(sum) / p, mix.c * derivative / sum};
}

}  // namespace

double project_lp(double p, double tightness, std::span<const double> log_a, std::span<double> shape) {
    // 1 <= ‖x‖_p <= n^{1/p} brackets log c; the root of log c + log ‖x(c)‖_p - log κ is sought in it, by
    // Newton's method where that stays inside and by halving where it does not.
    const double target = std::log(tightness);
    double low = target - std::log(static_cast<double>(log_a.size())) / p;
    double high = std::min(0.0, target);
    low = std::min(low, high);
    double log_c = 0.5 * (low + high);
    Norm norm;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const double negligible = 1e-15 * std::max(1.0, std::abs(log_c));
        norm = evaluate(p, Mixture(log_c), log_a, shape);
        const double excess = log_c + norm.log_norm - target;
        (excess > 0 ? high : low) = log_c;
        if (excess == 0 || high - low <= negligible) break;
        double next = log_c - excess / (1 + norm.slope);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (std::abs(next - log_c) <= negligible) break;
        log_c = next;
    }
    return std::exp(norm.log_norm);
}

}  // namespace alfcg::region

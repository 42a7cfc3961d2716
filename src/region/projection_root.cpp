#include "region/projection_root.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "region/lp_oracle.hpp"

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
/// logarithm is convex and decreasing. Newton's method climbs to the root from the left without overshooting,
/// and lands there in one step from a guess on the right.
Coordinate by_newton(double p, const Mixture& mix, double log_a, double guess) {
    const double steep = p - 1;
    // Each exponential alone is at most a: this is to the left, within a factor of two of the level.
    const double least = std::max({0.0, mix.log_c - log_a, (mix.log_rest - log_a) / steep});
    double z = std::max(least, guess);
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
        z = std::max(z + step, least);
        if (!(std::abs(step) > 1e-10 * z)) break;  // convergence is quadratic
    }
    return {std::exp(-z), std::exp(-steep * z)};
}

/// Whether the equation of a coordinate is quadratic.
bool closed_form(double p) {
    return p == 3 || p == 1.5;
}

/// `size` is a where there is a closed form, else log a; `guess` an earlier x, or 0.
Coordinate coordinate(double p, const Mixture& mix, double size, double guess) {
    if (p == 1.5) {  // c y² + (1-c) y = a with y = √x
        const double root = mix.rest + std::sqrt(mix.rest * mix.rest + 4 * mix.c * size);
        const double y = size > 0 ? 2 * size / root : 0;
        return {y * y, y};
    }
    if (std::isinf(size)) return {};
    return by_newton(p, mix, size, guess > 0 ? -std::log(guess) : 0);
}

struct Norm {
    double log_norm = 0;  // log ‖x(c)‖_p
    double slope = 0;     // its derivative by log c
};

// p = 3, where c + 2 (1-c) x is the root of the discriminant: nothing but arithmetic, several entries at a time.
Norm evaluate_cubic(const Mixture& mix, std::span<const double> sizes, std::span<double> shape) {
    constexpr double least = std::numeric_limits<double>::min();
    double sum = 0;
    double derivative = 0;
#pragma omp simd reduction(+ : sum, derivative)
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double root = std::sqrt(mix.c * mix.c + 4 * mix.rest * sizes[i]) + least;
        const double x = 2 * sizes[i] / (mix.c + root);
        const double power = x * x;
        shape[i] = x;
        sum += x * power;
        derivative += power * (power - x) / root;
    }
    return {std::log(sum) / 3, mix.c * derivative / sum};
}

Norm evaluate(double p, const Mixture& mix, std::span<const double> sizes, std::span<double> shape) {
    if (p == 3) return evaluate_cubic(mix, sizes, shape);
    double sum = 0;
    double derivative = 0;  // Σ x^{p-1} dx/dc
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto [x, power] = coordinate(p, mix, sizes[i], shape[i]);
        shape[i] = x;
        sum += x * power;
        const double stiffness = mix.c * x + (p - 1) * mix.rest * power;
        if (power > 0 && stiffness > 0) derivative += power * (x / stiffness) * (power - x);
    }
    return {std::log(sum) / p, mix.c * derivative / sum};
}

}  // namespace

double project_lp(double p, double tightness, double largest, std::span<double> sizes,
                  std::span<double> shape) {
    for (double& size : sizes) {
        if (closed_form(p))
            size /= largest;
        else
            size = size > 0 ? log_ratio(size, largest) : -std::numeric_limits<double>::infinity();
    }
    std::fill(shape.begin(), shape.end(), 0.0);
    // 1 <= ‖x‖_p <= n^{1/p} brackets log c; the root of log c + log ‖x(c)‖_p - log κ is sought in it, by
    // Newton's method where that stays inside and by halving where it does not.
    const double target = std::log(tightness);
    double high = std::min(0.0, target);
    double low = std::min(high, target - std::log(static_cast<double>(sizes.size())) / p);
    double log_c = 0.5 * (low + high);
    Norm norm;
    bool last = false;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const double unit = std::max(1.0, std::abs(log_c));
        norm = evaluate(p, Mixture(log_c), sizes, shape);
        const double excess = log_c + norm.log_norm - target;
        (excess > 0 ? high : low) = log_c;
        if (last || excess == 0 || high - low <= 1e-15 * unit) break;
        const double next = log_c - excess / (1 + norm.slope);
        if (next > low && next < high) {
            last = std::abs(next - log_c) <= 1e-10 * unit;  // convergence is quadratic
            log_c = next;
        } else {
            log_c = 0.5 * (low + high);
        }
    }
    return std::exp(norm.log_norm);
}

}  // namespace alfcg::region

#include "objective/intercept_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace alfcg {

namespace {

constexpr int most_steps = 40;
constexpr double least_decrease = 1e-4;  // of what the slope promises
constexpr double flat = 1e-12;           // relative curvature that tells nothing
constexpr double stretch = 4;            // longer steps where there is no curvature
constexpr double lost_share = 1e3;       // of the tolerance: a derivative beyond is no rounding

double weight_of(const Targets& targets, std::size_t row) {
    return targets.weights.empty() ? 1 : targets.weights[row];
}

double inner(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest_of(std::span<const double> values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
}

// H += the change that makes H y = s, of rank two.
void update_inverse(std::vector<double>& inverse, std::span<const double> s, std::span<const double> y,
                    std::vector<double>& image) {
    const std::size_t n = s.size();
    const double rise = inner(s, y);
    if (!(rise > flat * std::sqrt(inner(s, s) * inner(y, y)))) {
        for (double& entry : inverse) entry *= stretch;
        return;
    }
    for (std::size_t i = 0; i < n; ++i) image[i] = inner(std::span(inverse).subspan(i * n, n), y);
    const double outer = (1 + inner(y, image) / rise) / rise;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            inverse[i * n + j] += outer * s[i] * s[j] - (image[i] * s[j] + s[i] * image[j]) / rise;
}

// Of one intercept: where the derivative changes its sign, as it does of every convex loss. Doubling encloses the place, halving finds
// it; `at` ends there, with its derivative and the loss that is returned. Without such a place all stays as it is.
double enclose(InterceptLoss loss, double& at, double& derivative, double value, double tolerance) {
    constexpr double furthest = 1e18;
    double tried = at;
    double slope = derivative;
    double tried_value = value;
    const auto look = [&](double place) {
        tried = place;
        tried_value = loss(1, {&tried, 1}, {&slope, 1});
    };
    double near = at;
    double far = at;
    for (double length = 1; length < furthest && (slope > 0) == (derivative > 0); length *= 2) {
        near = far;
        far = at - std::copysign(length, derivative);
        look(far);
    }
    if ((slope > 0) == (derivative > 0)) return value;
    double best_value = value;
    double best = at;
    double best_slope = derivative;
    const auto keep = [&] {
        if (std::abs(slope) > tolerance && tried_value >= best_value) return;
        best = tried;
        best_slope = slope;
        best_value = tried_value;
    };
    keep();
    while (std::abs(best_slope) > tolerance) {
        const double middle = near + (far - near) / 2;
        if (middle == near || middle == far) break;
        look(middle);
        ((slope > 0) == (derivative > 0) ? near : far) = middle;
        keep();
    }
    at = best;
    derivative = best_slope;
    return best_value;
}

}  // namespace

InterceptRule::InterceptRule(const Targets& targets, const LossSpec& loss, const RowShare& rows)
    : start_(static_cast<std::size_t>(targets.outputs)),
      pace_(start_.size(), 1),
      reach_(find_loss(loss.name).saturates ? 1 : std::numeric_limits<double>::infinity()) {
    const TargetKind kind = find_loss(loss.name).target;
    if (kind == TargetKind::numbers) {
        std::vector<double> values = targets.values;
        values.resize(static_cast<std::size_t>(rows.own));
        if (rows.total > 0) shift_ = rows.smallest(rows.total / 2, std::move(values));
        return;
    }
    const bool many = kind == TargetKind::classes;
    std::vector<double> shares(many ? start_.size() : 2);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.own); ++i) {
        const std::size_t number = many                    ? static_cast<std::size_t>(targets.classes[i])
                                   : targets.values[i] > 0 ? 1
                                                           : 0;
        shares[number] += weight_of(targets, i);
    }
    sum_over<double>(rows.ranks, shares);
    // A class of no row, which has no best intercept, is given half a row.
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share = std::max(share / total, 0.5 / static_cast<double>(rows.total));
    if (!many) {
        start_[0] = std::log(shares[1] / shares[0]);
        pace_[0] = 1 / (shares[0] * shares[1]);
        return;
    }
    double mean = 0;
    for (const double share : shares) mean += std::log(share) / static_cast<double>(shares.size());
    for (std::size_t l = 0; l < shares.size(); ++l) {
        start_[l] = std::log(shares[l]) - mean;
        pace_[l] = 1 / shares[l];
    }
}

std::vector<double> InterceptRule::inverse() const {
    const std::size_t n = pace_.size();
    std::vector<double> inverse(n * n);
    for (std::size_t l = 0; l < n; ++l) inverse[l * n + l] = pace_[l];
    return inverse;
}

namespace {

// With all scores times `share`.
InterceptFound search(InterceptLoss loss, double share, std::vector<double>& at, std::vector<double>& inverse,
                      const InterceptAccuracy& accuracy, double reach) {
    const std::size_t n = at.size();
    const std::vector<double> from = at;
    std::vector<double> gradient(n);
    std::vector<double> next_gradient(n);
    std::vector<double> next(n);
    std::vector<double> step(n);
    std::vector<double> change(n);
    std::vector<double> image(n);
    double value = loss(share, at, gradient);
    double shorter = 1;
    for (int look = 1; look < most_steps && largest_of(gradient) > accuracy.tolerance; ++look) {
        for (std::size_t i = 0; i < n; ++i)
            step[i] = -shorter * inner(std::span(inverse).subspan(i * n, n), gradient);
        for (std::size_t i = 0; i < n; ++i)
            next[i] = std::clamp(at[i] + step[i], from[i] - reach, from[i] + reach);
        if (next == at) break;
        for (std::size_t i = 0; i < n; ++i) step[i] = next[i] - at[i];
        const double next_value = loss(share, next, next_gradient);
        // Close to the end values differ by rounding alone, and derivatives tell more.
        const bool lower = next_value <= value + least_decrease * inner(step, gradient);
        const bool level = next_value <= value + accuracy.rounding * std::abs(value) &&
                           largest_of(next_gradient) < largest_of(gradient);
        if (!lower && !level) {
            shorter /= stretch;
            continue;
        }
        for (std::size_t i = 0; i < n; ++i) change[i] = next_gradient[i] - gradient[i];
        update_inverse(inverse, step, change, image);
        shorter = 1;
        at.swap(next);
        gradient.swap(next_gradient);
        value = next_value;
    }
    // A derivative that is no rounding: the loss was flat, or bent too sharply, on the way.
    const auto lost = [&] { return largest_of(gradient) > lost_share * accuracy.tolerance; };
    if (n == 1 && share == 1 && std::isinf(reach) && lost())
        value = enclose(loss, at[0], gradient[0], value, accuracy.tolerance);
    const bool certain = largest_of(gradient) <= accuracy.tolerance;
    return {value, certain, lost(), !certain && (std::isfinite(reach) || lost()), std::move(gradient)};
}

}  // namespace

InterceptFound search_intercept(InterceptLoss loss, std::vector<double>& at, std::vector<double>& inverse,
                                const InterceptAccuracy& accuracy, double reach) {
    return search(loss, 1, at, inverse, accuracy, reach);
}

InterceptFound follow_intercept(InterceptLoss loss, const InterceptRule& rule, std::vector<double>& at,
                                std::vector<double>& inverse, const InterceptAccuracy& accuracy,
                                double size) {
    constexpr double anywhere = std::numeric_limits<double>::infinity();
    const InterceptAccuracy rough{lost_share * accuracy.tolerance, accuracy.rounding};
    at = rule.start();
    for (double share = 1 / std::max(size, 1.0);;) {
        inverse = rule.inverse();
        if (share == 1) return search(loss, share, at, inverse, accuracy, anywhere);
        static_cast<void>(search(loss, share, at, inverse, rough, anywhere));
        const double growth = std::min(2.0, 1 / share);
        share = growth < 2 ? 1 : 2 * share;
        for (double& entry : at) entry *= growth;
    }
}

}  // namespace alfcg

#include "region/spectral_gauge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "region/projection_root.hpp"

namespace alfcg::region {
namespace {

double power_norm(const Eigen::VectorXd& t, double p) {
    const double largest = t.maxCoeff();
    if (largest == 0 || std::isinf(p)) return largest;
    if (p == 1) return t.sum();
    return largest * std::pow((t / largest).array().pow(p).sum(), 1 / p);
}

/// The nearest vector of l_p norm at most `radius`, 1 ≤ p ≤ ∞.
Eigen::VectorXd project_power(const Eigen::VectorXd& t, double p, double radius) {
    if (std::isinf(p)) return t.cwiseMin(radius);
    if (power_norm(t, p) <= radius) return t;
    if (p == 1) return project_capped(t, radius, radius);
    if (p == 2) return t * (radius / t.norm());
    const double largest = t.maxCoeff();
    Eigen::VectorXd sizes = t;
    Eigen::VectorXd shape(t.size());
    const auto count = static_cast<std::size_t>(t.size());
    const double norm =
        project_lp(p, radius / largest, largest, {sizes.data(), count}, {shape.data(), count});
    return shape * (radius / norm);
}

/// Entries that rounding has left adding up to another total get what is missing where t is largest, and lose what is too much where it
/// is smallest: as if t had been rounded otherwise.
void settle(const Eigen::ArrayXd& below, double cap, double total, Eigen::VectorXd& x) {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(x.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return below(a) < below(b); });
    double room = total;
    for (const Eigen::Index i : order) room -= x(i) = std::min({x(i), cap, std::max(room, 0.0)});
    for (const Eigen::Index i : order) {
        const double more = std::min(cap - x(i), std::max(room, 0.0));
        x(i) += more;
        room -= more;
    }
}

}  // namespace

Eigen::VectorXd project_capped(const Eigen::VectorXd& t, double cap, double total) {
    const Eigen::ArrayXd below = t.maxCoeff() - t.array();
    const auto at = [&](double level) -> Eigen::ArrayXd { return (level - below).max(0.0).min(cap); };
    double low = 0;
    double high = below.maxCoeff() + cap;
    // Halving until only the entries between 0 and cap are known; they then share what is left exactly.
    for (int k = 0; k < 200 && high - low > 1e-15 * high; ++k) {
        const double middle = (low + high) / 2;
        (at(middle).sum() < total ? low : high) = middle;
    }
    double between = 0;
    double count = 0;
    double rest = total;
    for (const double b : below) {
        if (high - b >= cap) {
            rest -= cap;
        } else if (high - b > 0) {
            between += b;
            count += 1;
        }
    }
    Eigen::VectorXd x = count == 0 ? at(high).matrix() : at((rest + between) / count).matrix();
    // What rounding has left over is shared by those between, as far as they can take it.
    const auto is_between = (x.array() > 0 && x.array() < cap).eval();
    if (const auto sharers = static_cast<double>(is_between.count()); sharers > 0) {
        const double more = (total - x.sum()) / sharers;
        x = is_between.select((x.array() + more).max(0.0).min(cap), x.array()).matrix();
    }
    settle(below, cap, total, x);
    return x;
}

double SpectralGauge::norm(const Eigen::VectorXd& t) const {
    if (k_ == 0) return power_norm(t, p_);
    Eigen::VectorXd sorted = t;  // what was shrunk may be out of order by rounding
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    return sorted.head(std::min(k_, t.size())).sum();
}

double SpectralGauge::dual(const Eigen::VectorXd& t) const {
    if (k_ > 0) return std::max(t(0), t.sum() / static_cast<double>(k_));
    return power_norm(t, std::isinf(p_) ? 1 : p_ / (p_ - 1));
}

Eigen::VectorXd SpectralGauge::vertex(const Eigen::VectorXd& t) const {
    const Eigen::VectorXd positive = (t.array() > 0).cast<double>();
    if (k_ > 0) {
        // Everything on the first, or the same on all: v₁ + … + v_k ≤ 1 has these extreme points.
        if (t(0) < t.sum() / static_cast<double>(k_)) return positive / static_cast<double>(k_);
        return Eigen::VectorXd::Unit(t.size(), 0);
    }
    if (std::isinf(p_)) return positive;
    const Eigen::VectorXd weights = (t / t(0)).array().pow(1 / (p_ - 1));
    return weights / power_norm(weights, p_);
}

double SpectralGauge::length(Index count) const {
    const double n = static_cast<double>(count);
    if (k_ > 0) return std::max(1.0, std::sqrt(n) / static_cast<double>(k_));
    return p_ <= 2 ? 1 : std::pow(n, 0.5 - 1 / p_);
}

Eigen::VectorXd SpectralGauge::project_dual(const Eigen::VectorXd& t, double bound) const {
    if (k_ == 0) return project_power(t, std::isinf(p_) ? 1 : p_ / (p_ - 1), bound);
    const double total = static_cast<double>(k_) * bound;
    const Eigen::VectorXd capped = t.cwiseMin(bound);
    return capped.sum() <= total ? capped : project_capped(t, bound, total);
}

Eigen::VectorXd SpectralGauge::project(const Eigen::VectorXd& t, double radius) const {
    if (k_ == 0) return project_power(t, p_, radius);
    if (norm(t) <= radius) return t;
    // What is taken away is the projection onto a ball of the dual norm: its bound ν by halving.
    double low = 0;
    double high = dual(t);
    for (int k = 0; k < 200 && high - low > 1e-16 * high; ++k) {
        const double middle = (low + high) / 2;
        (norm(t - project_dual(t, middle)) > radius ? low : high) = middle;
    }
    const Eigen::VectorXd left = (t - project_dual(t, low)).cwiseMax(0.0);
    const double reached = norm(left);
    // Rounding hides a radius that is too small beside t: what is left is the vertex.
    if (!(reached > radius / 2 && reached < 2 * radius)) return radius * vertex(t);
    return left * (radius / reached);
}

// The answer is t less its projection onto a ball of the dual norm (Moreau), whose bound is own, or more where the radius asks for
// more: then the norm is the radius, and own ‖u‖ a constant.
SpectralGauge::Shrunk SpectralGauge::shrink(const Eigen::VectorXd& t, double own, double radius) const {
    const Eigen::VectorXd free = own > 0 ? (t - project_dual(t, own)).cwiseMax(0.0).eval() : t;
    if (norm(free) <= radius) return {free, false};
    return {project(t, radius), true};
}

}  // namespace alfcg::region

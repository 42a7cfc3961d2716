#pragma once

// Slow, plain, independent versions of what the region tests compare with. Norms are computed in extended
// precision.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "alfcg/region/region.hpp"

namespace alfcg::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Real>
Matrix<Real> random_matrix(Shape shape, unsigned seed, double scale = 1) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    Matrix<Real> x(shape);
    for (Real& entry : x.span()) entry = static_cast<Real>(scale * normal(generator));
    return x;
}

template <class Real>
std::vector<long double> entries(const Matrix<Real>& x) {
    return {x.span().begin(), x.span().end()};
}

inline long double dot(const std::vector<long double>& a, const std::vector<long double>& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

inline long double distance(long double a, long double b) {
    return std::abs(a - b);
}

/// ‖x‖_p, 1 <= p <= infinity.
inline long double norm(const std::vector<long double>& x, long double p) {
    long double largest = 0;
    for (const long double entry : x) largest = std::max(largest, std::abs(entry));
    if (largest == 0 || std::isinf(p)) return largest;
    long double sum = 0;
    for (const long double entry : x) sum += std::pow(std::abs(entry) / largest, p);
    return largest * std::pow(sum, 1 / p);
}

/// The exponent of the dual norm.
inline long double dual(long double p) {
    if (p == 1) return std::numeric_limits<long double>::infinity();
    return std::isinf(p) ? 1 : p / (p - 1);
}

inline std::vector<long double> soft_threshold(std::vector<long double> x, long double threshold) {
    for (long double& entry : x) entry = std::copysign(std::max(std::abs(entry) - threshold, 0.0L), entry);
    return x;
}

/// <g, v> + l1 ‖v‖₁ + (l2/2) ‖v‖₂².
inline long double entrywise_objective(const std::vector<long double>& g, const std::vector<long double>& v,
                                       const Composite& h) {
    return dot(g, v) + h.l1 * norm(v, 1) + h.l2 / 2 * dot(v, v);
}

/// How far v is from minimising <g,·> + h over the l_p ball, at most: the variational inequality
/// <g + l2 v, u - v> + l1 (‖u‖₁ - ‖v‖₁) >= 0 at its worst u, whose value is -r ‖soft(g + l2 v)‖_q by Hölder's
/// inequality. Zero exactly at the minimum; never negative inside the ball.
inline long double optimality_gap(const std::vector<long double>& g, const std::vector<long double>& v,
                                  long double p, long double radius, const Composite& h) {
    std::vector<long double> slope(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) slope[i] = g[i] + h.l2 * v[i];
    return dot(slope, v) + h.l1 * norm(v, 1) + radius * norm(soft_threshold(slope, h.l1), dual(p));
}

/// Projection of y >= 0 onto {x >= 0, Σx <= radius}, by sorting.
inline std::vector<long double> project_simplex(const std::vector<long double>& y, long double radius) {
    if (norm(y, 1) <= radius) return y;
    std::vector<long double> sorted = y;
    std::sort(sorted.rbegin(), sorted.rend());
    long double sum = 0;
    long double threshold = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        sum += sorted[k];
        const long double candidate = (sum - radius) / static_cast<long double>(k + 1);
        if (sorted[k] > candidate) threshold = candidate;
    }
    std::vector<long double> x = y;
    for (long double& entry : x) entry = std::max(entry - threshold, 0.0L);
    return x;
}

}  // namespace alfcg::testing

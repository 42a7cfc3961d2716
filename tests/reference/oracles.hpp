// Regions and composite terms of spec 5: LMO(g) in argmin over v in X of <g,v> + h(v).
//
// Vectors are long double: its exponent range makes scaling against overflow unnecessary inside, and its
// extra digits leave the multipliers of the projections exact to double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "reference/problem.hpp"

namespace reference {

using Long = long double;
using LongVector = std::vector<Long>;

inline Long sign(Long value) {
    return static_cast<Long>((value > 0) - (value < 0));
}

// argmin <g,v> over ||v||_p <= r.
inline LongVector lp_vertex(const LongVector& g, Long p, Long r) {
    LongVector v(g.size(), 0.0L);
    Long largest = 0;
    for (const Long value : g) largest = std::max(largest, std::abs(value));
    if (largest == 0) return v;  // a zero gradient gives the origin
    if (p == 1) {
        // One signed coordinate; ties: the lowest index, row-major.
        for (std::size_t i = 0; i < g.size(); ++i)
            if (std::abs(g[i]) == largest) {
                v[i] = -r * sign(g[i]);
                return v;
            }
    }
    if (std::isinf(p)) {
        for (std::size_t i = 0; i < g.size(); ++i) v[i] = -r * sign(g[i]);
        return v;
    }
    // v_i = -r sign(g_i) (|g_i| / ||g||_q)^{q-1}
    const Long q = p / (p - 1);
    Long sum = 0;
    for (const Long value : g) sum += std::pow(std::abs(value) / largest, q);
    const Long norm = std::pow(sum, 1 / q);  // of g / largest
    for (std::size_t i = 0; i < g.size(); ++i)
        v[i] = -r * sign(g[i]) * std::pow(std::abs(g[i]) / largest / norm, q - 1);
    return v;
}

// a >= 0 with a + theta a^{p-1} = b, for b >= 0, theta > 0, 1 < p < infinity. In the unknown that makes the
// equation convex (a for p >= 2, a^{p-1} below) Newton's method from the right descends to the root.
inline Long shrunk(Long b, Long theta, Long p) {
    if (b == 0) return 0;
    const bool direct = p >= 2;
    const Long k = direct ? p - 1 : 1 / (p - 1);
    const Long linear = direct ? 1.0L : theta;  // linear s + power s^k = b
    const Long power = direct ? theta : 1.0L;
    Long s = std::min(b / linear, std::pow(b / power, 1 / k));
    for (int step = 0; step < 200; ++step) {
        const Long bend = power * std::pow(s, k - 1);
        const Long value = linear * s + bend * s - b;
        const Long slope = linear + k * bend;
        const Long next = s - value / slope;
        if (!(next < s) || next <= 0) break;
        s = next;
    }
    return direct ? s : std::pow(s, k);
}

// The point of the l_p ball of radius r nearest to b >= 0 (Euclidean), coordinate by coordinate >= 0.
inline LongVector nearest_in_ball(LongVector b, Long p, Long r) {
    if (std::isinf(p)) {
        for (Long& value : b) value = std::min(value, r);
        return b;
    }
    const auto p_sum = [&](const LongVector& a) {
        Long sum = 0;
        for (const Long value : a) sum += std::pow(value / r, p);
        return sum;
    };
    if (p_sum(b) <= 1) return b;
    if (p == 1) {
        // Subtract the threshold tau for which the positive parts sum to r: the largest k such that the k
        // largest values all exceed (their sum - r) / k. Measured from the largest value, so that r does not
        // drown in it.
        LongVector sorted = b;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        const Long top = sorted.front();
        Long sum = 0;
        Long tau = 0;
        for (std::size_t k = 0; k < sorted.size(); ++k) {
            sum += sorted[k] - top;
            const Long candidate = (sum - r) / static_cast<Long>(k + 1);
            if (sorted[k] - top > candidate) tau = candidate;
        }
        for (Long& value : b) value = std::max(value - top - tau, 0.0L);
        return b;
    }
    if (p == 2) {
        const Long norm = std::sqrt(p_sum(b));
        for (Long& value : b) value /= norm;
        return b;
    }
    // In units of r: a_i + theta a_i^{p-1} = b_i with the multiplier theta at which ||a||_p = 1. Since
    // a_i <= (b_i/theta)^{1/(p-1)}, theta is at most ||b||_q.
    const Long q = p / (p - 1);
    const Long largest = *std::max_element(b.begin(), b.end()) / r;
    Long q_sum = 0;
    for (const Long value : b) q_sum += std::pow(value / r / largest, q);
    Long low = 0;
    Long high = largest * std::pow(q_sum, 1 / q) * 1.0001L;
    LongVector a(b.size());
    const auto fill = [&](Long theta) {
        for (std::size_t i = 0; i < b.size(); ++i) a[i] = r * shrunk(b[i] / r, theta, p);
    };
    for (int halving = 0; halving < 200; ++halving) {
        const Long middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        fill(middle);
        (p_sum(a) > 1 ? low : high) = middle;
    }
    fill(high);
    return a;
}

inline Matrix lp_minimiser(const Problem& problem, const Matrix& g) {
    if (problem.nuclear != 0.0) throw std::invalid_argument("reference: nuclear term needs the nuclear ball");
    const Long p = exponent(problem);
    const Long r = problem.radius;
    LongVector flat;  // row-major
    for (Index i = 0; i < g.rows(); ++i)
        for (Index j = 0; j < g.cols(); ++j) {
            const Long value = g(i, j);
            // lambda ||.||_1: the same oracle on the soft-thresholded gradient.
            flat.push_back(sign(value) * std::max(std::abs(value) - static_cast<Long>(problem.l1), 0.0L));
        }
    LongVector v;
    if (problem.l2 == 0.0) {
        v = lp_vertex(flat, p, r);
    } else {
        // <g,v> + (mu/2)||v||^2 is (mu/2)||v + g/mu||^2 up to a constant: the ball's point nearest to -g/mu.
        LongVector b;
        for (const Long value : flat) b.push_back(std::abs(value) / static_cast<Long>(problem.l2));
        v = nearest_in_ball(b, p, r);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] *= -sign(flat[i]);
    }
    Matrix answer(g.rows(), g.cols());
    for (Index i = 0; i < g.rows(); ++i)
        for (Index j = 0; j < g.cols(); ++j)
            answer(i, j) = static_cast<double>(v[static_cast<std::size_t>(i * g.cols() + j)]);
    return answer;
}

inline Matrix nuclear_minimiser(const Problem& problem, const Matrix& g) {
    if (problem.l1 != 0.0) throw std::invalid_argument("reference: l1 term needs an l_p ball");
    const double largest = g.cwiseAbs().maxCoeff();
    if (largest == 0.0) return Matrix::Zero(g.rows(), g.cols());
    const Eigen::JacobiSVD<Matrix> svd(g / largest, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Vector& sigma = svd.singularValues();
    // On the singular values: threshold by the nuclear weight, then the l_1 ball with or without the square.
    LongVector thresholded;
    for (Index k = 0; k < sigma.size(); ++k)
        thresholded.push_back(std::max(
            static_cast<Long>(sigma(k)) * static_cast<Long>(largest) - static_cast<Long>(problem.nuclear),
            0.0L));
    LongVector a;
    if (problem.l2 == 0.0) {
        // -r u_1 v_1' if sigma_1 > lambda, else 0.
        a.assign(thresholded.size(), 0.0L);
        if (thresholded.front() > 0) a.front() = problem.radius;
    } else {
        for (Long& value : thresholded) value /= static_cast<Long>(problem.l2);
        a = nearest_in_ball(thresholded, 1, problem.radius);
    }
    Matrix answer = Matrix::Zero(g.rows(), g.cols());
    for (Index k = 0; k < sigma.size(); ++k) {
        const auto weight = static_cast<double>(a[static_cast<std::size_t>(k)]);
        if (weight != 0.0) answer -= weight * svd.matrixU().col(k) * svd.matrixV().col(k).transpose();
    }
    return answer;
}

// LMO(g)
inline Matrix linear_minimiser(const Problem& problem, const Matrix& g) {
    return problem.region == "nuclear" ? nuclear_minimiser(problem, g) : lp_minimiser(problem, g);
}

inline double nuclear_norm(const Matrix& x) {
    return Eigen::JacobiSVD<Matrix>(x).singularValues().sum();
}

// h(x)
inline double composite(const Problem& problem, const Matrix& x) {
    double value = 0.0;
    if (problem.l1 != 0.0) value += problem.l1 * x.cwiseAbs().sum();
    if (problem.l2 != 0.0) value += 0.5 * problem.l2 * x.squaredNorm();
    if (problem.nuclear != 0.0) value += problem.nuclear * nuclear_norm(x);
    return value;
}

// The norm whose ball of the given radius is the region: x is feasible when it is at most the radius.
inline double region_norm(const Problem& problem, const Matrix& x) {
    if (problem.region == "nuclear") return nuclear_norm(x);
    const double p = exponent(problem);
    const double largest = x.cwiseAbs().maxCoeff();
    if (std::isinf(p) || largest == 0.0) return largest;
    return largest * std::pow((x.cwiseAbs().array() / largest).pow(p).sum(), 1.0 / p);
}

// D: 2r, for p > 2 times n^{1/2 - 1/p}.
inline double diameter(const Problem& problem) {
    const double twice = 2.0 * problem.radius;
    if (problem.region == "nuclear") return twice;
    const double p = exponent(problem);
    const double n = static_cast<double>(problem.outputs) * static_cast<double>(problem.features());
    return p <= 2.0 ? twice : twice * std::pow(n, 0.5 - 1.0 / p);
}

}  // namespace reference

#include "region/leading_eigenvector.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "alfcg/core/error.hpp"
#include "core/decompositions.hpp"

namespace alfcg::region {

/// Whether every pivot of x - T is positive: then x bounds the eigenvalues of T (Sylvester).
bool LeadingEigenvector::bounds(double x) {
    double before = 0;  // off² / δ of the row above
    for (std::size_t i = 0; i < size(); ++i) {
        const double pivot = (x - diagonal(i)) - before;
        if (!(pivot > 1e-40)) return false;
        inverse_[i] = 1 / pivot;
        before = off(i) * off(i) * inverse_[i];
    }
    return true;
}

/// Laguerre's step for the polynomial det(x - T), whose roots are all real: from above it stays above the
/// largest root and converges cubically to it. With δ_i the pivots, r_i = δ_i'/δ_i and s_i = δ_i''/δ_i,
/// S₁ = Σ r_i is Σ 1/(x - λ_k) and S₂ = Σ r_i² - s_i is Σ 1/(x - λ_k)²: every term is positive.
double LeadingEigenvector::laguerre_step() const {
    double r = 0, s = 0;
    double first = 0, second = 0;
    double above = 0;  // off² / δ of the row above
    for (std::size_t i = 0; i < size(); ++i) {
        const double inverse = inverse_[i];
        s = above * (s - 2 * r * r) * inverse;
        r = (1 + above * r) * inverse;
        first += r;
        second += r * r - s;
        above = off(i) * off(i) * inverse;
    }
    const double n = static_cast<double>(size());
    return n / (first + std::sqrt(std::max(0.0, (n - 1) * (n * second - first * first))));
}

/// The largest eigenvalue of T to rounding, from above, with the pivots of that bound left in inverse_; -1 if
/// it cannot be had.
double LeadingEigenvector::root_from_above(double trace) {
    // Gershgorin's discs; the eigenvalues add up to the trace and none is negative.
    double x = 0;
    double left = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        const double right = std::abs(off(i));
        x = std::max(x, diagonal(i) + left + right);
        left = right;
    }
    const double room = 4 * unit_roundoff * static_cast<double>(size() + 4);
    x = std::min(x, trace) * (1 + room);
    if (!bounds(x)) return -1;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const double step = laguerre_step();
        if (!(step > 2 * unit_roundoff * x)) return x;
        if (bounds(x - step)) {
            x -= step;
            continue;
        }
        // Rounding has led below the root: stay above it by as little as possible.
        double margin = unit_roundoff * x;
        while (margin < step && !bounds(x - step + margin)) margin *= 2;
        if (margin < step) return x - step + margin;
        return bounds(x) ? x : -1;
    }
    return x;
}

/// Solves (x - T) z = z a few times: what belongs to the largest eigenvalue outgrows all else. True when z
/// attains x, to rounding.
bool LeadingEigenvector::inverse_iteration(double x) {
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) vector_[i] = 1 + 0.3 * static_cast<double>(i % 7);
    for (int iteration = 0; iteration < 3; ++iteration) {
        for (std::size_t i = 1; i < n; ++i) vector_[i] += off(i - 1) * inverse_[i - 1] * vector_[i - 1];
        vector_[n - 1] *= inverse_[n - 1];
        for (std::size_t i = n - 1; i-- > 0;)
            vector_[i] = inverse_[i] * (vector_[i] + off(i) * vector_[i + 1]);
        Eigen::Map<Eigen::VectorXd>(vector_.data(), static_cast<Index>(n)).stableNormalize();
    }
    double attained = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double next = i + 1 < n ? vector_[i + 1] : 0;
        attained += vector_[i] * (diagonal(i) * vector_[i] + 2 * off(i) * next);
    }
    return attained >= x * (1 - 16 * unit_roundoff * static_cast<double>(n + 4));
}

void LeadingEigenvector::solve(const double* entries, Index side, double* vector) {
    if (side == 1) {
        vector[0] = 1;
        return;
    }
    const Eigen::Map<const Eigen::MatrixXd> matrix(entries, side, side);
    // A trace near 1: squares stay in range, and nothing is rounded.
    const double trace = matrix.trace();
    const double scale = std::ldexp(1.0, -std::ilogb(trace));
    tridiagonal_.compute(entries, side, scale);
    inverse_.resize(static_cast<std::size_t>(side));
    vector_.resize(static_cast<std::size_t>(side));
    const double bound = root_from_above(trace * scale);
    if (bound > 0 && inverse_iteration(bound)) {
        std::copy(vector_.begin(), vector_.end(), vector);
        tridiagonal_.transform_back(vector);
        return;
    }
    const SymmetricPairs pairs(matrix);
    if (!pairs.converged()) throw Error("nuclear ball: the eigen-decomposition did not converge");
    Eigen::Map<Eigen::VectorXd>(vector, side) = pairs.eigenvectors().col(side - 1);
}

}  // namespace alfcg::region

#include "region/krylov_pair.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "region/magnitudes.hpp"
#include "region/products.hpp"

namespace alfcg::region {
namespace {

constexpr double rounding = 0x1p-53;

/// Uniform in (-1, 1), a fixed function of its arguments (the finaliser of splitmix64).
double pseudo_random(std::uint64_t seed, std::uint64_t i) {
    std::uint64_t bits = (seed + 1) * 0x9e3779b97f4a7c15U + i * 0xd1342543de82ef95U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

/// scale · G, seen from its shorter side.
template <class Real>
struct ScaledGradient {
    const Matrix<Real>& matrix;
    double scale;

    [[nodiscard]] bool wide() const { return matrix.rows() <= matrix.cols(); }
    [[nodiscard]] Index side() const { return std::min(matrix.rows(), matrix.cols()); }
    [[nodiscard]] Index length() const { return std::max(matrix.rows(), matrix.cols()); }
    void to_longer(const double* x, double* y) const {
        if (wide())
            transposed_times(matrix.data(), matrix.shape(), scale, x, y);
        else
            times(matrix.data(), matrix.shape(), scale, x, y);
    }
    void to_shorter(const double* x, double* y) const {
        if (wide())
            times(matrix.data(), matrix.shape(), scale, x, y);
        else
            transposed_times(matrix.data(), matrix.shape(), scale, x, y);
    }
    [[nodiscard]] double frobenius_squared() const {
        return sums(matrix.data(), matrix.size(), scale).squares;
    }
};

}  // namespace

template <class Real>
void KrylovPair::solve(const Matrix<Real>& gradient, double scale, double tolerance, bool certify) {
    const ScaledGradient<Real> scaled{gradient, scale};
    const bool warm = shape_ == gradient.shape();
    if (!warm) {
        shape_ = gradient.shape();
        side_ = scaled.side();
        shorter_.assign(static_cast<std::size_t>(side_), 0.0);
        longer_.assign(static_cast<std::size_t>(scaled.length()), 0.0);
        basis_.resize(side_, capacity);
        next_.resize(side_);
        correction_.resize(capacity);
        projected_.setZero(capacity, capacity);
    }
    begin(0, warm);
    search(scaled, certify ? tolerance / 4 : tolerance);  // the proof needs some room of its own
    take_pair(scaled);
    if (!certify) {
        upper_ = std::sqrt(ritz_ + eigenvalue_error());
    } else {
        // A Cholesky factorisation is worth its price as long as it is in reach.
        const double work =
            static_cast<double>(side_) * static_cast<double>(side_) * static_cast<double>(scaled.length());
        const bool cholesky = side_ <= cholesky_side && work <= 1e11;
        upper_ =
            std::sqrt(cholesky ? prove_by_cholesky(scaled, tolerance) : prove_by_basis(scaled, tolerance));
    }
    upper_ = std::max(upper_, value_);
}

void KrylovPair::begin(std::uint64_t seed, bool warm) {
    auto start = basis_.col(0);
    for (Index i = 0; i < side_; ++i) start(i) = pseudo_random(seed, static_cast<std::uint64_t>(i));
    start.normalize();
    if (warm) start = 0.1 * start + Eigen::Map<const Eigen::VectorXd>(shorter_.data(), side_);
    start.normalize();
    count_ = 1;
}

/// Multiplies the newest basis vector, and orthogonalises the product against the basis, twice: that is
/// enough.
template <class Operator>
void KrylovPair::extend(const Operator& gradient) {
    const auto basis = basis_.leftCols(count_);
    gradient.to_longer(basis_.col(count_ - 1).data(), longer_.data());
    gradient.to_shorter(longer_.data(), next_.data());
    auto column = projected_.col(count_ - 1).head(count_);
    column.noalias() = basis.transpose() * next_;
    next_.noalias() -= basis * column;
    auto correction = correction_.head(count_);
    correction.noalias() = basis.transpose() * next_;
    next_.noalias() -= basis * correction;
    column += correction;
    projected_.row(count_ - 1).head(count_) = column.transpose();
    beta_ = next_.norm();
}

void KrylovPair::append() {
    basis_.col(count_) = next_ / beta_;
    ++count_;
}

/// Ritz values of the basis, and the residual of the largest.
void KrylovPair::project() {
    solver_.compute(projected_.topLeftCorner(count_, count_));
    ritz_ = solver_.eigenvalues()(count_ - 1);
    second_ = count_ > 1 ? solver_.eigenvalues()(count_ - 2) : 0;
    residual_ = beta_ * std::abs(solver_.eigenvectors()(count_ - 1, count_ - 1));
}

/// Thick restart (Wu and Simon): the best Ritz vectors and the newest direction make the new basis, and the
/// relation M Q = Q H + β z eᵀ goes on holding.
void KrylovPair::restart() {
    const Eigen::MatrixXd best = basis_.leftCols(count_) * solver_.eigenvectors().rightCols(kept);
    basis_.leftCols(kept) = best;
    projected_.setZero();
    projected_.diagonal().head(kept) = solver_.eigenvalues().tail(kept);
    count_ = kept;
    append();
}

/// How far the largest Ritz value is thought to lie below the eigenvalue it stands for: quadratic in the
/// residual once it is separated from the next.
double KrylovPair::eigenvalue_error() const {
    const double separation = ritz_ - second_;
    return separation > 2 * residual_ ? residual_ * residual_ / (separation - residual_) : residual_;
}

bool KrylovPair::settled(double tolerance) const {
    return residual_ <= 1e-12 * ritz_ || eigenvalue_error() <= 2 * std::sqrt(ritz_) * tolerance;
}

template <class Operator>
void KrylovPair::search(const Operator& gradient, double tolerance) {
    Index check = first_check;
    for (Index products = 1; products <= most_products; ++products) {
        extend(gradient);
        const bool closed = beta_ <= 1e-15 * projected_.diagonal().head(count_).maxCoeff();
        const bool full = count_ == capacity;
        if (closed || full || count_ == check || products == most_products) {
            project();
            if (closed || settled(tolerance) || products == most_products) return;
            check = std::max(check, count_) + count_ / 4 + 2;
            if (full) {
                restart();
                check = kept + 16;
                continue;
            }
        }
        append();
    }
}

/// The Ritz vector, its partner, and the value they reach.
template <class Operator>
void KrylovPair::take_pair(const Operator& gradient) {
    Eigen::Map<Eigen::VectorXd> shorter(shorter_.data(), side_);
    shorter.noalias() = basis_.leftCols(count_) * solver_.eigenvectors().col(count_ - 1);
    shorter.normalize();
    gradient.to_longer(shorter_.data(), longer_.data());
    Eigen::Map<Eigen::VectorXd> longer(longer_.data(), gradient.length());
    value_ = longer.norm();
    longer /= value_;
}

/// Upper bound on (s σ₁)²: if t·I - M has a Cholesky factor then t bounds the eigenvalues of M, up to the
/// rounding errors of forming and factoring it, which are added: Rump's bound (n+1)·u·trace for the factor,
/// the depth of the sums for M.
template <class Operator>
double KrylovPair::prove_by_cholesky(const Operator& gradient, double tolerance) {
    AlignedVector<double> panel;
    Eigen::MatrixXd gram_matrix(side_, side_);
    gram(gradient.matrix.data(), gradient.matrix.shape(), gradient.scale, 1, panel, gram_matrix.data());
    const double n = static_cast<double>(side_);
    const double total = gram_matrix.trace();
    const double forming =
        2 * rounding * static_cast<double>(gram_depth(side_, gradient.length(), 1)) * total;
    const auto factoring = [&](double bound) {
        return 2 * rounding * ((n + 2) * std::max(n * bound - total, bound) + bound);
    };

    Eigen::MatrixXd shifted(side_, side_);
    double slack = 0;
    for (std::uint64_t attempt = 1;; ++attempt) {
        slack = std::max({slack, 2 * eigenvalue_error(), (forming + factoring(ritz_)) / 4});
        const double bound = value_ * value_ + slack;
        if (bound >= total) return total + forming;  // σ₁² <= ‖G‖_F² needs no proof
        shifted = -gram_matrix;
        shifted.diagonal().array() += bound;
        const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(shifted);
        if (factor.info() == Eigen::Success) return bound + forming + factoring(bound);
        // Either the bound was too tight, or the search has missed the largest value: look again from
        // elsewhere.
        slack *= 16;
        if (attempt > 3) continue;
        const AlignedVector<double> shorter = shorter_;
        const AlignedVector<double> longer = longer_;
        const double value = value_;
        begin(attempt, false);
        search(gradient, tolerance);
        take_pair(gradient);
        if (value_ > value * (1 + 1e-13)) {
            slack = 0;
        } else {
            shorter_ = shorter;
            longer_ = longer;
            value_ = value;
        }
    }
}

/// Upper bound on (s σ₁)² from the basis alone: σ_max(QᵀG)² + ‖G‖_F² - ‖QᵀG‖_F² (spec 5), with room for
/// rounding. Good when the basis holds nearly all of the gradient, weak otherwise, but always true.
template <class Operator>
double KrylovPair::prove_by_basis(const Operator& gradient, double tolerance) {
    const AlignedVector<double> longer = longer_;
    const double total = gradient.frobenius_squared();
    const auto outside = [&] { return std::max(0.0, total - projected_.diagonal().head(count_).sum()); };
    const double goal = std::max(1e-10 * ritz_, 2 * std::sqrt(ritz_) * tolerance);
    while (count_ < capacity && outside() > goal && beta_ > 1e-15 * ritz_) {
        append();
        extend(gradient);
    }
    project();
    longer_ = longer;  // served as scratch
    const double terms = static_cast<double>(gradient.length() + side_);
    return std::min(ritz_ + outside(), total) + 4 * rounding * terms * total;
}

template void KrylovPair::solve(const Matrix<float>&, double, double, bool);
template void KrylovPair::solve(const Matrix<double>&, double, double, bool);

}  // namespace alfcg::region

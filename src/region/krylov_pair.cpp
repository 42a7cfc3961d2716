#include "region/krylov_pair.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "core/matrix_product.hpp"
#include "kernels/magnitudes.hpp"

namespace alfcg::region {
namespace {

// How often a proof by chance may fail, and its steps: where as much as possible is asked for, these must do.
constexpr double chance = 1e-9;
constexpr Index least_chances = 24;
constexpr Index usual_chances = 96;
constexpr Index most_chances = 512;

/// Uniform in (-1, 1), a fixed function of its arguments (the finaliser of splitmix64).
double pseudo_random(std::uint64_t seed, std::uint64_t i) {
    std::uint64_t bits = (seed + 1) * 0x9e3779b97f4a7c15U + i * 0xd1342543de82ef95U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

}  // namespace

template <class Real>
bool KrylovPair::solve(const Matrix<Real>& gradient, double scale, double tolerance, bool certify,
                       int threads) {
    return find(ScaledGradient<Real>{gradient, scale, threads}, gradient.shape(), tolerance, certify);
}

template <class Real>
bool KrylovPair::solve(const PatternOperator<Real>& gradient, double tolerance, bool certify) {
    return find(gradient, gradient.pattern.shape, tolerance, certify);
}

template <class Real>
bool KrylovPair::solve(SharedGradient<Real>& gradient, Shape shape, double scale, double tolerance,
                       bool certify, int threads) {
    return find(SharedProducts<Real>{gradient, scale, threads}, shape, tolerance, certify);
}

template <class Operator>
bool KrylovPair::find(const Operator& scaled, Shape shape, double tolerance, bool certify) {
    if (shape_ != shape) take_shape(shape, Operator::is_sparse);
    least_share_ = certify && Operator::is_sparse && !cholesky_in_reach() ? chance_share : 0;
    begin(block * ++calls_, true);
    products_ = 0;
    if (!search(scaled, certify ? tolerance / 4 : tolerance)) return false;  // the proof needs some room
    const auto& pairs = ritz_pairs_.eigenvectors();
    best_ = product<Eigen::MatrixXd>(basis_.leftCols(count_), pairs.rightCols(std::min(count_, followed)));
    best_ = best_.rowwise().reverse().eval();
    take_pair(scaled);
    upper_ = std::sqrt(certify ? prove(scaled, tolerance) : ritz_ + eigenvalue_error());
    upper_ = std::max(upper_, value_);
    return true;
}

void KrylovPair::take_shape(Shape shape, bool sparse) {
    shape_ = shape;
    // From the right the matrix is read row by row, as it lies, which is worth a somewhat longer basis.
    side_ = shape.cols <= (sparse ? 1 : 4) * shape.rows ? kernels::Side::right : kernels::Side::left;
    length_ = side_ == kernels::Side::right ? shape.cols : shape.rows;
    best_.resize(length_, 0);
    make_room();
}

void KrylovPair::archive(Archive& state) {
    state(shape_, side_, length_, best_, calls_, products_);
    if (state.loading()) make_room();
}

void KrylovPair::make_room() {
    here_.assign(static_cast<std::size_t>(length_), 0.0);
    there_.assign(static_cast<std::size_t>(shape_.rows + shape_.cols - length_), 0.0);
    basis_.resize(length_, capacity);
    newest_.resize(length_, block);
    next_.resize(length_, block);
    along_.resize(capacity, block);
    projected_.setZero(capacity, capacity);
}

void KrylovPair::begin(std::uint64_t seed, bool warm) {
    const Index followed_now = warm ? best_.cols() : 0;
    next_.leftCols(followed_now) = best_.leftCols(followed_now);
    for (Index k = followed_now; k < block; ++k) {
        for (Index i = 0; i < length_; ++i)
            next_(i, k) = pseudo_random(seed + static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(i));
        next_.col(k).normalize();
    }
    width_ = block;
    count_ = 0;
    started_warm_ = followed_now > 0;
    fresh_ = orthonormalize(1e-8);
}

/// Makes the columns of next_, which are orthogonal to the basis, orthonormal; what is left of a column beside
/// the others and is shorter than `least`, or turns out to be rounding, is left out. The factor goes to
/// coupling_. Returns how many columns there are.
Index KrylovPair::orthonormalize(double least) {
    const auto basis = basis_.leftCols(count_);
    coupling_.setZero();
    Index rank = 0;
    for (Index k = 0; k < width_; ++k) {
        auto column = next_.col(k);
        const auto others = next_.leftCols(rank);
        for (int pass = 0; pass < 2; ++pass) {
            const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, block, 1> along = others.transpose() * column;
            column -= others * along;
            coupling_.col(k).head(rank) += along;
        }
        const double norm = column.norm();
        if (!(norm > least)) continue;
        // Little may be left, and then its rounding errors count: once more against everything.
        column /= norm;
        auto along = along_.col(0).head(count_);
        along.noalias() = basis.transpose() * column;
        column.noalias() -= basis * along;
        column -= others * (others.transpose() * column).eval();
        const double left = column.norm();
        if (left < 0.5) continue;
        coupling_(rank, k) = norm;
        next_.col(rank) = column / left;
        ++rank;
    }
    return rank;
}

void KrylovPair::append() {
    basis_.middleCols(count_, fresh_) = next_.leftCols(fresh_);
    count_ += fresh_;
    width_ = fresh_;
}

/// Multiplies the newest block of the basis, and orthogonalises the product against the basis, twice: that is
/// enough.
template <class Operator>
void KrylovPair::extend(const Operator& gradient) {
    newest_.leftCols(width_) = basis_.middleCols(count_ - width_, width_);
    newest_.rightCols(block - width_).setZero();
    gradient.normal_product(side_, newest_, next_, scratch_);
    ++products_;
    const double size = next_.colwise().norm().maxCoeff();
    const auto basis = basis_.leftCols(count_);
    auto columns = projected_.block(0, count_ - width_, count_, width_);
    columns.setZero();
    for (int pass = 0; pass < 2; ++pass) {
        auto along = along_.topLeftCorner(count_, width_);
        along.setZero();
        add_product(1, basis.transpose(), next_.leftCols(width_), along);
        auto rest = next_.leftCols(width_);
        add_product(-1, basis, along, rest);
        columns += along;
    }
    auto diagonal = columns.bottomRows(width_);
    diagonal = (0.5 * (diagonal + diagonal.transpose())).eval();
    const Index before = count_ - width_;
    projected_.block(before, 0, width_, before) = columns.topRows(before).transpose();
    fresh_ = orthonormalize(1e-14 * size);
}

/// Ritz values of the basis, and the residual of the largest.
void KrylovPair::project() {
    ritz_pairs_ = SymmetricPairs(projected_.topLeftCorner(count_, count_));
    ritz_ = ritz_pairs_.eigenvalues()(count_ - 1);
    second_ = count_ > 1 ? ritz_pairs_.eigenvalues()(count_ - 2) : 0;
    residual_ = (coupling_.topLeftCorner(fresh_, width_) *
                 ritz_pairs_.eigenvectors().col(count_ - 1).segment(count_ - width_, width_))
                    .norm();
}

/// Thick restart (Wu and Simon): the best Ritz vectors make the new basis, the newest block is appended next,
/// and the relation M Q = Q H + Z R Eᵀ goes on holding.
void KrylovPair::restart() {
    const auto best =
        product<Eigen::MatrixXd>(basis_.leftCols(count_), ritz_pairs_.eigenvectors().rightCols(kept));
    basis_.leftCols(kept) = best;
    projected_.setZero();
    projected_.diagonal().head(kept) = ritz_pairs_.eigenvalues().tail(kept);
    count_ = kept;
}

/// How far the largest Ritz value is thought to lie below the eigenvalue it stands for: quadratic in the
/// residual once it is separated from the next.
double KrylovPair::eigenvalue_error() const {
    const double separation = ritz_ - second_;
    return separation > 2 * residual_ ? residual_ * residual_ / (separation - residual_) : residual_;
}

bool KrylovPair::settled(double tolerance) const {
    return residual_ <= 1e-12 * ritz_ ||
           eigenvalue_error() <= std::max(2 * std::sqrt(ritz_) * tolerance, 2 * ritz_ * least_share_);
}

template <class Operator>
bool KrylovPair::search(const Operator& gradient, double tolerance) {
    double followed_ritz = 0;  // what the start is worth
    Index check = 0;           // steps after which to look
    for (Index step = 1;; ++step) {
        append();
        extend(gradient);
        if (step == 1) {
            const double trace = projected_.diagonal().head(count_).sum();
            if (!(trace > 1e-200 && trace < 1e200)) return false;
            project();
            followed_ritz = ritz_;
            check = started_warm_ ? warm_steps : cold_steps;
        }
        const bool full = count_ + fresh_ > capacity;
        if (fresh_ == 0 || full || step >= check || step == most_steps) {
            project();
            if (fresh_ == 0 || step == most_steps) return true;
            // A start that has proved poor is as good as none: what was not expected needs time to show.
            if (settled(tolerance) && (step >= cold_steps || followed_ritz >= 0.9 * ritz_)) return true;
            check = step + 1 + step / 8;
            if (full) restart();
        }
    }
}

/// The Ritz vector, its partner, and the value they reach.
template <class Operator>
void KrylovPair::take_pair(const Operator& gradient) {
    Eigen::Map<Eigen::VectorXd> here(here_.data(), length_);
    here.noalias() = basis_.leftCols(count_) * ritz_pairs_.eigenvectors().col(count_ - 1);
    here.normalize();
    gradient.to_other_side(side_, here_, there_);
    value_ = std::sqrt(kernels::sums(there_.data(), static_cast<Index>(there_.size())).squares);
    for (double& entry : there_) entry /= value_;
}

bool KrylovPair::cholesky_in_reach() const {
    const double side = static_cast<double>(std::min(shape_.rows, shape_.cols));
    const double length = static_cast<double>(std::max(shape_.rows, shape_.cols));
    return side <= cholesky_side && side * side * length <= 1e11;
}

/// Upper bound on (s σ₁)². A Cholesky factorisation is worth its price as long as it is in reach.
template <class Operator>
double KrylovPair::prove(const Operator& gradient, double tolerance) {
    if (cholesky_in_reach()) return prove_by_cholesky(gradient, tolerance);
    if constexpr (Operator::is_sparse) return prove_by_chance(gradient, tolerance);
    return prove_by_basis(gradient, tolerance);
}

/// Lanczos' method from four vectors that point anywhere with the same probability, each for itself, falls short of the largest
/// eigenvalue by more than its share ε with probability 1.648 √n exp(−√ε (2q − 1)) at most after q steps (Kuczyński and Woźniakowski
/// 1992); all four do with the fourth power of that. A matrix with many large singular values, as noise has them, can be bounded
/// in no other way in this time: the part of it outside of any small basis is most of it.
template <class Operator>
double KrylovPair::prove_by_chance(const Operator& gradient, double tolerance) {
    const double wanted = std::max(2 * tolerance / std::sqrt(ritz_), 1e-9);  // share of the eigenvalue
    const double decay = std::log(1.648 * std::sqrt(static_cast<double>(length_))) -
                         std::log(chance) / static_cast<double>(block);
    const auto steps =
        static_cast<Index>(std::clamp((decay / std::sqrt(wanted) + 1) / 2, static_cast<double>(least_chances),
                                      static_cast<double>(tolerance > 0 ? most_chances : usual_chances)));
    Eigen::MatrixXd before = Eigen::MatrixXd::Zero(length_, block);
    Eigen::MatrixXd now(length_, block);
    Eigen::MatrixXd product(length_, block);
    const std::uint64_t seed = calls_ ^ 0x5bd1e995cafef00dU;
    for (Index k = 0; k < block; ++k) {
        for (Index i = 0; i < length_; ++i) {
            // Normal numbers, so that no direction is preferred.
            const auto at = static_cast<std::uint64_t>(2 * i);
            const double u = (pseudo_random(seed + static_cast<std::uint64_t>(k) * 977, at) + 1) / 2;
            const double v = pseudo_random(seed + static_cast<std::uint64_t>(k) * 977, at + 1);
            now(i, k) = std::sqrt(-2 * std::log(std::max(u, 0x1p-53))) * std::cos(std::numbers::pi * v);
        }
        now.col(k).normalize();
    }
    Eigen::MatrixXd diagonal = Eigen::MatrixXd::Zero(steps, block);
    Eigen::MatrixXd off = Eigen::MatrixXd::Zero(steps, block);
    for (Index step = 0; step < steps; ++step) {
        gradient.normal_product(side_, now, product, scratch_);
        for (Index k = 0; k < block; ++k) {
            if (step > 0) product.col(k) -= off(step - 1, k) * before.col(k);
            diagonal(step, k) = now.col(k).dot(product.col(k));
            product.col(k) -= diagonal(step, k) * now.col(k);
            off(step, k) = product.col(k).norm();
            if (off(step, k) > 0) product.col(k) /= off(step, k);
        }
        before.swap(now);
        now.swap(product);
    }
    double largest = value_ * value_;
    for (Index k = 0; k < block; ++k) {
        largest =
            std::max(largest, tridiagonal_values(diagonal.col(k), off.col(k).head(steps - 1))(steps - 1));
    }
    const double root = decay / static_cast<double>(2 * steps - 1);
    const double share = root < 1 ? root * root : 1;
    const double total = gradient.frobenius_squared();
    return share < 1 ? std::min(largest / (1 - share) + 1e-13 * total, total) : total;
}

/// If t·I - M has a Cholesky factor then t bounds the eigenvalues of M, up to the rounding errors of forming
/// and factoring it, which are added: Rump's bound (n+1)·u·trace for the factor, the depth of the sums for M.
template <class Operator>
double KrylovPair::prove_by_cholesky(const Operator& gradient, double tolerance) {
    const Index side = std::min(shape_.rows, shape_.cols);
    Eigen::MatrixXd gram_matrix(side, side);
    gradient.gram(gram_matrix, scratch_);
    const double n = static_cast<double>(side);
    const double total = gram_matrix.trace();
    const double forming = 2 * unit_roundoff * static_cast<double>(gradient.gram_depth()) * total;
    const auto factoring = [&](double bound) {
        return 2 * unit_roundoff * ((n + 2) * std::max(n * bound - total, bound) + bound);
    };

    Eigen::MatrixXd shifted(side, side);
    double slack = 0;
    for (std::uint64_t attempt = 1;; ++attempt) {
        slack = std::max({slack, 2 * eigenvalue_error(), (forming + factoring(ritz_)) / 4});
        const double bound = value_ * value_ + slack;
        if (bound >= total) return total + forming;  // σ₁² <= ‖G‖_F² needs no proof
        shifted = -gram_matrix;
        shifted.diagonal().array() += bound;
        if (has_cholesky_factor(shifted)) return bound + forming + factoring(bound);
        // Either the bound was too tight, or the search has missed the largest value: look again from
        // elsewhere.
        slack *= 16;
        if (attempt > 3) continue;
        const AlignedVector<double> here = here_;
        const AlignedVector<double> there = there_;
        const double value = value_;
        begin(block * (calls_ + (attempt << 32U)), false);
        static_cast<void>(search(gradient, tolerance));
        take_pair(gradient);
        if (value_ > value * (1 + 1e-13)) {
            slack = 0;
        } else {
            here_ = here;
            there_ = there;
            value_ = value;
        }
    }
}

/// From the basis alone: σ_max(QᵀG)² + ‖G‖_F² - ‖QᵀG‖_F² (spec 5), with room for rounding. Good when the
/// basis holds nearly all of the gradient, weak otherwise, but always true.
template <class Operator>
double KrylovPair::prove_by_basis(const Operator& gradient, double tolerance) {
    const double total = gradient.frobenius_squared();
    const auto outside = [&] { return std::max(0.0, total - projected_.diagonal().head(count_).sum()); };
    const double goal = std::max(1e-10 * ritz_, 2 * std::sqrt(ritz_) * tolerance);
    while (fresh_ > 0 && count_ + fresh_ <= capacity && outside() > goal) {
        append();
        extend(gradient);
    }
    project();
    const double terms = static_cast<double>(shape_.rows + shape_.cols);
    return std::min(ritz_ + outside(), total) + 4 * unit_roundoff * terms * total;
}

template bool KrylovPair::solve(const Matrix<float>&, double, double, bool, int);
template bool KrylovPair::solve(const Matrix<double>&, double, double, bool, int);
template bool KrylovPair::solve(SharedGradient<float>&, Shape, double, double, bool, int);
template bool KrylovPair::solve(SharedGradient<double>&, Shape, double, double, bool, int);
template bool KrylovPair::solve(const PatternOperator<float>&, double, bool);
template bool KrylovPair::solve(const PatternOperator<double>&, double, bool);

}  // namespace alfcg::region

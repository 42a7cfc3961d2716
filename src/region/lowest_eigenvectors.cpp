#include "region/lowest_eigenvectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/decompositions.hpp"
#include "core/matrix_product.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/products.hpp"

// The proof. With an orthonormal basis [U Z] of the space, A = s I − S has blocks B = UᵀAU, C = ZᵀAU and D = ZᵀAZ. For every τ > 0
//
//     ( 0  Cᵀ )     ( CᵀC/τ   0  )
//     ( C  0  )  ⪯  (  0     τ I ),
//
// so that with β the smallest eigenvalue of B and δ a bound on those of D, the k largest eigenvalues of A add up to no more than
// tr B + ‖C‖²/τ + k (δ + τ − β)₊. ‖C‖ = ‖AU − UB‖ is the residual, and δ is proven by a Cholesky factor of δ I − ZZᵀAZZᵀ.
namespace alfcg::region {
namespace {

using Square = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

Square square_view(const Matrix<double>& x) {
    return {x.data(), x.rows(), x.cols()};
}

}  // namespace

void LowestEigenvectors::solve(const Matrix<double>& symmetric, Index count, double tolerance, bool certify,
                               int threads) {
    search(symmetric, count, tolerance, certify, threads);
    // Where eigenvalues lie close together, a value may be right to twice the digits that its proof has: all of them are needed.
    if (certify && missed_ > tolerance && tolerance > 0) search(symmetric, count, 0, true, threads);
}

void LowestEigenvectors::search(const Matrix<double>& symmetric, Index count, double tolerance, bool certify,
                                int threads) {
    const Index side = symmetric.rows();
    const auto s = square_view(symmetric);
    // No eigenvalue is larger than the largest row sum, or than the Frobenius norm.
    shift_ = 1.0625 * std::min(s.cwiseAbs().rowwise().sum().maxCoeff(), s.norm());
    shifted_.reshape(symmetric.shape());
    std::transform(symmetric.span().begin(), symmetric.span().end(), shifted_.span().begin(),
                   [](double entry) { return -entry; });
    for (Index i = 0; i < side; ++i) shifted_(i, i) += shift_;
    vectors_.resize(side, count);
    product_.resize(static_cast<std::size_t>(side));
    while (std::ssize(pairs_) < count) pairs_.push_back(std::make_unique<KrylovPair>());
    double estimate = 0;
    for (Index k = 0; k < count; ++k) {
        KrylovPair& pair = *pairs_[static_cast<std::size_t>(k)];
        // s I − S is at least s/17 everywhere, and what is left of it too, but for the directions that were taken out.
        if (!pair.solve(shifted_, 1, tolerance / static_cast<double>(2 * count), false, threads)) break;
        estimate += pair.upper() - pair.value();
        take(k, pair.right());
        if (k + 1 < count || certify) deflate(k);
    }
    Eigen::MatrixXd products(side, count);
    for (Index k = 0; k < count; ++k)
        kernels::times(symmetric.data(), symmetric.shape(), 1, vectors_.col(k).data(), products.col(k).data(),
                       threads);
    projected_ = product<Eigen::MatrixXd>(vectors_.transpose(), products);
    projected_ = (0.5 * (projected_ + projected_.transpose())).eval();
    values_ = projected_.diagonal();
    add_product(-1, vectors_, projected_, products);  // what is left of them
    const double outside = products.norm();
    missed_ =
        certify ? proven(symmetric, outside, tolerance, threads) : std::max(estimate, unit_roundoff * shift_);
}

/// A unit vector orthogonal to those before.
void LowestEigenvectors::take(Index k, const AlignedVector<double>& found) {
    auto vector = vectors_.col(k);
    vector = Eigen::Map<const Eigen::VectorXd>(found.data(), vectors_.rows());
    const auto others = vectors_.leftCols(k);
    for (int pass = 0; pass < 2; ++pass) vector -= others * (others.transpose() * vector).eval();
    vector.normalize();
}

/// A ← (I − uuᵀ) A (I − uuᵀ).
void LowestEigenvectors::deflate(Index k) {
    const auto u = vectors_.col(k);
    const Eigen::VectorXd product = square_view(shifted_) * u;
    const Eigen::VectorXd half = product - 0.5 * u.dot(product) * u;
    for (Index i = 0; i < shifted_.rows(); ++i)
        for (Index j = 0; j < shifted_.cols(); ++j) shifted_(i, j) -= u(i) * half(j) + half(i) * u(j);
}

/// Whether a Cholesky factor proves that no eigenvalue of what is left is above the bound, up to rounding.
bool LowestEigenvectors::bounded_by(double bound) const {
    Eigen::MatrixXd rest = -square_view(shifted_);
    rest.diagonal().array() += bound;
    return has_cholesky_factor(rest);
}

double LowestEigenvectors::proven(const Matrix<double>& symmetric, double outside, double tolerance,
                                  int threads) {
    const Index side = symmetric.rows();
    const double n = static_cast<double>(side);
    const double count = static_cast<double>(vectors_.cols());
    const double least = shift_ - symmetric_values(projected_).maxCoeff();  // β
    // Products, sums and orthogonality of the vectors are rounded.
    const double rounding = 16 * unit_roundoff * (count + 1) * (std::sqrt(n) + 4) * shift_;
    const double residual = std::exchange(outside, outside + rounding);
    const auto missed = [&](double bound) {
        const double separation = std::max(least - bound, outside / std::sqrt(count));
        return outside * outside / separation + count * std::max(bound + separation - least, 0.0) +
               count * rounding;
    };
    if (side > cholesky_side) {
        // ‖ZZᵀSZZᵀ‖_F bounds the eigenvalues of S that are left: good when there is little left of it.
        const double total = kernels::sums(symmetric.data(), symmetric.size(), 1, threads).squares;
        const double found = projected_.squaredNorm() + 2 * residual * residual;
        return missed(shift_ + std::sqrt(std::max(total - found, 0.0)) + rounding);
    }
    // Rump's bound for what Cholesky factors prove.
    const auto factoring = [&](double bound) { return 2 * unit_roundoff * (n + 2) * n * std::abs(bound); };
    // As far below β as makes the residual harmless, then nearer and nearer, then above.
    const double target = std::max(tolerance / 2, count * rounding);
    double separation = std::min(least / 2, std::max(outside * outside / target, outside));
    for (int attempt = 0; attempt < 4; ++attempt, separation /= 16) {
        const double bound = least - separation;
        if (bounded_by(bound)) return missed(bound + factoring(bound) + rounding);
    }
    for (double above = std::max({outside, tolerance / (4 * count), rounding});; above *= 16) {
        const double bound = least + above;
        if (bound >= 2 * shift_) return missed(2 * shift_);  // no eigenvalue of A is larger
        if (bounded_by(bound)) return missed(bound + factoring(bound) + rounding);
    }
}

}  // namespace alfcg::region

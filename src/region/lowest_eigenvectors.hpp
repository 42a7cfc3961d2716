#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "region/krylov_pair.hpp"

namespace alfcg::region {

/// Eigenvectors of the smallest eigenvalues of a large symmetric matrix S: Krylov's method on the positive semidefinite s I − S, one
/// vector after the other, each begun where the last call ended. What it finds is proven afterwards, not trusted.
class LowestEigenvectors {
  public:
    /// Finds `count` of them, whose Rayleigh quotients add up to the least sum possible within `tolerance`, as it is thought. With
    /// certify = true, missed() is proven, else it is an estimate.
    void solve(const Matrix<double>& symmetric, Index count, double tolerance, bool certify, int threads);

    [[nodiscard]] const Eigen::MatrixXd& vectors() const { return vectors_; }  // orthonormal columns
    [[nodiscard]] const Eigen::VectorXd& values() const { return values_; }    // their Rayleigh quotients
    /// How far the sum of the values may lie above the sum of so many smallest eigenvalues.
    [[nodiscard]] double missed() const { return missed_; }

    void archive(Archive& state) {
        state.visit_count(pairs_);
        for (auto& pair : pairs_)
            if (state.has(pair, [] { return std::make_unique<KrylovPair>(); })) state(*pair);
    }

  private:
    static constexpr Index cholesky_side = 3000;

    void search(const Matrix<double>& symmetric, Index count, double tolerance, bool certify, int threads);
    void take(Index k, const AlignedVector<double>& found);
    void deflate(Index k);
    [[nodiscard]] bool bounded_by(double bound) const;
    [[nodiscard]] double proven(const Matrix<double>& symmetric, double outside, double tolerance,
                                int threads);

    double shift_ = 0;           // s
    Matrix<double> shifted_;     // s I − S, less what has been found
    Eigen::MatrixXd vectors_;    // U
    Eigen::MatrixXd projected_;  // Uᵀ S U
    Eigen::VectorXd values_;
    double missed_ = 0;
    std::vector<std::unique_ptr<KrylovPair>> pairs_;
    AlignedVector<double> product_;
};

}  // namespace alfcg::region

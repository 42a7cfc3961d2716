#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// Leading singular pair of a matrix with one short side, from an eigen-decomposition of its Gram matrix:
/// exact to rounding. Up to `inline_side` nothing is allocated once the shape has been seen.
class GramPair {
  public:
    static constexpr Index inline_side = 128;
    static constexpr Index largest_side = 256;

    /// False when the matrix is zero. Throws Error when an entry is not finite.
    template <class Real>
    bool solve(const Matrix<Real>& gradient);

    [[nodiscard]] double scale() const { return scale_; }  // what the gradient was multiplied by
    [[nodiscard]] double value() const { return value_; }  // scale · σ₁
    [[nodiscard]] const AlignedVector<double>& shorter() const {
        return shorter_;
    }  // unit vector of the shorter side
    [[nodiscard]] const AlignedVector<double>& longer() const { return longer_; }

  private:
    void leading_vector(Index side);

    using Inline =
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, inline_side, inline_side>;

    double scale_ = 1;
    double value_ = 0;
    AlignedVector<double> shorter_;
    AlignedVector<double> longer_;
    AlignedVector<double> gram_;
    AlignedVector<double> panel_;
    Eigen::SelfAdjointEigenSolver<Inline> small_solver_;
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver_;
};

}  // namespace alfcg::region

#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cstdint>

#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// Leading singular pair of a matrix with two long sides: Lanczos' method on the Gram operator of the shorter
/// side (Golub and Kahan's bidiagonalisation, seen from that side), fully reorthogonalised, restarted with
/// its best vectors when the basis is full, and started from the previous answer mixed with a fixed
/// pseudo-random vector, so that no invariant subspace can hold it.
class KrylovPair {
  public:
    /// Finds the pair of scale · G, G finite and not zero. Stops when the value is estimated to be within
    /// `tolerance` of scale · σ₁; 0 asks for all digits. With certify = true upper() is proven, else it is an
    /// estimate.
    template <class Real>
    void solve(const Matrix<Real>& gradient, double scale, double tolerance, bool certify);

    [[nodiscard]] double value() const { return value_; }  // scale · uᵀGv
    [[nodiscard]] double upper() const { return upper_; }  // at least scale · σ₁
    [[nodiscard]] const AlignedVector<double>& left() const {
        return shape_.rows <= shape_.cols ? shorter_ : longer_;
    }
    [[nodiscard]] const AlignedVector<double>& right() const {
        return shape_.rows <= shape_.cols ? longer_ : shorter_;
    }

  private:
    static constexpr Index capacity = 96;  // basis vectors
    static constexpr Index kept = 32;      // Ritz vectors that survive a restart
    static constexpr Index first_check = 10;
    static constexpr Index most_products = 4000;
    static constexpr Index cholesky_side = 3000;

    template <class Operator>
    void search(const Operator& gradient, double tolerance);
    template <class Operator>
    void extend(const Operator& gradient);
    void append();
    void project();
    void restart();
    void begin(std::uint64_t seed, bool warm);
    template <class Operator>
    void take_pair(const Operator& gradient);
    [[nodiscard]] double eigenvalue_error() const;
    [[nodiscard]] bool settled(double tolerance) const;
    template <class Operator>
    double prove_by_cholesky(const Operator& gradient, double tolerance);
    template <class Operator>
    double prove_by_basis(const Operator& gradient, double tolerance);

    using Inline = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, capacity, capacity>;

    Shape shape_;
    Index side_ = 0;
    double value_ = 0;
    double upper_ = 0;
    AlignedVector<double> shorter_;
    AlignedVector<double> longer_;

    // M Q = Q H + β z eᵀ with M = s²GGᵀ (or s²GᵀG), Q orthonormal, z a unit vector orthogonal to Q.
    Eigen::MatrixXd basis_;  // Q, `count_` columns in use
    Index count_ = 0;
    Inline projected_;      // H = QᵀMQ
    Eigen::VectorXd next_;  // z, not normalised
    double beta_ = 0;       // ‖next_‖
    Eigen::VectorXd correction_;
    Eigen::SelfAdjointEigenSolver<Inline> solver_;
    double ritz_ = 0;      // largest eigenvalue of H, an estimate of (s σ₁)²
    double second_ = 0;    // the one below it
    double residual_ = 0;  // ‖M u - ritz u‖
};

}  // namespace alfcg::region

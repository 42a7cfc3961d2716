#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "alfcg/core/matrix.hpp"
#include "core/decompositions.hpp"
#include "kernels/products.hpp"
#include "region/gradient_operators.hpp"
#include "region/pattern_operator.hpp"

namespace alfcg::region {

/// Leading singular pair of a matrix with two long sides: Lanczos' method on the Gram operator of one side, in
/// blocks of four vectors that one read of the matrix multiplies, fully reorthogonalised, restarted with its
/// best vectors when the basis is full. It starts from the best vectors of the previous answer, because a step
/// towards the leading pair brings those behind it to the front, and from a pseudo-random one, so that no
/// invariant subspace can hold it.
class KrylovPair {
  public:
    /// Finds the pair of scale · G, G not zero. Stops when the value is estimated to be within `tolerance` of
    /// scale · σ₁; 0 asks for all digits. With certify = true upper() is proven, else it is an estimate. False,
    /// and nothing else, when the squares of scale · G are out of range, zero or not finite.
    template <class Real>
    [[nodiscard]] bool solve(const Matrix<Real>& gradient, double scale, double tolerance, bool certify,
                             int threads);

    /// The same of a gradient that ranks have shares of.
    template <class Real>
    [[nodiscard]] bool solve(SharedGradient<Real>& gradient, Shape shape, double scale, double tolerance,
                             bool certify, int threads);

    /// The same of a matrix that is known at a few places; where its sides are too long for anything else, upper() is proven but for one
    /// random start in a billion.
    template <class Real>
    [[nodiscard]] bool solve(const PatternOperator<Real>& gradient, double tolerance, bool certify);

    [[nodiscard]] double value() const { return value_; }  // scale · uᵀGv
    [[nodiscard]] double upper() const { return upper_; }  // at least scale · σ₁
    [[nodiscard]] const AlignedVector<double>& left() const {
        return side_ == kernels::Side::left ? here_ : there_;
    }
    [[nodiscard]] const AlignedVector<double>& right() const {
        return side_ == kernels::Side::left ? there_ : here_;
    }

    /// With blocks of vectors, in the last search; and the fewest that one takes.
    [[nodiscard]] Index products() const { return products_; }
    static constexpr Index fewest_products = 3;

    /// Where the next search begins.
    void archive(Archive& state);

  private:
    static constexpr Index block = kernels::block_columns;
    static constexpr Index capacity = 96;  // basis vectors
    static constexpr Index kept = 32;      // Ritz vectors that survive a restart
    static constexpr Index followed = 3;   // Ritz vectors that start the next search
    static constexpr Index warm_steps = fewest_products;
    static constexpr Index cold_steps = 6;
    static constexpr Index most_steps = 2000;
    static constexpr Index cholesky_side = 3000;
    static constexpr double chance_share = 1e-4;  // of the value: a proof by chance tells no finer

    void take_shape(Shape shape, bool sparse);
    void make_room();
    void begin(std::uint64_t seed, bool warm);
    template <class Operator>
    [[nodiscard]] bool search(const Operator& gradient, double tolerance);
    template <class Operator>
    void extend(const Operator& gradient);
    Index orthonormalize(double least);
    void append();
    void project();
    void restart();
    template <class Operator>
    void take_pair(const Operator& gradient);
    [[nodiscard]] double eigenvalue_error() const;
    [[nodiscard]] bool settled(double tolerance) const;
    [[nodiscard]] bool cholesky_in_reach() const;
    template <class Operator>
    double prove(const Operator& gradient, double tolerance);
    template <class Operator>
    double prove_by_cholesky(const Operator& gradient, double tolerance);
    template <class Operator>
    double prove_by_basis(const Operator& gradient, double tolerance);
    template <class Operator>
    double prove_by_chance(const Operator& gradient, double tolerance);
    template <class Operator>
    [[nodiscard]] bool find(const Operator& gradient, Shape shape, double tolerance, bool certify);

    Shape shape_;
    // Whose Gram operator M is used: s²GGᵀ (left) or s²GᵀG (right).
    kernels::Side side_ = kernels::Side::right;
    Index length_ = 0;  // of vectors on that side
    double value_ = 0;
    double upper_ = 0;
    AlignedVector<double> here_;   // singular vector of that side
    AlignedVector<double> there_;  // and of the other
    Eigen::MatrixXd best_;         // Ritz vectors of the last answer, the best first
    std::uint64_t calls_ = 0;
    Index products_ = 0;
    bool started_warm_ = false;
    double least_share_ = 0;  // of the value: no search need be finer

    // M Q = Q H + Z R Eᵀ with Q orthonormal, E the last block of the identity, Z an orthonormal block
    // orthogonal to Q.
    Eigen::MatrixXd basis_;  // Q, `count_` columns in use
    Index count_ = 0;
    Index width_ = 0;            // columns of the newest block of Q
    Eigen::MatrixXd projected_;  // H = QᵀMQ
    Eigen::MatrixXd newest_;     // that block, for a product
    Eigen::MatrixXd next_;       // Z, `fresh_` columns
    Index fresh_ = 0;
    Eigen::Matrix<double, block, block> coupling_;  // R, fresh_ x width_
    Eigen::MatrixXd along_;
    AlignedVector<double> scratch_;
    SymmetricPairs ritz_pairs_;
    double ritz_ = 0;      // largest eigenvalue of H, an estimate of (s σ₁)²
    double second_ = 0;    // the one below it
    double residual_ = 0;  // ‖M u - ritz u‖
};

}  // namespace alfcg::region

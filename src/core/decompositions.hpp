#pragma once

#include <Eigen/Core>

namespace alfcg {

/// Relative error of an operation in double precision.
inline constexpr double unit_roundoff = 0x1p-53;

// Decompositions of small matrices in double precision, compiled once: Eigen's templates take seconds wherever they stand.

/// Eigenvalues of a symmetric matrix, smallest first, with unit eigenvectors as columns.
class SymmetricPairs {
  public:
    SymmetricPairs() = default;
    explicit SymmetricPairs(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

    [[nodiscard]] const Eigen::VectorXd& eigenvalues() const { return values_; }
    [[nodiscard]] const Eigen::MatrixXd& eigenvectors() const { return vectors_; }
    [[nodiscard]] bool converged() const { return converged_; }

  private:
    Eigen::VectorXd values_;
    Eigen::MatrixXd vectors_;
    bool converged_ = false;
};

/// The eigenvalues alone.
Eigen::VectorXd symmetric_values(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

/// Those of a symmetric tridiagonal matrix, of its diagonal and the entries beside it.
Eigen::VectorXd tridiagonal_values(const Eigen::Ref<const Eigen::VectorXd>& diagonal,
                                   const Eigen::Ref<const Eigen::VectorXd>& off);

/// As many orthonormal columns, with the span of these (Householder's reflections).
Eigen::MatrixXd orthonormal_columns(const Eigen::Ref<const Eigen::MatrixXd>& columns);

/// R of columns = Q R, as many rows as the smaller side has; the columns are overwritten.
Eigen::MatrixXd triangular_factor(Eigen::MatrixXd& columns);

/// Q and R of columns = Q R, no fewer rows than columns, Q kept as reflections.
class Reflections {
  public:
    explicit Reflections(Eigen::MatrixXd columns);

    [[nodiscard]] Eigen::Index rows() const { return packed_.rows(); }
    [[nodiscard]] Eigen::Index cols() const { return packed_.cols(); }
    /// R, a square.
    [[nodiscard]] Eigen::MatrixXd triangle() const;
    /// matrix <- Q matrix, for a square Q.
    void turn(Eigen::MatrixXd& matrix) const;

  private:
    Eigen::MatrixXd packed_;  // R, and below it the reflections
    Eigen::VectorXd scales_;  // of these
};

/// Whether Cholesky's method gets to its end; the matrix is overwritten.
bool has_cholesky_factor(Eigen::MatrixXd& matrix);

/// Of a symmetric, positive definite matrix, which is overwritten.
Eigen::MatrixXd positive_inverse(Eigen::MatrixXd& matrix);

/// Of a square matrix, with the largest pivots.
Eigen::MatrixXd inverse(const Eigen::Ref<const Eigen::MatrixXd>& square);

/// Of a square matrix, largest value first.
struct SingularTriplets {
    Eigen::VectorXd values;
    Eigen::MatrixXd left;  // as columns; empty unless asked for
    Eigen::MatrixXd right;
};

SingularTriplets singular_triplets(const Eigen::Ref<const Eigen::MatrixXd>& square, bool vectors);

}  // namespace alfcg

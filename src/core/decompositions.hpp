#pragma once

#include <Eigen/Core>

namespace alfcg {

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

/// As many orthonormal columns, with the span of these (Householder's reflections).
Eigen::MatrixXd orthonormal_columns(const Eigen::Ref<const Eigen::MatrixXd>& columns);

/// R of columns = Q R, as many rows as the smaller side has; the columns are overwritten.
Eigen::MatrixXd triangular_factor(Eigen::MatrixXd& columns);

/// Whether Cholesky's method gets to its end; the matrix is overwritten.
bool has_cholesky_factor(Eigen::MatrixXd& matrix);

/// Of a square matrix, largest value first.
struct SingularTriplets {
    Eigen::VectorXd values;
    Eigen::MatrixXd left;  // as columns; empty unless asked for
    Eigen::MatrixXd right;
};

/// Up to `rotated_side` by rotations, the most accurate way; beyond by dividing and conquering.
SingularTriplets singular_triplets(const Eigen::Ref<const Eigen::MatrixXd>& square, bool vectors,
                                   Eigen::Index rotated_side);

}  // namespace alfcg

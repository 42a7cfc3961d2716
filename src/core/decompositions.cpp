#include "core/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <utility>

namespace alfcg {

SymmetricPairs::SymmetricPairs(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
    converged_ = solver.info() == Eigen::Success;
    values_ = solver.eigenvalues();
    vectors_ = solver.eigenvectors();
}

Eigen::VectorXd symmetric_values(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, Eigen::EigenvaluesOnly);
    return solver.eigenvalues();
}

Eigen::VectorXd tridiagonal_values(const Eigen::Ref<const Eigen::VectorXd>& diagonal,
                                   const Eigen::Ref<const Eigen::VectorXd>& off) {
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(diagonal, off, Eigen::EigenvaluesOnly);
    return solver.eigenvalues();
}

Eigen::MatrixXd orthonormal_columns(const Eigen::Ref<const Eigen::MatrixXd>& columns) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
    return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

Eigen::MatrixXd triangular_factor(Eigen::MatrixXd& columns) {
    const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(columns);
    const Eigen::Index rows = std::min(columns.rows(), columns.cols());
    return columns.topRows(rows).triangularView<Eigen::Upper>();
}

Reflections::Reflections(Eigen::MatrixXd columns) : packed_(std::move(columns)) {
    scales_ = Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>>(packed_).hCoeffs();
}

Eigen::MatrixXd Reflections::triangle() const {
    return packed_.topRows(packed_.cols()).triangularView<Eigen::Upper>();
}

void Reflections::turn(Eigen::MatrixXd& matrix) const {
    matrix.applyOnTheLeft(Eigen::householderSequence(packed_, scales_));
}

bool has_cholesky_factor(Eigen::MatrixXd& matrix) {
    return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(matrix).info() == Eigen::Success;
}

Eigen::MatrixXd positive_inverse(Eigen::MatrixXd& matrix) {
    Eigen::MatrixXd result = Eigen::MatrixXd::Identity(matrix.rows(), matrix.rows());
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(matrix).solveInPlace(result);
    return result;
}

Eigen::MatrixXd inverse(const Eigen::Ref<const Eigen::MatrixXd>& square) {
    return Eigen::FullPivLU<Eigen::MatrixXd>(square).inverse();
}

SingularTriplets singular_triplets(const Eigen::Ref<const Eigen::MatrixXd>& square, bool vectors) {
    const double scale = square.size() > 0 ? square.cwiseAbs().maxCoeff() : 0;
    if (!(scale > 0)) {
        const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(square.rows(), square.cols());
        return {Eigen::VectorXd::Zero(square.rows()), unit, unit};
    }
    // In the basis of its eigenvectors for AᵀA, the triangular factor is so nearly diagonal that few rotations remain.
    Eigen::MatrixXd columns = square / scale;
    Eigen::MatrixXd right = SymmetricPairs(columns.transpose() * columns).eigenvectors().rowwise().reverse();
    columns = columns * right;
    const Reflections reflections(std::move(columns));
    const unsigned int wanted = vectors ? Eigen::ComputeFullU | Eigen::ComputeFullV : 0;
    const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(reflections.triangle(), wanted);
    SingularTriplets result{scale * svd.singularValues(), {}, {}};
    if (!vectors) return result;
    result.left = svd.matrixU();
    reflections.turn(result.left);
    result.right = right * svd.matrixV();
    return result;
}

}  // namespace alfcg

#include "core/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

namespace alfcg {

namespace {

template <class Decomposition>
SingularTriplets taken_from(const Decomposition& svd, bool vectors) {
    if (!vectors) return {svd.singularValues(), {}, {}};
    return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

}  // namespace

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

Eigen::MatrixXd orthonormal_columns(const Eigen::Ref<const Eigen::MatrixXd>& columns) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
    return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

Eigen::MatrixXd triangular_factor(Eigen::MatrixXd& columns) {
    const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(columns);
    const Eigen::Index rows = std::min(columns.rows(), columns.cols());
    return columns.topRows(rows).triangularView<Eigen::Upper>();
}

bool has_cholesky_factor(Eigen::MatrixXd& matrix) {
    return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(matrix).info() == Eigen::Success;
}

SingularTriplets singular_triplets(const Eigen::Ref<const Eigen::MatrixXd>& square, bool vectors,
                                   Eigen::Index rotated_side) {
    const unsigned int wanted = vectors ? Eigen::ComputeFullU | Eigen::ComputeFullV : 0;
    if (square.cols() > rotated_side) {
        const Eigen::BDCSVD<Eigen::MatrixXd> svd(square, wanted);
        if (svd.info() == Eigen::Success) return taken_from(svd, vectors);
    }
    return taken_from(Eigen::JacobiSVD<Eigen::MatrixXd>(square, wanted), vectors);
}

}  // namespace alfcg

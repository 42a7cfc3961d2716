#include "point/tall.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/decompositions.hpp"
#include "core/matrix_product.hpp"
#include "kernels/pattern.hpp"

namespace alfcg {

namespace {

// Lines that are looked at by one tile of the products after the other.
constexpr Index lines_at_once = 128;
// Of columns of length 1, an eigenvalue of their products below which nothing but rounding is left.
constexpr double least_eigenvalue = 1e-14;

}  // namespace

template <class Real>
Eigen::MatrixXd gram_of(const Matrix<Real>& table, Index width) {
    const Index stride = table.cols();
    AlignedVector<double> sums(static_cast<std::size_t>(stride * stride));
    for (Index first = 0; first < table.rows(); first += lines_at_once)
        kernels::add_gram(table.data() + first * stride, std::min(lines_at_once, table.rows() - first),
                          stride, width, sums.data());
    Eigen::MatrixXd gram(width, width);
    for (Index a = 0; a < width; ++a)
        for (Index b = a; b < width; ++b)
            gram(a, b) = gram(b, a) = sums[static_cast<std::size_t>(a * stride + b)];
    return gram;
}

template <class Real>
void turn(Matrix<Real>& table, Index width, const Eigen::MatrixXd& by) {
    const Index stride = table.cols();
    Matrix<Real> lines(width, stride);
    for (Index a = 0; a < width; ++a)
        for (Index b = 0; b < by.cols(); ++b) lines(a, b) = static_cast<Real>(by(a, b));
    AlignedVector<Real> line(static_cast<std::size_t>(stride));
    for (Index i = 0; i < table.rows(); ++i) {
        Real* at = table.data() + i * stride;
        kernels::sum_lines(nullptr, width, at, lines.data(), stride, stride, line.data());
        std::copy(line.begin(), line.end(), at);
    }
}

template <class Real>
void take_away(const Real* basis, Index stride, Index width, Matrix<Real>& table) {
    std::vector<std::int32_t> index(static_cast<std::size_t>(width));
    std::iota(index.begin(), index.end(), 0);
    AlignedVector<Real> line(static_cast<std::size_t>(table.cols()));
    for (int pass = 0; pass < 2 && width > 0; ++pass) {
        Matrix<Real> along(width, table.cols());
        for (Index i = 0; i < table.rows(); ++i)
            kernels::add_lines(index.data(), width, basis + i * stride, table.data() + i * table.cols(),
                               table.cols(), table.cols(), along.data());
        for (Index i = 0; i < table.rows(); ++i) {
            kernels::sum_lines(nullptr, width, basis + i * stride, along.data(), table.cols(), table.cols(),
                               line.data());
            for (Index k = 0; k < table.cols(); ++k) table(i, k) -= line[static_cast<std::size_t>(k)];
        }
    }
}

template <class Real>
Eigen::MatrixXd orthonormalize(Matrix<Real>& table, Index width, int passes) {
    Eigen::MatrixXd total = Eigen::MatrixXd::Identity(width, width);
    // Twice: what the first time leaves of columns that were nearly alike is not yet at right angles.
    for (int pass = 0; pass < passes && width > 0; ++pass) {
        const Eigen::MatrixXd gram = gram_of(table, width);
        Eigen::VectorXd lengths(width);
        for (Index k = 0; k < width; ++k) lengths(k) = gram(k, k) > 0 ? std::sqrt(gram(k, k)) : 1;
        const Eigen::VectorXd inverse = lengths.cwiseInverse();
        const SymmetricPairs pairs(inverse.asDiagonal() * gram * inverse.asDiagonal());
        const Eigen::VectorXd& values = pairs.eigenvalues();
        Index kept = 0;
        while (kept < width &&
               values(width - 1 - kept) > least_eigenvalue * static_cast<double>(width) * values(width - 1))
            ++kept;
        const Eigen::MatrixXd vectors = pairs.eigenvectors().rightCols(kept);
        const Eigen::VectorXd roots = values.tail(kept).cwiseSqrt();
        turn(table, width, inverse.asDiagonal() * vectors * roots.cwiseInverse().asDiagonal());
        const Eigen::MatrixXd back = roots.asDiagonal() * vectors.transpose() * lengths.asDiagonal();
        total = product<Eigen::MatrixXd>(back, total);
        width = kept;
    }
    return total;
}

template Eigen::MatrixXd gram_of(const Matrix<float>&, Index);
template Eigen::MatrixXd gram_of(const Matrix<double>&, Index);
template void turn(Matrix<float>&, Index, const Eigen::MatrixXd&);
template void turn(Matrix<double>&, Index, const Eigen::MatrixXd&);
template void take_away(const float*, Index, Index, Matrix<float>&);
template void take_away(const double*, Index, Index, Matrix<double>&);
template Eigen::MatrixXd orthonormalize(Matrix<float>&, Index, int);
template Eigen::MatrixXd orthonormalize(Matrix<double>&, Index, int);

}  // namespace alfcg

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "kernels/products.hpp"
#include "region/leading_eigenvector.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

template <class Real>
Eigen::MatrixXd dense(const Matrix<Real>& x) {
    using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(x.data(), x.rows(), x.cols()).template cast<double>();
}

const std::vector<Shape> shapes{{1, 1},
                                {1, 9},
                                {9, 1},
                                {3, 4},
                                {10, 768},
                                {768, 10},
                                {20, 257},
                                {97, 1031},
                                {96, 100},
                                {200, 150},
                                {150, 700},
                                {5, 100003},
                                // tiles of three, four and five rows, complete or not
                                {7, 90},
                                {90, 8},
                                {14, 33},
                                {15, 260},
                                {19, 300},
                                {26, 41},
                                {40, 70}};

template <class Real>
class Products : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Precisions);

TYPED_TEST(Products, GramMatrixOfTheShorterSideWithAnyNumberOfThreads) {
    AlignedVector<double> scratch;
    for (const Shape shape : shapes) {
        const auto x = random_matrix<TypeParam>(shape, 41);
        const Eigen::MatrixXd g = 0.5 * dense(x);
        const Eigen::MatrixXd expected = shape.rows <= shape.cols ? Eigen::MatrixXd(g * g.transpose())
                                                                  : Eigen::MatrixXd(g.transpose() * g);
        for (const int threads : {1, 2, 3}) {
            Eigen::MatrixXd result(expected.rows(), expected.cols());
            kernels::gram(x.data(), shape, 0.5, threads, scratch, result.data());
            EXPECT_LE((result - expected).norm(), 1e-13 * expected.trace())
                << shape.rows << 'x' << shape.cols;
            EXPECT_EQ(result, result.transpose());
        }
    }
}

TYPED_TEST(Products, ProductsWithVectorsWithAnyNumberOfThreads) {
    for (const Shape shape : shapes) {
        const auto x = random_matrix<TypeParam>(shape, 42);
        const Eigen::MatrixXd g = 0.5 * dense(x);
        const Eigen::VectorXd right = dense(random_matrix<double>({shape.cols, 1}, 43));
        const Eigen::VectorXd left = dense(random_matrix<double>({shape.rows, 1}, 44));
        for (const int threads : {1, 2, 3}) {
            Eigen::VectorXd rows(shape.rows);
            Eigen::VectorXd cols(shape.cols);
            kernels::times(x.data(), shape, 0.5, right.data(), rows.data(), threads);
            EXPECT_LE((rows - g * right).norm(), 1e-13 * g.norm() * right.norm());
            kernels::transposed_times(x.data(), shape, 0.5, left.data(), cols.data(), threads);
            EXPECT_LE((cols - g.transpose() * left).norm(), 1e-13 * g.norm() * left.norm());
        }
    }
}

TYPED_TEST(Products, NormalProductsFromBothSidesWithAnyNumberOfThreads) {
    AlignedVector<double> scratch;
    for (const Shape shape : shapes) {
        const auto x = random_matrix<TypeParam>(shape, 45);
        const Eigen::MatrixXd g = 0.5 * dense(x);
        const Eigen::MatrixXd right = dense(random_matrix<double>({shape.cols, 4}, 46));
        const Eigen::MatrixXd left = dense(random_matrix<double>({shape.rows, 4}, 47));
        for (const int threads : {1, 2, 3}) {
            Eigen::MatrixXd y(shape.cols, 4);
            kernels::normal_product(x.data(), shape, 0.5, kernels::Side::right, right.data(), y.data(),
                                    threads, scratch);
            EXPECT_LE((y - g.transpose() * (g * right)).norm(), 1e-13 * g.squaredNorm() * right.norm());
            y.resize(shape.rows, 4);
            kernels::normal_product(x.data(), shape, 0.5, kernels::Side::left, left.data(), y.data(), threads,
                                    scratch);
            EXPECT_LE((y - g * (g.transpose() * left)).norm(), 1e-13 * g.squaredNorm() * left.norm());
        }
    }
}

/// A symmetric matrix with the given eigenvalues and random eigenvectors.
Eigen::MatrixXd with_eigenvalues(const std::vector<double>& values, unsigned seed) {
    const auto side = static_cast<Index>(values.size());
    const Eigen::MatrixXd q =
        Eigen::HouseholderQR<Eigen::MatrixXd>(dense(random_matrix<double>({side, side}, seed)))
            .householderQ();
    const Eigen::Map<const Eigen::VectorXd> diagonal(values.data(), side);
    const Eigen::MatrixXd x = q * diagonal.asDiagonal() * q.transpose();
    return (x + x.transpose()) / 2;
}

/// The vector belongs to the largest eigenvalue to rounding: its length, its residual, and the value it
/// attains.
void expect_leading(const Eigen::MatrixXd& matrix) {
    region::LeadingEigenvector leading;
    const Index side = matrix.rows();
    Eigen::VectorXd vector(side);
    leading.solve(matrix.data(), side, vector.data());
    const double largest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues()(side - 1);
    const double rounding = 1e-15 * static_cast<double>(side + 10);
    EXPECT_NEAR(vector.norm(), 1, rounding);
    EXPECT_NEAR(vector.dot(matrix * vector) / largest, 1, rounding) << matrix.rows();
    EXPECT_LE((matrix * vector / largest - vector).norm(), 10 * rounding) << matrix.rows();
}

TEST(LeadingEigenvector, AttainsTheLargestEigenvalueWhateverTheSpectrum) {
    for (const Index side : {1, 2, 3, 10, 40, 127, 128, 129}) {
        const auto n = static_cast<std::size_t>(side);
        std::vector<double> graded(n), clustered(n), tied(n), rank_one(n), flat(n, 1.0), near_tie(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double k = static_cast<double>(i);
            graded[i] = std::pow(0.1, k);
            clustered[i] = 1 - 1e-9 * k;
            tied[i] = i < 3 ? 1 : 0.5;
            rank_one[i] = i == 0 ? 1 : 0;
            near_tie[i] = i == 0 ? 1 : i == 1 ? 1 - 1e-14 : 0.1;
        }
        unsigned seed = 50;
        for (const auto& values : {graded, clustered, tied, rank_one, flat, near_tie})
            expect_leading(with_eigenvalues(values, seed++));
    }
}

TEST(LeadingEigenvector, CopesWithDiagonalAndTridiagonalMatrices) {
    for (const Index side : {2, 5, 21, 60}) {
        Eigen::MatrixXd diagonal = Eigen::MatrixXd::Zero(side, side);
        for (Index i = 0; i < side; ++i) diagonal(i, i) = 1 + static_cast<double>((7 * i) % side);
        expect_leading(diagonal);
        expect_leading(Eigen::MatrixXd::Identity(side, side));
        expect_leading(Eigen::MatrixXd::Ones(side, side));
        // Wilkinson's matrix, shifted to be positive: its two largest eigenvalues agree to all digits.
        Eigen::MatrixXd wilkinson = Eigen::MatrixXd::Zero(side, side);
        for (Index i = 0; i < side; ++i) {
            wilkinson(i, i) = 2 + std::abs(static_cast<double>(i) - static_cast<double>(side - 1) / 2);
            if (i > 0) wilkinson(i, i - 1) = wilkinson(i - 1, i) = 1;
        }
        expect_leading(wilkinson);
        // One entry in the last place only.
        Eigen::MatrixXd last = Eigen::MatrixXd::Zero(side, side);
        last(side - 1, side - 1) = 3;
        expect_leading(last);
    }
}

TEST(LeadingEigenvector, DoesNotDependOnTheScale) {
    const Eigen::MatrixXd matrix = with_eigenvalues({5, 4, 1, 0.1, 0}, 60);
    for (const double scale : {1e-190, 1e-20, 1e20, 1e190}) expect_leading(scale * matrix);
}

}  // namespace
}  // namespace alfcg

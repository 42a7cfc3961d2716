#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/region/spectrum.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

template <class Real>
Eigen::MatrixXd dense(const Matrix<Real>& x) {
    Eigen::MatrixXd y(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j) y(i, j) = static_cast<double>(x(i, j));
    return y;
}

template <class Real>
Matrix<Real> from(const Eigen::MatrixXd& y) {
    Matrix<Real> x(y.rows(), y.cols());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j) x(i, j) = static_cast<Real>(y(i, j));
    return x;
}

using Svd = Eigen::JacobiSVD<Eigen::MatrixXd>;

Svd svd(const Eigen::MatrixXd& y) {
    return Svd(y, Eigen::ComputeThinU | Eigen::ComputeThinV);
}

/// A random orthogonal matrix.
Eigen::MatrixXd orthogonal(Index side, unsigned seed) {
    return Eigen::HouseholderQR<Eigen::MatrixXd>(dense(random_matrix<double>({side, side}, seed)))
        .householderQ();
}

/// A matrix with the given singular values and random singular vectors.
Eigen::MatrixXd with_spectrum(Index rows, Index cols, const std::vector<double>& values, unsigned seed) {
    const auto count = static_cast<Index>(values.size());
    const Eigen::Map<const Eigen::VectorXd> diagonal(values.data(), count);
    return orthogonal(rows, seed).leftCols(count) * diagonal.asDiagonal() *
           orthogonal(cols, seed + 1).leftCols(count).transpose();
}

/// How far v is from minimising <g,·> + λ‖·‖_* + (μ/2)‖·‖² over the ball, at most: the variational inequality
/// at its worst point, -r (σ₁(g + μv) - λ)₊.
double optimality_gap(const Eigen::MatrixXd& g, const Eigen::MatrixXd& v, double radius, const Composite& h) {
    const Eigen::MatrixXd slope = g + h.l2 * v;
    return slope.cwiseProduct(v).sum() + h.nuclear * svd(v).singularValues().sum() +
           radius * std::max(svd(slope).singularValues()(0) - h.nuclear, 0.0);
}

const std::vector<Shape> shapes{{1, 1}, {1, 20}, {20, 1},   {2, 2},    {2, 50}, {50, 2},
                                {3, 7}, {7, 3},  {10, 200}, {200, 10}, {40, 40}};

template <class Real>
class Nuclear : public ::testing::Test {
  public:
    static constexpr double accuracy = std::is_same_v<Real, double> ? 1e-12 : 2e-6;
    static constexpr bool single = std::is_same_v<Real, float>;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Nuclear, Precisions);

TYPED_TEST(Nuclear, ReachesTheLargestSingularValueExactly) {
    const auto region = nuclear_ball<TypeParam>(3);
    Vertex<TypeParam> vertex;  // reused from shape to shape
    for (const Shape shape : shapes) {
        const auto gradient = random_matrix<TypeParam>(shape, 11);
        EXPECT_EQ(region->minimize(gradient, 0, true, vertex), 0);
        ASSERT_EQ(vertex.kind, Vertex<TypeParam>::Kind::rank_one);
        const Eigen::MatrixXd g = dense(gradient);
        const Svd exact = svd(g);
        const double sigma = exact.singularValues()(0);
        const Eigen::MatrixXd v = dense(vertex.to_matrix());
        EXPECT_NEAR(g.cwiseProduct(v).sum(), -3 * sigma, 3 * sigma * this->accuracy);
        const Eigen::MatrixXd best = -3 * exact.matrixU().col(0) * exact.matrixV().col(0).transpose();
        EXPECT_LE((v - best).norm(), 3 * 100 * this->accuracy) << shape.rows << 'x' << shape.cols;
        EXPECT_NEAR(v.norm(), 3, 3 * this->accuracy);
        EXPECT_EQ(vertex.composite, 0);
    }
}

TYPED_TEST(Nuclear, IsExactUpToTheLongestSideOfTheGramMatrix) {
    for (const Shape shape : {Shape{127, 140}, Shape{128, 128}, Shape{129, 300}, Shape{256, 260}}) {
        const auto gradient = random_matrix<TypeParam>(shape, 12);
        Vertex<TypeParam> vertex;
        EXPECT_EQ(nuclear_ball<TypeParam>(1)->minimize(gradient, 0, true, vertex), 0);
        const Eigen::MatrixXd g = dense(gradient);
        const double sigma = Eigen::BDCSVD<Eigen::MatrixXd>(g).singularValues()(0);
        EXPECT_NEAR(g.cwiseProduct(dense(vertex.to_matrix())).sum(), -sigma, sigma * this->accuracy);
    }
}

TYPED_TEST(Nuclear, DoesNotDependOnTheScaleOfTheGradient) {
    const std::vector<double> scales =
        this->single ? std::vector<double>{1e-38, 1e-20, 1e20, 1e37}
                     : std::vector<double>{1e-308, 1e-300, 1e-150, 1e-101, 1e101, 1e150, 1e300, 1e307};
    const Eigen::MatrixXd g = with_spectrum(6, 15, {3, 2, 1, 0.5}, 13);
    const auto region = nuclear_ball<TypeParam>(2);
    Vertex<TypeParam> vertex;
    region->minimize(from<TypeParam>(g), 0, true, vertex);
    const Eigen::MatrixXd expected = dense(vertex.to_matrix());
    for (const double scale : scales) {
        EXPECT_EQ(region->minimize(from<TypeParam>(scale * g), 0, true, vertex), 0);
        const double loss = scale < 1e-37 ? 1e-5 : 0;  // denormal entries have fewer digits
        EXPECT_LE((dense(vertex.to_matrix()) - expected).norm(), 10 * this->accuracy + loss) << scale;
    }
}

TYPED_TEST(Nuclear, WorksOnTheSmallestDenormals) {
    Matrix<TypeParam> gradient(2, 3);
    gradient(1, 2) = std::numeric_limits<TypeParam>::denorm_min();
    Vertex<TypeParam> vertex;
    for (const double square : {0.0, 1e-300}) {
        nuclear_ball<TypeParam>(1, {0, square, 0})->minimize(gradient, 0, true, vertex);
        for (Index i = 0; i < 2; ++i)
            for (Index j = 0; j < 3; ++j) {
                const bool there = i == 1 && j == 2;
                // With the square and double entries the free answer g/μ = 5e-324/1e-300 is inside.
                const double expected = there ? (square > 0 && !this->single ? -5e-24 : -1) : 0;
                EXPECT_NEAR(vertex.at(i, j), expected, std::abs(expected) * 0.02 + 1e-30);
            }
    }
}

TYPED_TEST(Nuclear, AnswersTheOriginToAZeroGradient) {
    for (const Composite& h : {Composite{}, Composite{0, 0, 1}, Composite{0, 1, 0}, Composite{0, 1, 1}}) {
        for (const Shape shape : {Shape{3, 4}, Shape{1, 1}, Shape{300, 310}}) {
            Vertex<TypeParam> vertex;
            EXPECT_EQ(nuclear_ball<TypeParam>(1, h)->minimize(Matrix<TypeParam>(shape), 0, true, vertex), 0);
            EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::zero);
            EXPECT_EQ(vertex.composite, 0);
        }
    }
}

TYPED_TEST(Nuclear, HandlesRankOneDuplicatedRowsAndEqualSingularValues) {
    Matrix<TypeParam> ones(4, 6);
    ones.fill(-1);
    Vertex<TypeParam> vertex;
    const auto region = nuclear_ball<TypeParam>(1);
    region->minimize(ones, 0, true, vertex);
    for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < 6; ++j) EXPECT_NEAR(vertex.at(i, j), 1 / std::sqrt(24.0), 1e-6);
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(5, 5);
    region->minimize(from<TypeParam>(identity), 0, true, vertex);
    const Eigen::MatrixXd v = dense(vertex.to_matrix());
    EXPECT_NEAR(v.trace(), -1, this->accuracy);  // any unit vector will do
    EXPECT_NEAR(v.norm(), 1, this->accuracy);
}

TYPED_TEST(Nuclear, RejectsAGradientThatIsNotFinite) {
    for (const Composite& h : {Composite{}, Composite{0, 1, 0}}) {
        for (const Shape shape : {Shape{3, 5}, Shape{260, 257}}) {
            for (const double bad : {infinity, std::nan("")}) {
                auto gradient = random_matrix<TypeParam>(shape, 1);
                gradient(2, 3) = static_cast<TypeParam>(bad);
                Vertex<TypeParam> vertex;
                EXPECT_THROW(nuclear_ball<TypeParam>(1, h)->minimize(gradient, 0, true, vertex), Error);
            }
        }
    }
}

TYPED_TEST(Nuclear, NuclearTermKeepsTheVertexOnlyAboveItsWeight) {
    const auto gradient = from<TypeParam>(with_spectrum(4, 9, {2, 1}, 14));
    Vertex<TypeParam> vertex;
    nuclear_ball<TypeParam>(5, {0, 0, 1.99})->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::rank_one);
    EXPECT_DOUBLE_EQ(vertex.composite, 1.99 * 5);
    nuclear_ball<TypeParam>(5, {0, 0, 2.01})->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::zero);
    EXPECT_EQ(vertex.composite, 0);
}

TYPED_TEST(Nuclear, SatisfiesTheVariationalInequalityWithASquare) {
    const double scale = this->single ? 1e-15 : 1e-150;
    for (const Shape shape : shapes) {
        for (const Composite& h : {Composite{0, 1e-8, 0}, Composite{0, 0.3, 0}, Composite{0, 5, 0},
                                   Composite{0, 300, 0}, Composite{0, 2, 1}, Composite{0, 0.1, 3}}) {
            for (const double radius : {0.1, 4.0}) {
                for (const double factor : {scale, 1.0, 1 / scale}) {
                    const Composite weights{0, h.l2 * factor, h.nuclear * factor};
                    const auto gradient = random_matrix<TypeParam>(shape, 15, factor);
                    const auto region = nuclear_ball<TypeParam>(radius, weights);
                    Vertex<TypeParam> vertex;
                    EXPECT_EQ(region->minimize(gradient, 0, true, vertex), 0);
                    const auto v = vertex.to_matrix();
                    const Eigen::MatrixXd g = dense(gradient) / factor;
                    const double size = radius * svd(g).singularValues()(0);
                    EXPECT_LE(std::abs(optimality_gap(g, dense(v), radius, h)), size * this->accuracy);
                    EXPECT_LE(region->violation(v), this->accuracy);
                    const double value = region->composite(v);
                    EXPECT_NEAR(vertex.composite, value, value * 10 * this->accuracy);
                }
            }
        }
    }
}

TYPED_TEST(Nuclear, ProjectsSingularValuesAsAFullDecompositionDoes) {
    for (const Shape shape : {Shape{5, 12}, Shape{12, 5}, Shape{8, 8}, Shape{101, 110}}) {
        const auto gradient = random_matrix<TypeParam>(shape, 16);
        const Eigen::MatrixXd g = dense(gradient);
        const Svd full = svd(g);
        for (const Composite& h : {Composite{0, 0.2, 0}, Composite{0, 1, 1.5}, Composite{0, 50, 0.5}}) {
            std::vector<long double> sizes;
            for (const double value : full.singularValues())
                sizes.push_back(std::max(value - h.nuclear, 0.0) / h.l2);
            const auto projected = project_simplex(sizes, 3);
            Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(shape.rows, shape.cols);
            for (Index k = 0; k < full.singularValues().size(); ++k)
                expected -= static_cast<double>(projected[static_cast<std::size_t>(k)]) *
                            full.matrixU().col(k) * full.matrixV().col(k).transpose();
            Vertex<TypeParam> vertex;
            nuclear_ball<TypeParam>(3, h)->minimize(gradient, 0, true, vertex);
            EXPECT_LE((dense(vertex.to_matrix()) - expected).norm(), 3 * this->accuracy) << h.l2;
        }
    }
}

TYPED_TEST(Nuclear, NormsAreThoseOfTheSingularValues) {
    for (const Shape shape : shapes) {
        const auto x = random_matrix<TypeParam>(shape, 17);
        const double sum = svd(dense(x)).singularValues().sum();
        EXPECT_NEAR(1 + nuclear_ball<TypeParam>(sum / 4)->violation(x), 4, 1e-12);
        EXPECT_EQ(nuclear_ball<TypeParam>(1.01 * sum)->violation(x), 0);
        EXPECT_NEAR((nuclear_ball<TypeParam>(4, {0, 0, 0.7})->composite(x)), 0.7 * sum, sum * 1e-13);
        EXPECT_NEAR((nuclear_ball<TypeParam>(4, {0, 0.5, 0.7})->composite(x)),
                    0.7 * sum + 0.25 * dense(x).squaredNorm(), sum * sum * 1e-13);
    }
    EXPECT_EQ(nuclear_ball<TypeParam>(4)->diameter({3, 5}), 8);
    EXPECT_EQ((nuclear_ball<TypeParam>(10, {0, 0, 0.1})->describe()),
              "nuclear ball of radius 10 + 0.1 ‖x‖_*");
}

TEST(Spectrum, KeepsSmallSingularValuesThatAGramMatrixWouldLose) {
    const std::vector<double> expected{1, 1e-3, 1e-9, 1e-13};
    for (const Shape shape : {Shape{4, 30}, Shape{30, 4}, Shape{150, 130}}) {
        const auto values =
            singular_values(from<double>(with_spectrum(shape.rows, shape.cols, expected, 18)));
        ASSERT_EQ(values.size(), static_cast<std::size_t>(std::min(shape.rows, shape.cols)));
        for (std::size_t k = 0; k < values.size(); ++k)
            EXPECT_NEAR(values[k], k < expected.size() ? expected[k] : 0, 1e-14);
        EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
    }
}

TEST(Spectrum, RankCountsSingularValuesAboveTheResolutionOfThePrecision) {
    // The cut of NumPy's matrix_rank: σ₁ · max(rows, cols) · ε.
    const Eigen::MatrixXd x = with_spectrum(5, 20, {1, 0.1, 1e-4, 1e-10}, 19);
    EXPECT_EQ(numerical_rank(from<double>(x)), 4);
    EXPECT_EQ(numerical_rank(from<float>(x)), 3);
    EXPECT_EQ(numerical_rank(from<double>(1e-300 * x)), 4);
    EXPECT_EQ(numerical_rank(Matrix<double>(3, 4)), 0);
    EXPECT_EQ(numerical_rank(Matrix<float>(1, 1)), 0);
    auto bad = random_matrix<double>({3, 3}, 1);
    bad(0, 0) = std::nan("");
    EXPECT_THROW(numerical_rank(bad), Error);
}

}  // namespace
}  // namespace alfcg

// Balls of norms of singular values, and sets of symmetric matrices, against plain decompositions and formulas.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "region/lowest_eigenvectors.hpp"
#include "region_reference.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

template <class Real>
Eigen::MatrixXd eigen(const Matrix<Real>& x) {
    Eigen::MatrixXd y(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j) y(i, j) = static_cast<double>(x(i, j));
    return y;
}

template <class Real>
Matrix<Real> matrix(const Eigen::MatrixXd& y) {
    Matrix<Real> x(y.rows(), y.cols());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j) x(i, j) = static_cast<Real>(y(i, j));
    return x;
}

std::vector<long double> values_of(const Eigen::MatrixXd& x) {
    const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(x).singularValues();
    return {values.begin(), values.end()};
}

Eigen::VectorXd eigenvalues_of(const Eigen::MatrixXd& x) {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (x + x.transpose())).eigenvalues();
}

Eigen::MatrixXd orthogonal_matrix(Index side, unsigned seed) {
    return Eigen::HouseholderQR<Eigen::MatrixXd>(eigen(random_matrix<double>({side, side}, seed)))
        .householderQ();
}

Eigen::MatrixXd symmetric_with(const Eigen::VectorXd& values, unsigned seed) {
    const Eigen::MatrixXd q = orthogonal_matrix(values.size(), seed);
    return q * values.asDiagonal() * q.transpose();
}

long double largest_sum(const std::vector<long double>& values, std::size_t k) {
    long double sum = 0;
    for (std::size_t i = 0; i < std::min(k, values.size()); ++i) sum += values[i];
    return sum;
}

using Values = std::vector<long double>;

// A ball with the norm of singular values, largest first, and its dual.
struct BallOfValues {
    std::function<std::unique_ptr<Region<float>>(double, const Composite&)> make_float;
    std::function<std::unique_ptr<Region<double>>(double, const Composite&)> make_double;
    std::function<long double(const Values&)> norm;
    std::function<long double(const Values&)> dual;

    template <class Real>
    std::unique_ptr<Region<Real>> make(double radius, const Composite& h = {}) const {
        if constexpr (std::is_same_v<Real, float>)
            return make_float(radius, h);
        else
            return make_double(radius, h);
    }
};

template <class Make, class Norm, class Dual>
BallOfValues ball_of(Make make, Norm norm, Dual dual) {
    return {[make](double r, const Composite& h) { return make.template operator()<float>(r, h); },
            [make](double r, const Composite& h) { return make.template operator()<double>(r, h); }, norm,
            dual};
}

std::vector<BallOfValues> spectral_balls() {
    std::vector<BallOfValues> all{ball_of(
        []<class Real>(double r, const Composite& h) { return spectral_ball<Real>(r, h); },
        [](const Values& t) { return norm(t, infinity); }, [](const Values& t) { return norm(t, 1); })};
    for (const Index k : {1, 2, 3, 50})
        all.push_back(
            ball_of([k]<class Real>(double r, const Composite& h) { return ky_fan_ball<Real>(k, r, h); },
                    [k](const Values& t) { return largest_sum(t, static_cast<std::size_t>(k)); },
                    [k](const Values& t) {
                        return std::max(norm(t, infinity), norm(t, 1) / static_cast<long double>(k));
                    }));
    for (const double p : {1.2, 1.5, 2.0, 3.0, 8.0})
        all.push_back(ball_of(
            [p]<class Real>(double r, const Composite& h) { return schatten_ball<Real>(p, r, h); },
            [p](const Values& t) { return norm(t, p); }, [p](const Values& t) { return norm(t, dual(p)); }));
    return all;
}

template <class Real>
class SpectralBalls : public ::testing::Test {
  protected:
    static constexpr long double accuracy = std::is_same_v<Real, float> ? 4e-6L : 1e-13L;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SpectralBalls, Precisions);

constexpr Shape spectral_shapes[] = {{1, 6}, {4, 7}, {9, 3}, {5, 5}};

TYPED_TEST(SpectralBalls, NormIsThatOfTheSingularValues) {
    using Real = TypeParam;
    for (const BallOfValues& ball : spectral_balls())
        for (const Shape shape : spectral_shapes) {
            const auto region = ball.make<Real>(0.4);
            const auto x = random_matrix<Real>(shape, 5);
            const long double expected = ball.norm(values_of(eigen(x)));
            EXPECT_LE(distance(region->norm(x).value() / expected, 1), this->accuracy) << region->describe();
            EXPECT_LE(distance(region->violation(x), expected / 0.4L - 1), this->accuracy * expected / 0.4L);
        }
}

// min <g, v> + nuclear ‖v‖_* + own ‖v‖ over ‖v‖ ≤ r is −r (‖(σ(g) − nuclear)₊‖° − own)₊ (von Neumann).
TYPED_TEST(SpectralBalls, OracleReachesTheDualNorm) {
    using Real = TypeParam;
    for (const BallOfValues& ball : spectral_balls())
        for (const Shape shape : spectral_shapes)
            for (const double nuclear : {0.0, 0.8})
                for (const double own : {0.0, 0.6, 100.0}) {
                    Composite h;
                    h.nuclear = nuclear;
                    h.norm = own;
                    const auto region = ball.make<Real>(1.5, h);
                    SCOPED_TRACE(region->describe());
                    for (unsigned seed = 0; seed < 4; ++seed) {
                        const auto g = random_matrix<Real>(shape, seed);
                        Vertex<Real> vertex;
                        EXPECT_EQ(region->minimize(g, 0, true, vertex), 0);
                        const auto v = vertex.to_matrix();
                        const auto values = values_of(eigen(v));
                        const long double reached =
                            dot(entries(g), entries(v)) + nuclear * norm(values, 1) + own * ball.norm(values);
                        const long double most = ball.dual(soft_threshold(values_of(eigen(g)), nuclear));
                        EXPECT_LE(distance(reached, -1.5L * std::max(most - own, 0.0L)),
                                  this->accuracy * (1 + own) * (1 + most));
                        EXPECT_LE(ball.norm(values), 1.5L * (1 + this->accuracy));
                        EXPECT_LE(distance(vertex.composite, region->composite(v)),
                                  this->accuracy * (1 + own) * 10);
                    }
                }
}

// The variational inequality of the proximal map at its worst point, by the dual norm.
TYPED_TEST(SpectralBalls, ProximalMapIsCertifiedByTheDualNorm) {
    using Real = TypeParam;
    for (const BallOfValues& ball : spectral_balls())
        for (const Shape shape : spectral_shapes)
            for (const double nuclear : {0.0, 0.8})
                for (const double own : {0.0, 0.6})
                    for (const double radius : {1e-5, 0.7, 4.0, 1000.0}) {
                        Composite h;
                        h.nuclear = nuclear;
                        h.norm = own;
                        const auto region = ball.make<Real>(radius, h);
                        SCOPED_TRACE(region->describe());
                        const double weight = 1.5;
                        const auto point = random_matrix<Real>(shape, 11, 2);
                        Vertex<Real> nearest;
                        ASSERT_TRUE(region->proximal(point, weight, nearest));
                        const Eigen::MatrixXd u = eigen(nearest.to_matrix());
                        const auto values = values_of(u);
                        EXPECT_LE(ball.norm(values), radius * (1 + this->accuracy));
                        const Eigen::MatrixXd slope = weight * (u - eigen(point));
                        const long double most = ball.dual(soft_threshold(values_of(slope), nuclear));
                        const long double gap = static_cast<long double>(slope.cwiseProduct(u).sum()) +
                                                nuclear * norm(values, 1) + own * ball.norm(values) +
                                                radius * std::max(most - own, 0.0L);
                        const auto far = values_of(eigen(point));
                        const long double size =
                            weight * ball.dual(far) * std::min<long double>(radius, ball.norm(far));
                        EXPECT_LE(gap, 10 * this->accuracy * (size + weight * norm(far, 2) * 1e-2L));
                    }
}

// On diagonal gradients the matrix problem is that of the diagonal.
TEST(SpectralVertices, OfDiagonalGradientsAreDiagonal) {
    Matrix<double> g(3, 3);
    g(0, 0) = 3;
    g(1, 1) = -2;
    g(2, 2) = 1;
    Vertex<double> vertex;
    spectral_ball<double>(2)->minimize(g, 0, true, vertex);
    EXPECT_LE((eigen(vertex.to_matrix()) - Eigen::Vector3d(-2, 2, -2).asDiagonal().toDenseMatrix()).norm(),
              1e-14);
    // k = 2: 3 = (3 + 2 + 1)/2, a tie, for which the answer of rank one is taken.
    ky_fan_ball<double>(2, 2)->minimize(g, 0, true, vertex);
    EXPECT_EQ(vertex.kind, Vertex<double>::Kind::rank_one);
    EXPECT_LE(distance(vertex.at(0, 0), -2), 1e-14);
    g(2, 2) = 1.5;
    ky_fan_ball<double>(2, 2)->minimize(g, 0, true, vertex);
    EXPECT_LE((eigen(vertex.to_matrix()) - Eigen::Vector3d(-1, 1, -1).asDiagonal().toDenseMatrix()).norm(),
              1e-14);
}

TEST(SpectralVertices, OfGradientsWithoutFullRankAreInside) {
    for (const Shape shape : {Shape{10, 300}, Shape{300, 10}, Shape{10, 10}}) {
        // Rows add up to zero, as those of a softmax do, and one is zero.
        auto g = random_matrix<float>(shape, 9);
        for (Index j = 0; j < shape.cols; ++j) {
            g(1, j) = 0;
            float sum = 0;
            for (Index i = 1; i < shape.rows; ++i) sum += g(i, j);
            g(0, j) = -sum;
        }
        Vertex<float> vertex;
        for (const auto& region :
             {spectral_ball<float>(3), schatten_ball<float>(4, 3), ky_fan_ball<float>(5, 3)}) {
            region->minimize(g, 0, true, vertex);
            EXPECT_LE(region->violation(vertex.to_matrix()), 1e-6) << region->describe();
        }
        const auto region = spectral_ball<float>(3);
        region->minimize(g, 0, true, vertex);
        const long double best = -3 * norm(values_of(eigen(g)), 1);
        EXPECT_LE(distance(dot(entries(g), entries(vertex.to_matrix())) / best, 1), 1e-6);
    }
}

TEST(SpectralVertices, OfLargeGradientsKeepTheirBound) {
    const auto g = random_matrix<double>({280, 300}, 2);
    const auto values = values_of(eigen(g));
    for (const Index k : {2, 8, 400}) {
        const auto region = ky_fan_ball<double>(k, 1);
        Vertex<double> vertex;
        const double slack = region->minimize(g, 0, true, vertex);
        const long double best = -std::max(values[0], norm(values, 1) / static_cast<long double>(k));
        const long double reached = dot(entries(g), entries(vertex.to_matrix()));
        EXPECT_LE(reached, best + slack - 1e-13L * best);
        EXPECT_GE(reached, best + 1e-13L * best);
        EXPECT_LE(slack, 1e-6);
        EXPECT_EQ(vertex.kind == Vertex<double>::Kind::rank_one, k == 400);
    }
}

// ---- symmetric matrices ----------------------------------------------------------------------------------------

struct SymmetricSet {
    std::function<std::unique_ptr<Region<double>>(const Composite&)> make;
    // The best value over the eigenvalues of a gradient, smallest first, for a radius of 2.
    std::function<double(const Eigen::VectorXd&)> best;
};

std::vector<SymmetricSet> symmetric_sets() {
    return {{[](const Composite& h) { return spectraplex<double>(2, h); },
             [](const Eigen::VectorXd& values) { return 2 * values(0); }},
            {[](const Composite& h) { return bounded_trace<double>(2, h); },
             [](const Eigen::VectorXd& values) { return 2 * std::min(values(0), 0.0); }},
            {[](const Composite& h) { return fantope<double>(3, 2, h); },
             [](const Eigen::VectorXd& values) { return 2 * values.head(3).sum(); }},
            {[](const Composite& h) { return psd_box<double>(2, h); },
             [](const Eigen::VectorXd& values) { return 2 * values.cwiseMin(0.0).sum(); }}};
}

TEST(SymmetricRegions, ReachTheBestOfTheEigenvalues) {
    for (const SymmetricSet& set : symmetric_sets())
        for (const double nuclear : {0.0, 0.5})
            for (const double shift : {-3.0, 0.0, 10.0}) {
                Composite h;
                h.nuclear = nuclear;
                const auto region = set.make(h);
                SCOPED_TRACE(region->describe());
                const Index side = 6;
                Eigen::MatrixXd g = eigen(random_matrix<double>({side, side}, 3));
                g.diagonal().array() += shift;
                Vertex<double> vertex;
                EXPECT_EQ(region->minimize(matrix<double>(g), 0, true, vertex), 0);
                const auto v = vertex.to_matrix();
                EXPECT_LE(region->violation(v), 1e-14);
                // tr(X) is the nuclear norm of a semidefinite X.
                const Eigen::VectorXd values = eigenvalues_of(g).array() + nuclear;
                EXPECT_LE(distance(g.cwiseProduct(eigen(v)).sum() + vertex.composite, set.best(values)),
                          1e-12);
                EXPECT_LE(distance(region->composite(v), vertex.composite), 1e-13);
            }
}

TEST(SymmetricRegions, SeeTheSymmetricPartOnly) {
    const auto g = random_matrix<double>({5, 5}, 1);
    const auto skew = random_matrix<double>({5, 5}, 2, 10);
    Matrix<double> other = g;
    for (Index i = 0; i < 5; ++i)
        for (Index j = 0; j < 5; ++j) other(i, j) += skew(i, j) - skew(j, i);
    for (const SymmetricSet& set : symmetric_sets()) {
        const auto region = set.make({});
        Vertex<double> a;
        Vertex<double> b;
        region->minimize(g, 0, true, a);
        region->minimize(other, 0, true, b);
        EXPECT_LE((eigen(a.to_matrix()) - eigen(b.to_matrix())).norm(), 1e-12) << region->describe();
    }
}

// Eigenvectors stay, eigenvalues are clipped after losing a common amount, found here by halving.
TEST(SymmetricRegions, ProximalMapActsOnEigenvalues) {
    const Index side = 7;
    const Eigen::MatrixXd symmetric = symmetric_with(Eigen::VectorXd::LinSpaced(side, -2, 4), 5);
    const auto skew = eigen(random_matrix<double>({side, side}, 2));
    const auto point = matrix<double>(symmetric + skew - skew.transpose());
    const auto expect = [&](std::unique_ptr<Region<double>> region, double cap, double least, double most,
                            const Composite& h) {
        SCOPED_TRACE(region->describe());
        const double weight = 2;
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
        const Eigen::ArrayXd t = (weight * solver.eigenvalues().array() - h.nuclear) / (weight + h.l2);
        const auto at = [&](double amount) -> Eigen::ArrayXd { return (t - amount).max(0.0).min(cap); };
        double low = -100;
        double high = 100;
        const double free = at(0).sum();
        const double total = std::clamp(free, least, most);
        for (int k = 0; k < 200; ++k) {
            const double middle = (low + high) / 2;
            (at(middle).sum() > total ? low : high) = middle;
        }
        const Eigen::ArrayXd values = free == total ? at(0) : at(low);
        const Eigen::MatrixXd expected =
            solver.eigenvectors() * values.matrix().asDiagonal() * solver.eigenvectors().transpose();
        Vertex<double> nearest;
        ASSERT_TRUE(region->proximal(point, weight, nearest));
        EXPECT_LE((eigen(nearest.to_matrix()) - expected).norm(), 1e-12);
        EXPECT_LE(distance(nearest.composite, region->composite(nearest.to_matrix())), 1e-12);
    };
    const double huge = 1e6;
    for (const double nuclear : {0.0, 0.4})
        for (const double l2 : {0.0, 0.7}) {
            Composite h;
            h.nuclear = nuclear;
            h.l2 = l2;
            for (const double radius : {0.3, 2.0, 50.0}) {
                expect(spectraplex<double>(radius, h), huge, radius, radius, h);
                expect(bounded_trace<double>(radius, h), huge, 0, radius, h);
                expect(fantope<double>(3, radius, h), radius, 3 * radius, 3 * radius, h);
                expect(psd_box<double>(radius, h), radius, 0, huge, h);
            }
        }
}

TEST(SymmetricRegions, WantSquarePoints) {
    EXPECT_NE(message_of<QuantityError>([] {
                  spectraplex<double>(1)->check({3, 4});
              }).find("3 x 4"),
              std::string::npos);
    EXPECT_NE(message_of<QuantityError>([] {
                  fantope<double>(5)->check({4, 4});
              }).find("at most 4"),
              std::string::npos);
    EXPECT_NO_THROW(fantope<double>(4)->check({4, 4}));
    // The whole Fantope of rank n is one point.
    const auto region = fantope<double>(4, 2);
    EXPECT_EQ(region->diameter({4, 4}), 0);
    Vertex<double> nearest;
    ASSERT_TRUE(region->proximal(random_matrix<double>({4, 4}, 1), 1, nearest));
    EXPECT_LE((eigen(nearest.to_matrix()) - 2 * Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-14);
}

TEST(SymmetricRegions, StartInside) {
    for (const SymmetricSet& set : symmetric_sets()) {
        const auto region = set.make({});
        EXPECT_LE(region->violation(region->start({6, 6})), 1e-15) << region->describe();
        Matrix<double> uneven = region->start({6, 6});
        uneven(0, 1) += 0.1;
        EXPECT_GE(region->violation(uneven), 0.05) << region->describe();
    }
}

// ---- large ones ------------------------------------------------------------------------------------------------

// Spectra that are easy, close together at the lower end, and of multiple eigenvalues there.
std::vector<Eigen::VectorXd> spectra(Index side) {
    std::vector<Eigen::VectorXd> all;
    all.emplace_back(Eigen::VectorXd::LinSpaced(side, -1, 1));
    Eigen::VectorXd close = Eigen::VectorXd::LinSpaced(side, 0, 1);
    for (Index k = 0; k < 10; ++k) close(k) = -1 + 1e-7 * static_cast<double>(k);
    all.push_back(close);
    Eigen::VectorXd multiple = Eigen::VectorXd::Ones(side);
    multiple.head(6).setConstant(-1);
    all.push_back(multiple);
    Eigen::VectorXd few = Eigen::VectorXd::Zero(side);
    few(0) = -3;
    few(1) = 5;
    all.push_back(few);
    return all;
}

TEST(LowestEigenvectors, AreCertified) {
    const Index side = 300;
    unsigned seed = 0;
    region::LowestEigenvectors lowest;  // the same for all: what it remembers is wrong every time
    for (const Eigen::VectorXd& values : spectra(side))
        for (const Index count : {1, 4})
            for (const double tolerance : {0.0, 1e-6, 1e-2}) {
                const auto s = matrix<double>(symmetric_with(values, 10 + seed++));
                lowest.solve(s, count, tolerance, true, 1);
                Eigen::VectorXd sorted = values;
                std::sort(sorted.begin(), sorted.end());
                const double best = sorted.head(count).sum();
                SCOPED_TRACE(best);
                const Eigen::MatrixXd& u = lowest.vectors();
                EXPECT_LE((u.transpose() * u - Eigen::MatrixXd::Identity(count, count)).norm(), 1e-13);
                EXPECT_LE(distance((u.transpose() * eigen(s) * u).trace(), lowest.values().sum()), 1e-12);
                EXPECT_LE(lowest.values().sum(), best + lowest.missed() + 1e-13);
                EXPECT_GE(lowest.values().sum(), best - 1e-11);
                EXPECT_LE(lowest.missed(), std::max(2 * tolerance, 1e-8));
            }
}

TEST(LowestEigenvectors, OfLargeRegionsAreThoseOfAFullDecomposition) {
    const Index side = 270;
    const auto g = random_matrix<float>({side, side}, 4);
    const Eigen::VectorXd values = eigenvalues_of(eigen(g));
    const auto expect = [&](std::unique_ptr<Region<float>> region, double best) {
        SCOPED_TRACE(region->describe());
        Vertex<float> vertex;
        const double slack = region->minimize(g, 0, true, vertex);
        const double reached = inner_product(g, vertex);
        EXPECT_LE(reached, best + slack + 1e-9);
        EXPECT_LE(slack, 1e-5);
        EXPECT_LE(region->violation(vertex.to_matrix()), 1e-6);
    };
    expect(spectraplex<float>(1), values(0));
    expect(bounded_trace<float>(1), values(0));
    expect(fantope<float>(5), values.head(5).sum());
    expect(fantope<float>(40), values.head(40).sum());
    expect(psd_box<float>(1), values.cwiseMin(0.0).sum());
    // Every eigenvalue is above the threshold: the origin.
    Eigen::MatrixXd high = eigen(g);
    high.diagonal().array() += 100;
    Vertex<float> vertex;
    EXPECT_EQ(bounded_trace<float>(1)->minimize(matrix<float>(high), 0, true, vertex), 0);
    EXPECT_EQ(vertex.kind, Vertex<float>::Kind::zero);
}

}  // namespace
}  // namespace alfcg

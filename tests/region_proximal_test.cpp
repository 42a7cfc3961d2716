// The proximal map of every region that has one: argmin (weight/2) ‖u − point‖² + h(u).
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/region/spec.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

const std::vector<double> exponents{1, 1.1, 1.5, 2, 2.5, 3, 10, infinity};

template <class Real>
Matrix<Real> nearest_to(Region<Real>& region, const Matrix<Real>& point, double weight) {
    Vertex<Real> nearest;
    EXPECT_TRUE(region.proximal(point, weight, nearest));
    const Matrix<Real> u = nearest.to_matrix();
    EXPECT_NEAR(nearest.composite, region.composite(u), 1e-6 * (1 + nearest.composite)) << "h there";
    return u;
}

template <class Real>
std::vector<long double> scaled(const Matrix<Real>& x, long double factor) {
    std::vector<long double> y = entries(x);
    for (long double& entry : y) entry *= factor;
    return y;
}

template <class Real>
Eigen::MatrixXd eigen(const Matrix<Real>& x) {
    Eigen::MatrixXd y(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j) y(i, j) = static_cast<double>(x(i, j));
    return y;
}

using Svd = Eigen::JacobiSVD<Eigen::MatrixXd>;

Svd decomposed(const Eigen::MatrixXd& y) {
    return Svd(y, Eigen::ComputeThinU | Eigen::ComputeThinV);
}

template <class Real>
class Proximal : public ::testing::Test {
  public:
    static constexpr double accuracy = std::is_same_v<Real, double> ? 1e-12 : 2e-6;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Proximal, Precisions);

// The map is the oracle's problem with g = −weight · point and a square more. What its variational inequality misses at u
// is at least (weight/2) ‖u − nearest‖².
TYPED_TEST(Proximal, SatisfiesTheVariationalInequalityOverLpBalls) {
    for (const double p : exponents)
        for (const Composite& h :
             {Composite{}, Composite{0.3, 0, 0}, Composite{0, 2, 0}, Composite{0.3, 0.7, 0}})
            for (const double weight : {0.01, 1.0, 50.0})
                for (const double radius : {0.1, 1.0, 100.0})
                    for (const Shape shape : {Shape{1, 1}, Shape{4, 11}}) {
                        const auto region = lp_ball<TypeParam>(p, radius, h);
                        SCOPED_TRACE(region->describe() + " weight " + std::to_string(weight));
                        const auto point = random_matrix<TypeParam>(shape, 3, 2);
                        const auto u = nearest_to(*region, point, weight);
                        EXPECT_LE(region->violation(u), this->accuracy);
                        const auto g = scaled(point, -weight);
                        const Composite all{h.l1, h.l2 + weight, 0};
                        const long double size = radius * norm(g, dual(p)) + radius * radius * weight;
                        EXPECT_LE(optimality_gap(g, entries(u), p, radius, all), this->accuracy * size);
                    }
}

TYPED_TEST(Proximal, HasItsClosedForms) {
    const double radius = 1.5;
    const double weight = 4;
    const double l1 = 0.8;
    const auto point = random_matrix<TypeParam>({3, 5}, 8, 1.5);
    const auto shrunk = soft_threshold(entries(point), l1 / weight);
    const auto expect_near = [&](double p, const std::vector<long double>& expected) {
        const auto u = entries(nearest_to(*lp_ball<TypeParam>(p, radius, {l1, 0, 0}), point, weight));
        for (std::size_t i = 0; i < u.size(); ++i)
            EXPECT_NEAR(static_cast<double>(u[i]), static_cast<double>(expected[i]), 5 * this->accuracy)
                << "p = " << p;
    };
    // p = 2: towards the centre. p = ∞: entry by entry. p = 1: a common amount less, found by sorting.
    auto towards = shrunk;
    ASSERT_GT(norm(shrunk, 2), radius);
    for (long double& entry : towards) entry *= radius / norm(shrunk, 2);
    expect_near(2, towards);
    auto clipped = shrunk;
    for (long double& entry : clipped) entry = std::clamp<long double>(entry, -radius, radius);
    expect_near(infinity, clipped);
    auto magnitudes = shrunk;
    for (long double& entry : magnitudes) entry = std::abs(entry);
    auto simplex = project_simplex(magnitudes, radius);
    for (std::size_t i = 0; i < simplex.size(); ++i) simplex[i] = std::copysign(simplex[i], shrunk[i]);
    expect_near(1, simplex);
}

// p = 3: u + ν u² = a for every magnitude a, with the ν for which Σ u³ = r³, here by bisection.
TYPED_TEST(Proximal, OntoTheCubesBallByBisection) {
    const long double radius = 0.9L;
    const auto point = random_matrix<TypeParam>({2, 9}, 5);
    const auto a = entries(point);
    const auto at = [&](long double nu) {
        std::vector<long double> u = a;
        for (long double& entry : u) {
            const long double size = std::abs(entry);
            entry = std::copysign(2 * size / (1 + std::sqrt(1 + 4 * nu * size)), entry);
        }
        return u;
    };
    long double low = 0;
    long double high = 1e3;
    for (int k = 0; k < 100; ++k) {
        const long double middle = (low + high) / 2;
        (norm(at(middle), 3) > radius ? low : high) = middle;
    }
    const auto expected = at(low);
    const auto u = entries(nearest_to(*lp_ball<TypeParam>(3, static_cast<double>(radius)), point, 7));
    for (std::size_t i = 0; i < u.size(); ++i)
        EXPECT_NEAR(static_cast<double>(u[i]), static_cast<double>(expected[i]), this->accuracy);
}

// Singular vectors stay, singular values are mapped as the l_1 ball maps them.
TYPED_TEST(Proximal, OfTheNuclearBallMapsSingularValues) {
    for (const Shape shape : {Shape{1, 6}, Shape{4, 7}, Shape{9, 3}})
        for (const double radius : {0.5, 3.0, 100.0})
            for (const Composite& h : {Composite{}, Composite{0, 0, 0.6}, Composite{0, 0.5, 0.6}}) {
                const double weight = 2;
                const auto region = nuclear_ball<TypeParam>(radius, h);
                SCOPED_TRACE(region->describe());
                const auto point = random_matrix<TypeParam>(shape, 21);
                const auto svd = decomposed(eigen(point));
                std::vector<long double> values;
                for (const double value : svd.singularValues())
                    values.push_back(std::max(weight * value - h.nuclear, 0.0) / (weight + h.l2));
                values = project_simplex(values, radius);
                Eigen::VectorXd sizes(svd.singularValues().size());
                for (Index k = 0; k < sizes.size(); ++k)
                    sizes(k) = static_cast<double>(values[static_cast<std::size_t>(k)]);
                const Eigen::MatrixXd expected =
                    svd.matrixU() * sizes.asDiagonal() * svd.matrixV().transpose();
                const auto u = nearest_to(*region, point, weight);
                EXPECT_LE((eigen(u) - expected).norm(), 5 * this->accuracy * (1 + expected.norm()));
                EXPECT_LE(region->violation(u), this->accuracy);
            }
}

TYPED_TEST(Proximal, LeavesPointsOfTheRegionWhereTheyAre) {
    const auto point = random_matrix<TypeParam>({3, 4}, 2);
    for (const double p : exponents) {
        const auto u = nearest_to(*lp_ball<TypeParam>(p, 1000), point, 0.3);
        EXPECT_EQ(entries(u), entries(point)) << p;
    }
    const auto u = nearest_to(*nuclear_ball<TypeParam>(1000), point, 0.3);
    EXPECT_LE((eigen(u) - eigen(point)).norm(), 5 * this->accuracy);
    for (const RegionSpec& spec : {RegionSpec{"lp", {{"radius", 2}, {"p", 3}}, {0.1, 0.2, 0}},
                                   RegionSpec{"nuclear", {{"radius", 2}}, {0, 0.1, 0.2}}}) {
        const auto region = make_region<TypeParam>(spec);
        const auto centre = nearest_to(*region, Matrix<TypeParam>(3, 4), 2);
        for (const TypeParam entry : centre.span()) EXPECT_EQ(entry, 0);
    }
}

TYPED_TEST(Proximal, NoPointOfTheRegionIsNearer) {
    for (const std::string name : {"l1", "l2", "linf", "lp", "nuclear"}) {
        const bool nuclear = name == "nuclear";
        RegionSpec spec{name, {{"radius", 2}}, {nuclear ? 0 : 0.3, 0.2, nuclear ? 0.3 : 0}};
        if (name == "lp") spec.parameters.set("p", 1.7);
        const auto region = make_region<TypeParam>(spec);
        SCOPED_TRACE(region->describe());
        const double weight = 0.7;
        const auto cost = [&](const Matrix<TypeParam>& u, const Matrix<TypeParam>& point) {
            auto away = entries(u);
            for (std::size_t i = 0; i < away.size(); ++i)
                away[i] -= static_cast<long double>(point.span()[i]);
            return weight / 2 * dot(away, away) + static_cast<long double>(region->composite(u));
        };
        for (unsigned seed = 0; seed < 20; ++seed) {
            const auto point = random_matrix<TypeParam>({3, 4}, seed, seed % 2 == 0 ? 0.3 : 3);
            const auto u = nearest_to(*region, point, weight);
            for (unsigned other = 0; other < 50; ++other) {
                // Points of the region near the answer, and far from it.
                auto v = random_matrix<TypeParam>({3, 4}, 100 + other, other % 2 == 0 ? 0.01 : 1);
                for (std::size_t i = 0; i < v.span().size(); ++i) v.span()[i] += u.span()[i];
                v = scaled_into(*region, v);
                EXPECT_LE(cost(u, point), cost(v, point) * (1 + 10 * this->accuracy));
            }
        }
    }
}

// With h = 0 the weight does not count, and a ball of s times the radius maps s times the point to s times the answer.
TEST(ProximalScales, FromTheSmallestToTheLargestNumbers) {
    const auto point = random_matrix<double>({3, 5}, 14);
    for (const double p : {1.0, 1.5, 2.0, 3.0, 4.0, infinity, 0.0}) {
        const auto ball = [&](double radius) {
            return p == 0 ? nuclear_ball<double>(radius) : lp_ball<double>(p, radius);
        };
        const auto expected = entries(nearest_to(*ball(0.75), point, 1));
        for (const double scale : {1e-300, 1e-150, 1e150, 1e300})
            for (const double weight : {1e-300, 1.0, 1e300}) {
                Matrix<double> far = point;
                for (double& entry : far.span()) entry *= scale;
                const auto u = entries(nearest_to(*ball(0.75 * scale), far, weight));
                for (std::size_t i = 0; i < u.size(); ++i)
                    EXPECT_NEAR(static_cast<double>(u[i] / scale), static_cast<double>(expected[i]), 1e-13)
                        << p << " " << scale << " " << weight;
            }
        // A point that is far away from a small ball, and one that is near the centre of a large one.
        Matrix<double> far = point;
        for (double& entry : far.span()) entry *= 1e300;
        const auto small = ball(1e-290);
        EXPECT_LE(small->violation(nearest_to(*small, far, 1)), 1e-12) << p;
        for (double& entry : far.span()) entry *= 1e-300;
        EXPECT_LE(static_cast<double>(norm(entries(nearest_to(*ball(1e300), far, 1)), 2)),
                  static_cast<double>(norm(entries(point), 2)) * (1 + 1e-13));
    }
    // An l1 term of any weight: soft thresholds, here of 0.5.
    for (const double weight : {1e-150, 1.0, 1e150}) {
        const auto u = entries(nearest_to(*lp_ball<double>(2, 100, {0.5 * weight, 0, 0}), point, weight));
        const auto expected = soft_threshold(entries(point), 0.5L);
        for (std::size_t i = 0; i < u.size(); ++i)
            EXPECT_NEAR(static_cast<double>(u[i]), static_cast<double>(expected[i]), 1e-14);
    }
}

TEST(ProximalMaps, AreNotThereForEveryRegion) {
    Vertex<double> nearest;
    EXPECT_FALSE(nuclear_ball<double>(1)->proximal(Matrix<double>(300, 300), 1, nearest));
    EXPECT_TRUE(nuclear_ball<double>(1)->proximal(Matrix<double>(300, 3), 1, nearest));
    CustomRegion<double> box;
    box.diameter = 2;
    box.oracle = [](auto g, auto v) {
        for (std::size_t i = 0; i < g.size(); ++i) v[i] = g[i] < 0 ? 1 : -1;
    };
    const Matrix<double> point = random_matrix<double>({2, 2}, 1, 3);
    EXPECT_FALSE(custom_region(box)->proximal(point, 1, nearest));
    box.proximal = [](auto x, double /*weight*/, auto u) {
        for (std::size_t i = 0; i < x.size(); ++i) u[i] = std::clamp(x[i], -1.0, 1.0);
    };
    box.composite = [](auto /*x*/) { return 5.0; };
    ASSERT_TRUE(custom_region(box)->proximal(point, 1, nearest));
    EXPECT_EQ(nearest.composite, 5);
    for (Index i = 0; i < 4; ++i) EXPECT_EQ(nearest.dense.data()[i], std::clamp(point.data()[i], -1.0, 1.0));
    box.proximal = [](auto /*x*/, double /*weight*/, auto u) { u[3] = std::nan(""); };
    EXPECT_THROW(custom_region(box)->proximal(point, 1, nearest), Error);
    Matrix<double> broken = point;
    broken(0, 1) = HUGE_VAL;
    EXPECT_THROW(lp_ball<double>(2, 1)->proximal(broken, 1, nearest), Error);
    EXPECT_THROW(nuclear_ball<double>(1)->proximal(broken, 1, nearest), Error);
}

}  // namespace
}  // namespace alfcg

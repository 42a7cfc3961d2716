#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "alfcg/region/region.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

const std::vector<double> exponents{1, 1.0001, 1.1, 1.5, 2, 2.5, 3, 4, 10, 1e3, infinity};

template <class Real>
Matrix<Real> row(const std::vector<double>& values) {
    Matrix<Real> x(1, static_cast<Index>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) x.data()[i] = static_cast<Real>(values[i]);
    return x;
}

template <class Real>
Matrix<Real> times(const Matrix<Real>& x, double factor) {
    Matrix<Real> y(x.shape());
    for (Index i = 0; i < x.size(); ++i)
        y.data()[i] = static_cast<Real>(static_cast<double>(x.data()[i]) * factor);
    return y;
}

template <class Real>
Matrix<Real> answer(double p, double radius, const Composite& h, const Matrix<Real>& gradient) {
    const auto region = lp_ball<Real>(p, radius, h);
    Vertex<Real> vertex;
    EXPECT_EQ(region->minimize(gradient, 0, true, vertex), 0);
    const auto v = vertex.to_matrix();
    const double value = region->composite(v);
    EXPECT_NEAR(vertex.composite, value, 1e-6 * value) << "vertex.composite is h(vertex)";
    return v;
}

/// The projection of a/κ onto the unit l_p ball by two nested bisections in extended precision: the
/// multiplier ν outside, each coordinate of κ ω + ν ω^{p-1} = a inside.
std::vector<long double> project_by_bisection(const std::vector<long double>& a, long double kappa,
                                              long double p) {
    const auto coordinate = [&](long double ai, long double nu) {
        long double low = 0;
        long double high = std::min(ai / kappa, 2.0L);  // beyond 2 the norm is too large anyway
        for (int k = 0; k < 70; ++k) {
            const long double middle = (low + high) / 2;
            (kappa * middle + nu * std::pow(middle, p - 1) < ai ? low : high) = middle;
        }
        return (low + high) / 2;
    };
    long double low = 0;
    long double high = norm(a, dual(p));
    std::vector<long double> omega(a.size());
    for (int k = 0; k < 70; ++k) {
        const long double nu = (low + high) / 2;
        for (std::size_t i = 0; i < a.size(); ++i) omega[i] = coordinate(a[i], nu);
        (norm(omega, p) > 1 ? low : high) = nu;
    }
    return omega;
}

template <class Real>
class LpComposite : public ::testing::Test {
  public:
    static constexpr double accuracy = std::is_same_v<Real, double> ? 1e-12 : 2e-6;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LpComposite, Precisions);

TYPED_TEST(LpComposite, SatisfiesTheVariationalInequalityForEveryExponentAndTerm) {
    const std::vector<Composite> terms{{0.3, 0, 0}, {0, 1e-6, 0},  {0, 0.05, 0}, {0, 1, 0},
                                       {0, 40, 0},  {0.3, 0.5, 0}, {1.5, 2, 0}};
    for (const Shape shape : {Shape{1, 1}, Shape{1, 30}, Shape{30, 1}, Shape{4, 11}}) {
        const auto gradient = random_matrix<TypeParam>(shape, 5);
        const auto g = entries(gradient);
        for (const double p : exponents) {
            for (const Composite& h : terms) {
                for (const double radius : {0.1, 1.0, 20.0}) {
                    const auto v = answer(p, radius, h, gradient);
                    const double size = radius * static_cast<double>(norm(g, dual(p)));
                    const double gap = static_cast<double>(optimality_gap(g, entries(v), p, radius, h));
                    EXPECT_LE(gap, size * this->accuracy) << p << ' ' << h.l1 << ' ' << h.l2 << ' ' << radius;
                    EXPECT_GE(gap, -size * this->accuracy) << p;
                    EXPECT_LE(static_cast<double>(norm(entries(v), p)), radius * (1 + this->accuracy)) << p;
                }
            }
        }
    }
}

TYPED_TEST(LpComposite, BeatsRandomPointsOfTheBall) {
    const auto gradient = random_matrix<TypeParam>({2, 2}, 6);
    const auto g = entries(gradient);
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform;
    for (const double p : exponents) {
        for (const Composite& h : {Composite{0.4, 0, 0}, Composite{0, 0.7, 0}, Composite{0.4, 0.7, 0}}) {
            const auto v = entries(answer(p, 1.5, h, gradient));
            const long double best = entrywise_objective(g, v, h);
            for (unsigned seed = 0; seed < 100; ++seed) {
                auto u = entries(random_matrix<double>({2, 2}, 500 + seed));
                const long double size = norm(u, p);
                const long double length = 1.5 * uniform(generator);
                for (long double& entry : u) entry *= length / size;
                EXPECT_LE(best, entrywise_objective(g, u, h) + 10 * this->accuracy) << p;
                for (std::size_t i = 0; i < u.size(); ++i)
                    u[i] = v[i] + 1e-3L * (u[i] - v[i]);  // and close by
                EXPECT_LE(best, entrywise_objective(g, u, h) + 10 * this->accuracy) << p;
            }
        }
    }
}

TYPED_TEST(LpComposite, DoesNotDependOnACommonScaleOfGradientAndWeights) {
    const bool single = std::is_same_v<TypeParam, float>;
    const std::vector<double> scales = single ? std::vector<double>{1e-35, 1e-20, 1e20, 1e37}
                                              : std::vector<double>{1e-300, 1e-150, 1e150, 1e300};
    const auto gradient = random_matrix<TypeParam>({3, 5}, 9);
    for (const double p : exponents) {
        for (const Composite& h :
             {Composite{0.2, 0, 0}, Composite{0, 0.3, 0}, Composite{0.2, 0.3, 0}, Composite{0, 30, 0}}) {
            const auto expected = answer(p, 1.0, h, gradient);
            // Scaling rounds every entry; p near 1 magnifies that, 1e4 times for p = 1.0001.
            const double tolerance = 100 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()) *
                                     (1 + (p > 1 ? 1 / (p - 1) : 0));
            for (const double scale : scales) {
                Vertex<TypeParam> vertex;
                lp_ball<TypeParam>(p, 1.0, {h.l1 * scale, h.l2 * scale, 0})
                    ->minimize(times(gradient, scale), 0, true, vertex);
                const auto v = vertex.to_matrix();
                for (Index i = 0; i < v.size(); ++i)
                    EXPECT_NEAR(v.data()[i], expected.data()[i], tolerance) << p << ' ' << scale;
            }
        }
    }
}

TYPED_TEST(LpComposite, TendsToTheLinearOracleAsTheSquareVanishes) {
    const auto gradient = random_matrix<TypeParam>({3, 5}, 10);
    for (const double p : exponents) {
        const auto linear = answer(p, 2.0, {}, gradient);
        for (const double weight : {1e-30, 1e-200, 1e-307}) {
            const auto v = answer(p, 2.0, {0, weight, 0}, gradient);
            for (Index i = 0; i < v.size(); ++i)
                EXPECT_NEAR(v.data()[i], linear.data()[i], 2 * this->accuracy) << p << ' ' << weight;
        }
    }
}

TYPED_TEST(LpComposite, DividesByTheWeightWhenThatStaysInside) {
    const auto gradient = row<TypeParam>({3, -1, 0, 0.5, -2});
    for (const double p : exponents) {
        const auto v = answer(p, 1.0, {1, 100, 0}, gradient);
        const std::vector<double> expected{-0.02, 0, 0, 0, 0.01};
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_EQ(v.data()[i], static_cast<TypeParam>(expected[i])) << p;
    }
}

TYPED_TEST(LpComposite, AnswersTheOriginWhenTheL1TermOutweighsTheGradient) {
    const auto gradient = row<TypeParam>({1, -2, 0.5});
    for (const double p : exponents) {
        for (const double square : {0.0, 1.0}) {
            Vertex<TypeParam> vertex;
            EXPECT_EQ(lp_ball<TypeParam>(p, 3, {2, square, 0})->minimize(gradient, 0, true, vertex), 0);
            EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::zero) << p;
            EXPECT_EQ(vertex.composite, 0);
        }
    }
}

TYPED_TEST(LpComposite, KeepsTheOneHotVertexOfTheL1BallUnderAnL1Term) {
    Vertex<TypeParam> vertex;
    lp_ball<TypeParam>(1, 3, {0.5, 0, 0})->minimize(row<TypeParam>({1, -2, 0.5}), 0, true, vertex);
    EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::one_hot);
    EXPECT_EQ(vertex.index, 1);
    EXPECT_EQ(vertex.scale, 3);
    EXPECT_EQ(vertex.composite, 1.5);
}

TYPED_TEST(LpComposite, ProjectsOntoTheL1BallAsSortingDoes) {
    for (unsigned seed = 0; seed < 30; ++seed) {
        auto gradient = random_matrix<TypeParam>({7, 31}, seed);
        if (seed % 3 == 0)  // many ties
            for (auto& entry : gradient.span())
                entry = static_cast<TypeParam>(std::round(2 * static_cast<double>(entry)));
        for (const double weight : {1e-9, 1e-3, 0.1, 3.0, 100.0}) {
            auto y = entries(gradient);
            for (long double& entry : y) entry = std::abs(entry) / weight;
            const auto expected = project_simplex(y, 2);
            const auto v = answer(1, 2.0, {0, weight, 0}, gradient);
            // The reference subtracts numbers of the size of g / weight.
            const double tolerance = 2 * this->accuracy + 1e-17 / weight;
            for (std::size_t i = 0; i < y.size(); ++i) {
                const double size = std::abs(static_cast<double>(v.data()[i]));
                EXPECT_NEAR(size, static_cast<double>(expected[i]), tolerance) << seed << ' ' << weight;
                if (size > 0) {
                    EXPECT_LT(static_cast<double>(v.data()[i]) * static_cast<double>(gradient.data()[i]), 0);
                }
            }
        }
    }
}

TEST(LpProjection, AgreesWithNestedBisectionToThirteenDigits) {
    const std::vector<long double> a{1, 0.97L, 0.5L, 0.1L, 1e-3L, 0};
    const auto gradient = row<double>({-1, -0.97, -0.5, -0.1, -1e-3, 0});
    for (const double p : {1.01, 1.1, 1.5, 1.9, 2.5, 3.0, 10.0, 100.0}) {
        for (const double kappa : {1e-12, 1e-4, 0.05, 0.5, 0.9}) {
            if (norm(a, p) <= kappa) continue;
            const auto expected = project_by_bisection(a, kappa, p);
            const auto v = answer(p, 1.0, {0, kappa, 0}, gradient);
            // Rounding 0.97 to a double already moves the answer by 1/(p-1) units in the last place.
            const double tolerance = 3e-14 + 1e-16 / (p - 1) * 20;
            for (std::size_t i = 0; i < a.size(); ++i)
                EXPECT_NEAR(v.data()[i], static_cast<double>(expected[i]), tolerance)
                    << p << ' ' << kappa << ' ' << i;
        }
    }
}

TEST(LpProjection, StaysFiniteAndOnTheSphereAtExtremeExponents) {
    const auto gradient = row<double>({1e10, -3, 1e-300, 0, 5e9, 1e10});
    for (const double p : {1 + 0x1p-52, 1 + 1e-9, 1.00001, 1e5, 1e15, 1e300}) {
        for (const double weight : {1e-300, 1e-5, 1.0, 1e9, 0.9e10, 1e12}) {
            const auto v = entries(answer(p, 1.0, {0, weight, 0}, gradient));
            EXPECT_LE(static_cast<double>(norm(v, p)), 1 + 1e-9) << p;
            const double gap =
                static_cast<double>(optimality_gap(entries(gradient), v, p, 1, {0, weight, 0}));
            EXPECT_LE(std::abs(gap), 1e-9 * 1e10) << p << ' ' << weight;
        }
    }
}

TEST(LpProjection, HandlesALongVectorOfTies) {
    Matrix<double> gradient(10, 1000);
    gradient.fill(-2);
    for (const double p : exponents) {
        const auto v = answer(p, 1.0, {0, 1e-3, 0}, gradient);
        for (const double entry : v.span())
            EXPECT_NEAR(entry, std::isinf(p) ? 1.0 : std::pow(1e4, -1 / p), 1e-12) << p;
    }
}

TEST(LpProjection, HIsTheWeightedSumOfNorms) {
    const auto x = row<double>({3, -4, 0, 1});
    EXPECT_DOUBLE_EQ((lp_ball<double>(3, 1, {0.5, 0, 0})->composite(x)), 4);
    EXPECT_DOUBLE_EQ((lp_ball<double>(3, 1, {0, 2, 0})->composite(x)), 26);
    EXPECT_DOUBLE_EQ((lp_ball<double>(3, 1, {0.5, 2, 0})->composite(x)), 30);
    EXPECT_EQ(lp_ball<double>(3, 1)->composite(x), 0);
}

}  // namespace
}  // namespace alfcg

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

const std::vector<double> exponents{1, 1.0001, 1.1, 1.5, 2, 2.5, 3, 4, 10, 1e3, infinity};

template <class Real>
Vertex<Real> ask(Region<Real>& region, const Matrix<Real>& gradient) {
    Vertex<Real> vertex;
    EXPECT_EQ(region.minimize(gradient, 0, true, vertex), 0) << "l_p oracles are exact";
    EXPECT_EQ(vertex.shape, gradient.shape());
    return vertex;
}

template <class Real>
Matrix<Real> row(const std::vector<double>& values) {
    Matrix<Real> x(1, static_cast<Index>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) x.data()[i] = static_cast<Real>(values[i]);
    return x;
}

template <class Real>
class LpLinear : public ::testing::Test {
  public:
    static constexpr double accuracy = std::is_same_v<Real, double> ? 1e-12 : 1e-6;
    static constexpr bool single = std::is_same_v<Real, float>;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LpLinear, Precisions);

TYPED_TEST(LpLinear, MatchesTheClosedFormForEveryExponent) {
    const auto gradient = random_matrix<TypeParam>({3, 7}, 1);
    const auto g = entries(gradient);
    for (const double p : exponents) {
        const auto region = lp_ball<TypeParam>(p, 2.5);
        const auto vertex = ask(*region, gradient);
        const long double q = dual(p);
        for (std::size_t i = 0; i < g.size(); ++i) {
            long double expected = 0;
            if (p == 1)
                expected = std::abs(g[i]) == norm(g, infinity) ? 2.5L : 0.0L;
            else if (std::isinf(p))
                expected = 2.5L;
            else
                expected = 2.5L * std::pow(std::abs(g[i]) / norm(g, q), q - 1);
            if (g[i] > 0) expected = -expected;
            const Index index = static_cast<Index>(i);
            EXPECT_NEAR(vertex.at(index / 7, index % 7), static_cast<double>(expected), 2.5 * this->accuracy)
                << p;
        }
    }
}

TYPED_TEST(LpLinear, AttainsHoeldersInequalityOnTheSphere) {
    for (const Shape shape : {Shape{1, 1}, Shape{1, 40}, Shape{40, 1}, Shape{5, 33}}) {
        const auto gradient = random_matrix<TypeParam>(shape, 2);
        const auto g = entries(gradient);
        for (const double p : exponents) {
            const auto region = lp_ball<TypeParam>(p, 3);
            const auto v = ask(*region, gradient).to_matrix();
            const double best = static_cast<double>(-3 * norm(g, dual(p)));
            EXPECT_NEAR(static_cast<double>(dot(g, entries(v))), best, std::abs(best) * this->accuracy) << p;
            EXPECT_NEAR(static_cast<double>(norm(entries(v), p)), 3, 3 * this->accuracy) << p;
            EXPECT_LE(region->violation(v), this->accuracy) << p;
        }
    }
}

TYPED_TEST(LpLinear, BeatsEveryOtherPointOfTheBall) {
    const auto gradient = random_matrix<TypeParam>({2, 3}, 3);
    const auto g = entries(gradient);
    for (const double p : exponents) {
        const auto region = lp_ball<TypeParam>(p, 1);
        const long double best = dot(g, entries(ask(*region, gradient).to_matrix()));
        for (unsigned seed = 0; seed < 200; ++seed) {
            auto u = entries(random_matrix<double>({2, 3}, 1000 + seed));
            const long double size = norm(u, p);
            for (long double& entry : u) entry /= size;
            EXPECT_LE(best, dot(g, u) + this->accuracy) << p;
        }
    }
}

TYPED_TEST(LpLinear, DoesNotDependOnTheScaleOfTheGradient) {
    const std::vector<double> scales = this->single
                                           ? std::vector<double>{1e-38, 1e-30, 1e-10, 1e10, 1e30, 1e37}
                                           : std::vector<double>{1e-300, 1e-150, 1e150, 1e300};
    const auto gradient = random_matrix<TypeParam>({4, 9}, 4);
    for (const double p : exponents) {
        const auto region = lp_ball<TypeParam>(p, 1);
        const auto expected = ask(*region, gradient).to_matrix();
        // Scaling rounds every entry, and p near 1 magnifies that by 1/(p-1).
        const double rounding = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
        const double tolerance = 20 * rounding * (1 + (p > 1 ? 1 / (p - 1) : 0));
        for (const double scale : scales) {
            Matrix<TypeParam> scaled(gradient.shape());
            for (Index i = 0; i < scaled.size(); ++i)
                scaled.data()[i] = static_cast<TypeParam>(static_cast<double>(gradient.data()[i]) * scale);
            const auto v = ask(*region, scaled).to_matrix();
            // 1e-38 is denormal in float: some entries lose digits there.
            const double loss = this->single && scale < 1e-37 ? 1e-5 * (1 + (p > 1 ? 1 / (p - 1) : 0)) : 0;
            for (Index i = 0; i < v.size(); ++i)
                EXPECT_NEAR(v.data()[i], expected.data()[i], tolerance + loss) << p << ' ' << scale;
        }
    }
}

TYPED_TEST(LpLinear, WorksOnTheSmallestDenormals) {
    const double tiny = static_cast<double>(std::numeric_limits<TypeParam>::denorm_min());
    const auto plain = row<TypeParam>({3, -1, 0, 2});
    auto small = plain;
    for (auto& entry : small.span()) entry = static_cast<TypeParam>(static_cast<double>(entry) * tiny);
    for (const double p : exponents) {
        const auto region = lp_ball<TypeParam>(p, 1);
        const auto expected = ask(*region, plain).to_matrix();
        const auto v = ask(*region, small).to_matrix();
        for (Index i = 0; i < v.size(); ++i)
            EXPECT_NEAR(v.data()[i], expected.data()[i], this->accuracy) << p;
    }
}

TYPED_TEST(LpLinear, AnswersTheOriginToAZeroGradient) {
    Matrix<TypeParam> gradient(3, 4);
    for (const double p : exponents) {
        const auto region = lp_ball<TypeParam>(p, 1);
        EXPECT_EQ(ask(*region, gradient).kind, Vertex<TypeParam>::Kind::zero);
        EXPECT_EQ(region->violation(gradient), 0);
    }
}

TYPED_TEST(LpLinear, BreaksTiesOfTheL1BallByTheLowestRowMajorIndex) {
    Matrix<TypeParam> gradient(2, 3);
    gradient(0, 2) = 2;
    gradient(1, 0) = -2;
    gradient(1, 1) = 2;
    const auto vertex = ask(*lp_ball<TypeParam>(1, 5), gradient);
    EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::one_hot);
    EXPECT_EQ(vertex.index, 2);
    EXPECT_EQ(vertex.scale, -5);
}

TYPED_TEST(LpLinear, TakesTheSignOfZeroToBeZeroOnTheCube) {
    const auto v =
        ask(*lp_ball<TypeParam>(infinity, 2), row<TypeParam>({-1e-30, 0, 1e-30, -0.0})).to_matrix();
    EXPECT_EQ(v.data()[0], 2);
    EXPECT_EQ(v.data()[1], 0);
    EXPECT_EQ(v.data()[2], -2);
    EXPECT_EQ(v.data()[3], 0);
}

TYPED_TEST(LpLinear, StaysFiniteAtExtremeExponentsAndRanges) {
    const double large = this->single ? 1e38 : 1e300;
    const auto gradient = row<TypeParam>({large, -1, 1 / large, 0, large / 2});
    for (const double p : {1 + 0x1p-52, 1 + 1e-12, 1.001, 1.5, 2.0, 3.0, 7.0, 1e6, 1e15, 1e300}) {
        const auto region = lp_ball<TypeParam>(p, 1);
        const auto v = ask(*region, gradient).to_matrix();
        for (const auto entry : v.span()) EXPECT_TRUE(std::isfinite(entry)) << p;
        EXPECT_NEAR(lp_ball<TypeParam>(p, 0.5)->violation(v), 1, 2 * this->accuracy)
            << p << ": on the sphere";
        EXPECT_LE(region->violation(v), this->accuracy) << p;
    }
}

TYPED_TEST(LpLinear, SharesTheRadiusAmongTiesHoweverNearPIsToOne) {
    const auto v = ask(*lp_ball<TypeParam>(1 + 1e-13, 1), row<TypeParam>({2, -2, 1, 0})).to_matrix();
    EXPECT_NEAR(v.data()[0], -0.5, this->accuracy);
    EXPECT_NEAR(v.data()[1], 0.5, this->accuracy);
    EXPECT_EQ(v.data()[2], 0);
}

TEST(LpLinearDouble, KeepsEntriesWhoseRatioToTheLargestUnderflows) {
    // (1e-300 / 1e300)^{1/999} is far from zero though the ratio is not a double.
    const auto v = ask(*lp_ball<double>(1000, 1), row<double>({1e300, 1e-300})).to_matrix();
    EXPECT_NEAR(v.data()[1] / v.data()[0], std::pow(10.0, -600.0 / 999), 1e-12);
    const auto signs = ask(*lp_ball<double>(infinity, 1), row<double>({1e300, -1e-320})).to_matrix();
    EXPECT_EQ(signs.data()[1], 1);
}

TYPED_TEST(LpLinear, RejectsAGradientThatIsNotFinite) {
    for (const double bad : {infinity, -infinity, std::nan("")}) {
        for (const Index n : {1, 5, 16, 37}) {
            for (Index at = 0; at < n; ++at) {
                Matrix<TypeParam> gradient(1, n);
                gradient.data()[at] = static_cast<TypeParam>(bad);
                Vertex<TypeParam> vertex;
                EXPECT_THROW(lp_ball<TypeParam>(3, 1)->minimize(gradient, 0, true, vertex), Error);
            }
        }
    }
}

TYPED_TEST(LpLinear, DiameterIsAttainedAndNeverExceeded) {
    const Shape shape{3, 5};
    for (const double p : exponents) {
        const auto region = lp_ball<TypeParam>(p, 2);
        const double diameter = region->diameter(shape);
        // The farthest pair: opposite corners of the diagonal for p > 2, of an axis for p <= 2.
        const double half = p > 2 ? 2 * std::sqrt(15.0) / std::pow(15.0, 1 / p) : 2;
        EXPECT_NEAR(diameter, 2 * half, 1e-12) << p;
        for (unsigned seed = 0; seed < 20; ++seed) {
            const auto a = entries(ask(*region, random_matrix<TypeParam>(shape, seed)).to_matrix());
            const auto b = entries(ask(*region, random_matrix<TypeParam>(shape, seed + 100)).to_matrix());
            std::vector<long double> difference(a.size());
            for (std::size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
            EXPECT_LE(static_cast<double>(norm(difference, 2)), diameter * (1 + this->accuracy)) << p;
        }
    }
}

TYPED_TEST(LpLinear, ViolationIsTheNormOverTheRadiusLessOneAtAnyScale) {
    const double scale = this->single ? 1e-30 : 1e-200;
    for (const double p : exponents) {
        for (const double factor : {scale, 1.0, 1 / scale}) {
            const auto x = random_matrix<TypeParam>({4, 6}, 8, factor);
            const auto size = static_cast<double>(norm(entries(x), p));
            EXPECT_NEAR((1 + lp_ball<TypeParam>(p, size / 7)->violation(x)) / 7, 1, 1e-12) << p;
            EXPECT_EQ(lp_ball<TypeParam>(p, 1.01 * size)->violation(x), 0) << p;
        }
    }
}

TYPED_TEST(LpLinear, DescribesItself) {
    EXPECT_EQ(lp_ball<TypeParam>(3, 10)->describe(), "l_3 ball of radius 10");
    EXPECT_EQ((lp_ball<TypeParam>(infinity, 0.5, {0.1, 2, 0})->describe()),
              "l_inf ball of radius 0.5 + 0.1 ‖x‖₁ + (2/2) ‖x‖₂²");
}

}  // namespace
}  // namespace alfcg

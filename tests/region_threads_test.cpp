#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using namespace alfcg::testing;

// Gradients long enough to be shared among threads; lengths that no vector and no part divides evenly.
const Shape long_shape{3, 100003};

template <class Real>
class Threads : public ::testing::Test {
  public:
    static constexpr double accuracy = std::is_same_v<Real, double> ? 1e-12 : 1e-6;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Threads, Precisions);

TYPED_TEST(Threads, LongLpOraclesMatchTheClosedForm) {
    const auto gradient = random_matrix<TypeParam>(long_shape, 31);
    const auto g = entries(gradient);
    const double underflow = 50 * static_cast<double>(std::numeric_limits<TypeParam>::min());
    for (const double p : {1.1, 1.5, 2.0, 2.5, 3.0, 4.0}) {
        const long double q = dual(p);
        const long double size = norm(g, q);
        std::vector<double> expected(g.size());
        for (std::size_t i = 0; i < g.size(); ++i)
            expected[i] =
                static_cast<double>(-std::copysign(50 * std::pow(std::abs(g[i]) / size, q - 1), g[i]));
        for (const int threads : {1, 2, 3}) {
            Vertex<TypeParam> vertex;
            lp_ball<TypeParam>(p, 50, {}, threads)->minimize(gradient, 0, true, vertex);
            double worst = 0;  // relative to the entry, not to the radius
            for (std::size_t i = 0; i < g.size(); ++i) {
                const double error = std::abs(static_cast<double>(vertex.dense.data()[i]) - expected[i]);
                worst = std::max(worst, error / (std::abs(expected[i]) + underflow));
            }
            EXPECT_LE(worst, this->accuracy * 0.3) << p << ' ' << threads;
        }
    }
}

TYPED_TEST(Threads, LongLpOraclesWithAnL1TermAttainTheirMinimum) {
    const auto gradient = random_matrix<TypeParam>(long_shape, 32);
    const auto g = entries(gradient);
    const Composite h{0.7, 0, 0};
    for (const double p : {1.0, 1.5, 2.5, 3.0, infinity}) {
        for (const int threads : {1, 3}) {
            Vertex<TypeParam> vertex;
            lp_ball<TypeParam>(p, 2, h, threads)->minimize(gradient, 0, true, vertex);
            const auto v = entries(vertex.to_matrix());
            const double size = static_cast<double>(2 * norm(g, dual(p)));
            EXPECT_LE(std::abs(static_cast<double>(optimality_gap(g, v, p, 2, h))), size * this->accuracy)
                << p << ' ' << threads;
        }
    }
}

TYPED_TEST(Threads, LongNuclearOraclesReachTheLargestSingularValue) {
    auto gradient = random_matrix<TypeParam>(long_shape, 35);
    // Orthogonal rows of known length but for the noise: σ₁ from the 3 x 3 Gram matrix, in extended precision.
    for (Index j = 0; j < long_shape.cols; ++j) gradient(1, j) *= 2;
    const auto g = entries(gradient);
    const auto n = static_cast<std::size_t>(long_shape.cols);
    long double gram[3][3] = {};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t j = 0; j < n; ++j) gram[i][k] += g[i * n + j] * g[k * n + j];
    long double u[3] = {1, 1, 1};
    long double value = 0;
    for (int step = 0; step < 200; ++step) {  // power iteration: the gap is a factor of four
        long double next[3] = {};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) next[i] += gram[i][k] * u[k];
        value = std::sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2]);
        for (std::size_t i = 0; i < 3; ++i) u[i] = next[i] / value;
    }
    const double sigma = static_cast<double>(std::sqrt(value));
    for (const int threads : {1, 2, 3}) {
        Vertex<TypeParam> vertex;
        EXPECT_EQ(nuclear_ball<TypeParam>(1, {}, threads)->minimize(gradient, 0, true, vertex), 0);
        const double reached = static_cast<double>(dot(g, entries(vertex.to_matrix())));
        EXPECT_NEAR(reached, -sigma, sigma * this->accuracy) << threads;
    }
}

TYPED_TEST(Threads, TheFirstOfEqualPeaksWinsInWhateverPartItLies) {
    for (const Index first :
         {Index{0}, Index{4095}, Index{4096}, Index{100000}, Index{150004}, Index{300008}}) {
        Matrix<TypeParam> gradient(long_shape);
        gradient.fill(static_cast<TypeParam>(-0.5));
        gradient.data()[first] = 2;
        gradient.data()[300008] = first == 300008 ? TypeParam(2) : TypeParam(-2);
        for (const int threads : {1, 2, 3}) {
            Vertex<TypeParam> vertex;
            lp_ball<TypeParam>(1, 5, {}, threads)->minimize(gradient, 0, true, vertex);
            EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::one_hot);
            EXPECT_EQ(vertex.index, first) << threads;
            EXPECT_EQ(vertex.scale, -5);
        }
    }
}

TYPED_TEST(Threads, OneBadEntryIsFoundInWhateverPartItLies) {
    const auto good = random_matrix<TypeParam>(long_shape, 33);
    for (const Index at : {Index{0}, Index{5000}, Index{150000}, Index{300008}}) {
        for (const double bad : {infinity, std::nan("")}) {
            auto gradient = good;
            gradient.data()[at] = static_cast<TypeParam>(bad);
            for (const double p : {1.0, 1.5, 2.0, 2.5, 3.0, infinity}) {
                for (const double l1 : {0.0, 0.1}) {
                    Vertex<TypeParam> vertex;
                    const auto region = lp_ball<TypeParam>(p, 1, {l1, 0, 0}, 2);
                    EXPECT_THROW(region->minimize(gradient, 0, true, vertex), Error) << p;
                }
            }
        }
    }
}

TYPED_TEST(Threads, AThresholdBetweenTwoFloatsDividesTheCubeExactly) {
    // 0.1 is not a float: the float next to it lies above, the one before it below.
    Matrix<TypeParam> gradient(1, 3);
    const auto above = static_cast<TypeParam>(0.1F);
    gradient.data()[0] = above;
    gradient.data()[1] = -std::nextafter(0.1F, 0.0F);
    gradient.data()[2] = 1;
    Vertex<TypeParam> vertex;
    lp_ball<TypeParam>(infinity, 2, {0.1, 0, 0})->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.dense.data()[0], -2);
    EXPECT_EQ(vertex.dense.data()[1], 0);
    EXPECT_EQ(vertex.dense.data()[2], -2);
    // A threshold beyond every float leaves nothing.
    gradient.data()[2] = std::numeric_limits<float>::max();
    lp_ball<TypeParam>(infinity, 2, {1e39, 0, 0})->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.kind, Vertex<TypeParam>::Kind::zero);
}

TYPED_TEST(Threads, TheSameThreadsGiveTheSameBits) {
    const auto gradient = random_matrix<TypeParam>(long_shape, 34);
    for (const int threads : {1, 2, 3}) {
        const auto answer = [&](const std::unique_ptr<Region<TypeParam>>& region) {
            Vertex<TypeParam> vertex;
            region->minimize(gradient, 0, false, vertex);
            const auto full = vertex.to_matrix();
            return std::vector<TypeParam>(full.span().begin(), full.span().end());
        };
        for (const double p : {1.5, 2.5, 3.0})
            EXPECT_EQ(answer(lp_ball<TypeParam>(p, 1, {}, threads)),
                      answer(lp_ball<TypeParam>(p, 1, {}, threads)));
        EXPECT_EQ(answer(nuclear_ball<TypeParam>(1, {}, threads)),
                  answer(nuclear_ball<TypeParam>(1, {}, threads)));
    }
}

}  // namespace
}  // namespace alfcg

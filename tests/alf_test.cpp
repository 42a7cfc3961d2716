#include "step/alf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace alfcg {
namespace {

using Momentum = AlfAccumulator::Momentum;

// Random move lengths over many scales, shrinking as those of a run do (long moves for ever would overflow
// S_t).
std::vector<double> moves(unsigned seed, int count) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(-6, 0);
    std::vector<double> lengths;
    for (int i = 0; i < count; ++i) lengths.push_back(std::pow(10, exponent(random)) / (1 + i));
    return lengths;
}

TEST(AlfAccumulator, StartsAtRhoWithFullMomentum) {
    for (const Momentum momentum : {Momentum::none, Momentum::mvr1, Momentum::mvr2}) {
        AlfAccumulator accumulator(0.25, 100, momentum);
        accumulator.begin(0);
        EXPECT_EQ(accumulator.curvature(), 0.25);
        EXPECT_EQ(accumulator.alpha(), 1);
    }
}

// Algorithm 1 with every sum and maximum taken afresh from the history.
TEST(AlfAccumulator, FollowsAlgorithmOneOnRandomMoves) {
    for (const Momentum momentum : {Momentum::none, Momentum::mvr1, Momentum::mvr2})
        for (const double beta : {0.0, 0.5, 100.0}) {
            const double rho = 0.3;
            AlfAccumulator accumulator(rho, beta, momentum);
            std::vector<double> squares;  // δ_i²
            double smallest = 1;
            Index t = 0;
            for (const double length : moves(1, 200)) {
                accumulator.begin(t);
                double sum = 0;
                double largest = 0;
                for (const double square : squares) {
                    sum += square;
                    largest = std::max(largest, beta + square);
                }
                const double elapsed = 1 + static_cast<double>(t) * beta + sum;
                double alpha = 1;
                double curvature = rho * std::pow(1 + sum, 0.5);
                if (momentum == Momentum::mvr1) {
                    alpha = std::pow(elapsed, -0.5);
                    curvature *= std::pow(alpha, -0.5);
                } else if (momentum == Momentum::mvr2) {
                    smallest = std::min(smallest, std::pow((1 + largest) / elapsed, 2.0 / 3));
                    alpha = smallest;
                    curvature *= std::pow(alpha, -0.25);
                }
                EXPECT_NEAR(accumulator.alpha() / alpha, 1, 1e-13);
                EXPECT_NEAR(accumulator.curvature() / curvature, 1, 1e-12);
                squares.push_back(std::pow(accumulator.curvature() * length, 2));
                accumulator.moved(length);
                ++t;
            }
        }
}

// Spec 8, facts 2 and 3.
TEST(AlfAccumulator, CurvatureNeverFallsAndMomentumNeverRises) {
    for (const Momentum momentum : {Momentum::none, Momentum::mvr1, Momentum::mvr2})
        for (const double beta : {0.0, 1.0, 100.0})
            for (unsigned seed = 0; seed < 20; ++seed) {
                AlfAccumulator accumulator(0.1, beta, momentum);
                accumulator.begin(0);
                Index t = 0;
                for (const double length : moves(seed, 300)) {
                    const double curvature = accumulator.curvature();
                    const double alpha = accumulator.alpha();
                    accumulator.moved(length);
                    accumulator.begin(++t);
                    EXPECT_GE(accumulator.curvature(), curvature);
                    EXPECT_GT(accumulator.alpha(), 0);
                    EXPECT_LE(accumulator.alpha(), alpha);
                    if (momentum == Momentum::none) {
                        EXPECT_NEAR(accumulator.curvature() / curvature,
                                    std::sqrt(1 + 0.01 * length * length), 1e-12 * (1 + length));
                    }
                    if (momentum == Momentum::mvr2) {
                        EXPECT_LE(1 / accumulator.alpha() - 1 / alpha, 2.0 / 3 + 1e-9 / alpha);
                    }
                }
            }
}

TEST(ShortStep, IsZeroWithoutPositiveGapOrWithNowhereToGo) {
    EXPECT_EQ(short_step(0, 1, 1), 0);
    EXPECT_EQ(short_step(-1, 1, 1), 0);
    EXPECT_EQ(short_step(1, 1, 0), 0);
    EXPECT_EQ(short_step(1, 2, 1), 0.5);
    EXPECT_EQ(short_step(5, 1, 1), 1);
    EXPECT_EQ(short_step(std::nan(""), 1, 1), 0);
}

}  // namespace
}  // namespace alfcg

// The intercept where the loss says little about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "alfcg/alfcg.hpp"

namespace alfcg {
namespace {

// Scores that are far from zero, and from each other: the loss is flat at some intercepts and bends sharply at others, and Newton's
// steps lead nowhere. The derivative of a convex loss changes its sign once, which halving finds in any case.
TEST(Intercept, IsFoundWhereTheLossIsFlatAlmostEverywhere) {
    const std::vector<double> steps{60, 40, 60, 100, 60, 0, 20};
    const std::vector<double> labels{1, 1, 1, 1, -1, 1, 1};
    for (const std::string loss : {"logistic", "huber", "squared"})
        for (const double offset : {0.0, 1e5, 268435456.0})
            for (const double scale : {1e-3, 1.0, 1e3}) {
                Buffer<double> entries;
                for (std::size_t i = 0; i < steps.size(); ++i) {
                    entries.push_back(offset + scale * steps[i]);
                    entries.push_back(offset + scale * steps[steps.size() - 1 - i]);
                }
                const Index rows = std::ssize(steps);
                const DenseFeatures<double> features(std::move(entries), rows, 2);
                Targets targets;
                targets.values = labels;
                const auto objective = linear_objective<double>(features, targets, {loss, {}}, 1, true);
                for (const auto& [a, b] : {std::pair{0.7, 0.7}, {-0.9, 0.1}, {1.0, 0.0}, {0.0, -1.0}}) {
                    Matrix<double> x(1, 2);
                    x(0, 0) = a;
                    x(0, 1) = b;
                    const Iterate<double> at(x);
                    Matrix<double> gradient;
                    const double value = objective->evaluate(at, gradient);
                    // The same minimum, between the extreme scores, by halving in extended precision.
                    const auto slope_at = [&](long double intercept, long double& sum) {
                        long double slope = 0;
                        sum = 0;
                        for (Index i = 0; i < rows; ++i) {
                            const long double z = static_cast<long double>(features.row(i)[0]) * a +
                                                  static_cast<long double>(features.row(i)[1]) * b +
                                                  intercept;
                            const long double y = labels[static_cast<std::size_t>(i)];
                            const long double r = z - y;
                            if (loss == "logistic") {
                                sum += std::max(-y * z, 0.0L) + std::log1p(std::exp(-std::abs(z)));
                                slope -= y / (1 + std::exp(y * z));
                            } else {
                                const bool near = loss == "squared" || std::abs(r) <= 1;
                                sum += near ? r * r / 2 : std::abs(r) - 0.5L;
                                slope += near ? r : std::copysign(1.0L, r);
                            }
                        }
                        sum /= static_cast<long double>(rows);
                        return slope;
                    };
                    long double low = -1e12L;
                    long double high = 1e12L;
                    long double least = 0;
                    for (int k = 0; k < 120; ++k) {
                        const long double middle = (low + high) / 2;
                        (slope_at(middle, least) < 0 ? low : high) = middle;
                    }
                    // Scores are known to so much.
                    const double rounding =
                        1e-15 * (std::abs(offset) + scale * 100) + 1e-9 * static_cast<double>(least);
                    EXPECT_NEAR(value, static_cast<double>(least), 10 * rounding + 1e-9)
                        << loss << ", offset " << offset << ", scale " << scale << ", weights " << a << " "
                        << b;
                }
            }
}

}  // namespace
}  // namespace alfcg

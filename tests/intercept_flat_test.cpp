// The intercept where the loss says little about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

// The mean multinomial loss of three classes, of which the last has the intercept 0, and its derivatives by the other two.
struct ThreeClasses {
    std::vector<std::array<long double, 3>> scores;
    std::vector<std::size_t> classes;

    long double look(long double a, long double b, std::array<long double, 2>& slopes) const {
        long double loss = 0;
        slopes = {0, 0};
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const std::array<long double, 3> z{scores[i][0] + a, scores[i][1] + b, scores[i][2]};
            const long double top = std::max({z[0], z[1], z[2]});
            long double sum = 0;
            for (const long double one : z) sum += std::exp(one - top);
            loss += top + std::log(sum) - z[classes[i]];
            for (std::size_t l = 0; l < 2; ++l)
                slopes[l] += std::exp(z[l] - top) / sum - (classes[i] == l ? 1 : 0);
        }
        return loss / static_cast<long double>(scores.size());
    }
    // The derivative of what is the least over b changes its sign where a is the best.
    [[nodiscard]] long double least() const {
        std::array<long double, 2> slopes{};
        long double loss = 0;
        const auto halve = [](auto rises) {
            long double low = -1e12L;
            long double high = 1e12L;
            for (int k = 0; k < 90; ++k) (rises((low + high) / 2) ? high : low) = (low + high) / 2;
        };
        halve([&](long double a) {
            halve([&](long double b) {
                loss = look(a, b, slopes);
                return slopes[1] > 0;
            });
            return slopes[0] > 0;
        });
        return loss;
    }
};

// The same with several outputs, whose intercepts are followed from where all scores are small.
TEST(Intercept, OfSeveralClassesIsFoundWhereTheLossIsFlatAlmostEverywhere) {
    const std::vector<double> steps{60, 40, 60, 100, 60, 0, 20, 70, 10};
    ThreeClasses reference;
    reference.classes = {0, 1, 2, 0, 1, 2, 2, 0, 2};
    Targets targets;
    targets.outputs = 3;
    for (const std::size_t code : reference.classes)
        targets.classes.push_back(static_cast<std::int32_t>(code));
    for (const double offset : {0.0, 1e5, 268435456.0})
        for (const double scale : {1.0, 1e3}) {
            Buffer<double> entries;
            for (std::size_t i = 0; i < steps.size(); ++i) {
                entries.push_back(offset + scale * steps[i]);
                entries.push_back(offset + scale * steps[steps.size() - 1 - i]);
            }
            const DenseFeatures<double> features(std::move(entries), std::ssize(steps), 2);
            const auto objective = linear_objective<double>(features, targets, {"multinomial", {}}, 1, true);
            for (const std::array<double, 6>& weights : {std::array<double, 6>{0.7, 0.7, 0, 0.5, -1, 0.25},
                                                         {-0.9, 0.1, 0.9, -0.1, 0, 0},
                                                         {1, 0, 0, 1, 0, 0},
                                                         {0, -1, 1, 0, 0.5, 0.5},
                                                         {0, 0, 0, 0, 3, -3}}) {
                Matrix<double> x(3, 2);
                std::copy(weights.begin(), weights.end(), x.data());
                reference.scores.clear();
                for (Index i = 0; i < std::ssize(steps); ++i) {
                    auto& scores = reference.scores.emplace_back();
                    for (Index l = 0; l < 3; ++l)
                        scores[static_cast<std::size_t>(l)] =
                            static_cast<long double>(x(l, 0)) * features.row(i)[0] +
                            static_cast<long double>(x(l, 1)) * features.row(i)[1];
                }
                const Iterate<double> at(x);
                Matrix<double> gradient;
                const double value = objective->evaluate(at, gradient);
                const auto least = static_cast<double>(reference.least());
                const double rounding = 1e-14 * (std::abs(offset) + scale * 100) + 1e-8 * least;
                EXPECT_NEAR(value, least, rounding + 1e-9) << "offset " << offset << ", scale " << scale
                                                           << ", weights " << weights[0] << " " << weights[1];
                EXPECT_TRUE(objective->certifies(at));
            }
        }
}

}  // namespace
}  // namespace alfcg

// What `--rho auto` and `--rho probe` promise (docs/calibration.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "calibration/checkpoint.hpp"
#include "calibration/trust.hpp"
#include "calibration_cases.hpp"

namespace alfcg {
namespace {

// Every method with every way of choosing its scale, and batches of one, the default and every row.
template <class Check>
void for_each_run(const Check& check) {
    for (const std::string& method : alfcg_methods())
        for (const std::string rule : {"auto", "probe"})
            for (const double batch : {0.0, 1.0, 1000.0}) {
                if (method == "alfcg-d" && batch > 0) continue;
                Options options = run_options(method, 70);
                options.parameters.set("rho", rule);
                if (batch > 0) options.parameters.set("batch", batch);
                SCOPED_TRACE(method + (rule == "probe" ? " probe" : " auto") +
                             " batch=" + std::to_string(batch));
                check(options);
            }
}

void expect_positive_scale(const Result<double>& result) {
    ASSERT_TRUE(result.scale.has_value());
    EXPECT_TRUE(std::isfinite(*result.scale));
    EXPECT_GT(*result.scale, 0);
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
    return std::equal(a.span().begin(), a.span().end(), b.span().begin(), b.span().end());
}

TEST(Rule, UsesGradientsOnlyAndCountsEveryOne) {
    for (const std::string loss : {"multinomial", "squared"})
        for (const double radius : {0.1, 3.0, 300.0}) {
            auto problem = reference::random_problem(loss, 57, 6);
            problem.radius = radius;
            for_each_run([&](Options options) {
                SCOPED_TRACE(loss + " radius " + std::to_string(radius));
                for (const Index iterations : {0, 1, 2, 70}) {
                    options.max_iterations = iterations;
                    Bridge<double> bridge(problem);
                    CountingObjective counting(*bridge.objective);
                    const auto result = solve<double>(counting, *bridge.region, options);
                    EXPECT_EQ(counting.values, 0);
                    EXPECT_EQ(result.counters.function_evaluations, 0);
                    // The metrics of the last iterate are one more pass, which is not the method's.
                    EXPECT_EQ(result.counters.component_gradients,
                              counting.component_gradients - counting.samples());
                    EXPECT_DOUBLE_EQ(result.epochs,
                                     static_cast<double>(result.counters.component_gradients) / 57);
                }
            });
        }
}

TEST(Rule, KnowsNoHorizon) {
    auto problem = reference::random_problem("multinomial", 83, 6);
    for (const double radius : {0.5, 50.0}) {
        problem.radius = radius;
        for_each_run([&](Options options) {
            std::vector<Way> ways;
            for (const double epochs : {6.0, 12.0, 1e9}) {
                options.max_epochs = epochs;
                options.max_iterations = epochs < 1e9 ? 1'000'000 : 90;
                Bridge<double> bridge(problem);
                ways.push_back(walk(*bridge.objective, *bridge.region, options));
            }
            for (const Way& way : ways) {
                // The last row is where a run settles, which only the last one of a run does.
                const std::size_t common = std::min(way.x.size(), ways.front().x.size()) - 1;
                EXPECT_GT(common, 2U);
                for (std::size_t t = 0; t < common; ++t)
                    ASSERT_TRUE(same_bits(way.x[t], ways.front().x[t])) << "t=" << t;
            }
        });
    }
}

TEST(Rule, StaysInsideTheRegionAlsoOnTheWayBack) {
    for (const std::string loss : {"multinomial", "logistic"})
        for (const BallCase& ball : ball_cases())
            for (const double radius : {0.01, 1.0, 1e3}) {
                auto problem = reference::random_problem(loss, 40, 5);
                ball.put(problem);
                problem.radius = radius;
                SCOPED_TRACE(loss + " " + ball.text() + " radius " + std::to_string(radius));
                for_each_run([&](const Options& options) {
                    Bridge<double> bridge(problem);
                    const Way way = walk(*bridge.objective, *bridge.region, options);
                    for (const auto& x : way.x) ASSERT_LE(bridge.region->violation(x), 1e-10);
                    expect_positive_scale(way.result);
                });
            }
}

// f_i(x) = <a_i, x>.
std::unique_ptr<Objective<double>> linear_sum(reference::Matrix a) {
    const Index rows = a.rows();
    const Index size = a.cols();
    return custom_sum<double>({1, size}, rows, [a = std::move(a)](auto batch, auto x, auto gradient) {
        double value = 0;
        for (const Index i : batch)
            for (std::size_t k = 0; k < x.size(); ++k) {
                const double share = a(i, static_cast<Index>(k)) / static_cast<double>(batch.size());
                gradient[k] += share;
                value += share * x[k];
            }
        return value;
    });
}

TEST(Rule, TakesAWholeStepWhereThereIsNoCurvature) {
    const auto objective = linear_sum(reference::gaussian(12, 4, 1));
    for (const double p : {1.0, 2.0, 3.0})
        for_each_run([&](const Options& options) {
            const auto ball = lp_ball<double>(p, 2);
            const Way way = walk(*objective, *ball, options);
            EXPECT_EQ(*way.step.front(), 1);
            for (const auto& x : way.x)
                for (const double entry : x.span()) ASSERT_TRUE(std::isfinite(entry));
            EXPECT_LT(way.result.metrics.objective, 0);
        });
}

std::vector<double> momenta(const Options& options, Objective<double>& objective, Region<double>& region) {
    std::vector<double> alpha;
    solve<double>(objective, region, options, [&](const Snapshot<double>& now) {
        if (now.alpha) alpha.push_back(*now.alpha);
    });
    return alpha;
}

TEST(Rule, RemembersLongerWhereNoCurvatureEndsTheSteps) {
    // Without curvature S = 0 and every step is the longest allowed: α = (1 + tβ)^{−1/2} with the larger β.
    const auto objective = linear_sum(reference::gaussian(12, 4, 1));
    const auto ball = lp_ball<double>(3, 2);
    Options options = run_options("alfcg-mvr1", 50);
    for (const double beta : {0.0, 7.0}) {
        if (beta > 0) options.parameters.set("beta", beta);
        const auto alpha = momenta(options, *objective, *ball);
        ASSERT_EQ(alpha.size(), 50U);
        for (std::size_t t = 0; t < alpha.size(); ++t)
            EXPECT_NEAR(alpha[t], 1 / std::sqrt(1 + static_cast<double>(t) * (beta > 0 ? beta : 300)), 1e-12);
    }
}

TEST(Rule, MomentumNeverGrows) {
    for (const std::string method : {"alfcg-mvr1", "alfcg-mvr2"})
        for (const double radius : {0.1, 3.0, 300.0}) {
            auto problem = reference::random_problem("multinomial", 57, 6);
            problem.radius = radius;
            Bridge<double> bridge(problem);
            const auto alpha = momenta(run_options(method, 200), *bridge.objective, *bridge.region);
            EXPECT_EQ(alpha.front(), 1);
            EXPECT_TRUE(std::is_sorted(alpha.rbegin(), alpha.rend())) << method << " radius " << radius;
            EXPECT_GT(alpha.back(), 0);
        }
}

TEST(Rule, ARareSecantStandsForTheIterationsSinceTheLast) {
    // While looks are a twentieth of the way apart or more, C is the mean over all iterations.
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    Trust trust(0.2);
    trust.begin(0.5, 1, 1);
    double sum = 0.5;
    Index last = 0;
    for (Index t = 1; t < 3000; t += 1 + t / 10) {
        const double secant = uniform(random);
        trust.see_curvature(t, secant, t - last);
        sum += static_cast<double>(t - last) * secant;
        last = t;
        EXPECT_NEAR(trust.secant(), sum / static_cast<double>(t + 1), 1e-12) << "t=" << t;
    }
}

TEST(Rule, StepsShrinkMoreSlowlyWhereAMeanFollows) {
    for (const bool mean_follows : {false, true}) {
        Trust trust(0.2, mean_follows);
        trust.begin(3, 1, 2);
        double sum = 0;
        for (const double way : {0.5, 0.2, 7.0}) {
            const double curvature = trust.make_curvature();
            EXPECT_NEAR(curvature, 3 * std::pow(1 + sum, mean_follows ? 0.25 : 0.5), 1e-12);
            trust.moved(way);
            sum += std::pow(curvature * way / 2, 2);
        }
    }
}

TEST(Rule, DoesNotMoveWhereTheGradientVanishes) {
    const auto objective = linear_sum(reference::Matrix::Zero(12, 4));
    for (const double p : {1.0, 2.0, 3.0})
        for_each_run([&](const Options& options) {
            const auto ball = lp_ball<double>(p, 2);
            const Way way = walk(*objective, *ball, options);
            for (const auto& x : way.x)
                for (const double entry : x.span()) ASSERT_EQ(entry, 0);
            expect_positive_scale(way.result);
        });
}

TEST(Rule, WorksWithOneRowAndWithOneFeature) {
    struct Size {
        Index rows, features;
    };
    for (const std::string loss : {"logistic", "squared"})
        for (const Size size : {Size{1, 5}, Size{20, 1}, Size{1, 1}})
            for_each_run([&](const Options& options) {
                auto problem = reference::random_problem(loss, size.rows, size.features);
                if (loss == "logistic") problem.targets.assign(problem.targets.size(), 1);
                Bridge<double> bridge(problem);
                const double start = bridge.objective->value(Matrix<double>(1, size.features));
                const Way way = walk(*bridge.objective, *bridge.region, options);
                if (options.parameters.word("rho") == "auto") {
                    EXPECT_LE(way.result.metrics.objective, start) << loss << " " << size.rows;
                }
                EXPECT_TRUE(std::isfinite(way.result.metrics.objective));
                expect_positive_scale(way.result);
            });
}

TEST(Rule, SlopesAtBothEndsBoundTheChangeOfAConvexObjective) {
    for (const std::string loss : {"multinomial", "logistic", "squared", "huber"})
        for (const BallCase& ball : ball_cases())
            for (unsigned seed = 1; seed <= 20; ++seed) {
                auto problem = reference::random_problem(loss, 30, 5);
                ball.put(problem);
                Bridge<double> bridge(problem);
                const auto s = to_matrix<double>(reference::gaussian(problem.outputs, 5, seed));
                const auto x = to_matrix<double>(reference::gaussian(problem.outputs, 5, 100 + seed));
                Matrix<double> at_s;
                Matrix<double> at_x;
                const double h_s = bridge.region->composite(s);
                const double h_x = bridge.region->composite(x);
                const double F_s = bridge.objective->evaluate(s, at_s) + h_s;
                const double F_x = bridge.objective->evaluate(x, at_x) + h_x;
                Checkpoint<double> checkpoint;
                checkpoint.set(s, at_s, h_s);
                const auto bounds = checkpoint.bounds(x, at_x, h_x);
                const double slack = 1e-12 * (1 + std::abs(F_s) + std::abs(F_x));
                EXPECT_LE(bounds.least, F_x - F_s + slack) << loss << " " << ball.text();
                EXPECT_GE(bounds.most, F_x - F_s - slack) << loss << " " << ball.text();
                EXPECT_NEAR(bounds.distance_squared, std::pow(distance(s, x), 2), 1e-10);
                const reference::Matrix way = from_matrix(x) - from_matrix(s);
                EXPECT_NEAR(bounds.least, reference::inner(from_matrix(at_s), way) + h_x - h_s, slack);
                EXPECT_NEAR(bounds.most, reference::inner(from_matrix(at_x), way) + h_x - h_s, slack);
            }
}

// Whether the move from x_t led to where the run had been before: what lies between is not part of its way.
bool goes_back(const std::vector<Matrix<double>>& x, std::size_t t) {
    if (same_bits(x[t], x[t + 1])) return false;
    const auto now = x.begin() + static_cast<std::ptrdiff_t>(t);
    return std::any_of(x.begin(), now, [&](const auto& before) { return same_bits(before, x[t + 1]); });
}

// Σ t² x_t over the looks t = 1, 2, …, each a thirtieth of the way after the last, where a look stands for the
// iterations since the one before it: weights of t³ − s³.
reference::Matrix mean_of_way(const std::vector<Matrix<double>>& x, Index iterations) {
    reference::Matrix sum = 0 * from_matrix(x.front());
    Index last = 0;
    for (Index t = 1; t < iterations; ++t) {
        if (t < last + 1 + last / 30 || goes_back(x, static_cast<std::size_t>(t))) continue;
        const auto weight = static_cast<double>(t * t * t - last * last * last);
        sum += weight * from_matrix(x[static_cast<std::size_t>(t)]);
        last = t;
    }
    return sum / std::pow(static_cast<double>(last), 3);
}

TEST(Rule, AnAverageOfOldGradientsEndsAtTheMeanOfItsWayWhereFIsLowerThere) {
    // The slopes at both ends tell which of two points is lower exactly, for squares.
    auto problem = reference::random_problem("squared", 300, 6);
    int means = 0;
    int runs = 0;
    for (const double p : {1.0, 2.0, 3.0})
        for (const double radius : {0.3, 1.0, 3.0}) {
            problem.region = "lp";
            problem.p = p;
            problem.radius = radius;
            Bridge<double> bridge(problem);
            const Way longer = walk(*bridge.objective, *bridge.region, run_options("alfcg-mvr1", 260));
            for (const Index iterations : {2, 3, 20, 35, 100, 250}) {
                SCOPED_TRACE("p=" + std::to_string(p) + " radius=" + std::to_string(radius) +
                             " iterations=" + std::to_string(iterations));
                const auto way =
                    walk(*bridge.objective, *bridge.region, run_options("alfcg-mvr1", iterations));
                const auto mean = to_matrix<double>(mean_of_way(longer.x, iterations));
                const Matrix<double>& last = longer.x[static_cast<std::size_t>(iterations)];
                const double F_mean = bridge.objective->value(mean);
                const double F_last = bridge.objective->value(last);
                EXPECT_LE(distance(way.result.x, F_mean < F_last ? mean : last), 1e-12);
                means += F_mean < F_last ? 1 : 0;
                ++runs;
            }
        }
    EXPECT_GT(means, 5);
    EXPECT_LT(means, runs - 5);
}

// f'(x) = −1 + height/(1 + exp(−(x − ½)/width)): flat where it begins, then a wall.
double wall_slope(double x, double height) {
    constexpr double width = 0.02;
    return -1 + height / (1 + std::exp(-(x - 0.5) / width));
}

std::unique_ptr<Objective<double>> wall(double height) {
    return custom_objective<double>({1, 1}, [height](auto x, auto gradient) {
        gradient[0] = wall_slope(x[0], height);
        return 0.02 * height * std::log1p(std::exp((x[0] - 0.5) / 0.02)) - x[0];
    });
}

TEST(Rule, GoesBackWhereAStepOvershot) {
    for (const double height : {2.0, 4.0, 40.0, 1e4}) {
        const auto objective = wall(height);
        const auto ball = lp_ball<double>(2, 1);
        const Way way = walk(*objective, *ball, run_options("alfcg-d", 40));
        EXPECT_EQ(way.x[1](0, 0), 1) << "nothing hints at the wall";
        const double there = wall_slope(1, height);
        const double start = wall_slope(0, height);
        const double back = way.x[2](0, 0);
        EXPECT_NEAR(back, -start / (there - start), 1e-12) << "where a linear slope would vanish";
        EXPECT_LT(std::abs(wall_slope(back, height)), there);
        EXPECT_LT(way.result.metrics.objective, 0);
        EXPECT_LT(way.result.metrics.gap, 1e-2) << height;

        const Way one = walk(*objective, *ball, run_options("alfcg-d", 1));
        EXPECT_EQ(one.result.x(0, 0), 0) << "a run that ends beyond the wall returns to where it was";
    }
}

}  // namespace
}  // namespace alfcg

// The second half of the reference's own tests: estimators, step rules and methods against runs computed by
// hand, the cost table of spec 3 and the facts of spec 8. Included by reference_self_test.cpp only.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "reference/samples.hpp"
#include "reference/solve.hpp"

namespace reference_self_test {

using reference::Draw;
using reference::line_problem;
using reference::Matrix;
using reference::MethodOptions;
using reference::Outcome;
using reference::Problem;
using reference::random_problem;
using reference::TraceRow;

TEST(ReferenceMethods, IntegerSizes) {
    EXPECT_EQ(reference::integer_root(99), 9);
    EXPECT_EQ(reference::integer_root(100), 10);
    for (std::int64_t t = 0; t < 300; ++t) {
        const std::int64_t b = reference::growing_batch(t);
        EXPECT_LE(b * b * b, (t + 1) * (t + 1));
        EXPECT_GT((b + 1) * (b + 1) * (b + 1), (t + 1) * (t + 1));
    }
}

TEST(ReferenceMethods, AlfcgOnALine) {
    const Problem problem = line_problem({0.5});
    const Outcome run = reference::run(problem, {.method = "alfcg-d", .rho = 2.0}, 2);
    ASSERT_EQ(run.rows.size(), 3U);
    EXPECT_DOUBLE_EQ(run.rows[0].objective, 0.125);
    EXPECT_DOUBLE_EQ(run.rows[0].gap, 0.5);
    EXPECT_DOUBLE_EQ(*run.rows[0].curvature, 2.0);
    EXPECT_DOUBLE_EQ(*run.rows[0].step, 0.25);
    const double second = 2.0 * std::sqrt(1.25);  // delta_0 = 2 * 0.25
    EXPECT_DOUBLE_EQ(*run.rows[1].curvature, second);
    EXPECT_DOUBLE_EQ(*run.rows[1].step, 0.25 / (second * 0.75));
    EXPECT_DOUBLE_EQ(run.rows[2].x(0), 0.25 + 0.25 / second);
    EXPECT_FALSE(run.rows[2].step || run.rows[2].curvature || run.rows[2].alpha || run.rows[2].error);
    EXPECT_EQ(run.rows[2].epochs, 2.0);
    EXPECT_EQ(run.function_evaluations, 0);
}

TEST(ReferenceMethods, MomentaOfTheTwoExpectationVariants) {
    const Problem problem = line_problem({0.9, 0.1, 0.4});
    for (const std::string method : {"alfcg-mvr1", "alfcg-mvr2"}) {
        const Outcome run =
            reference::run(problem, {.method = method, .rho = 3.0, .beta = 0.7}, 3, {{0}, {2}, {1}});
        double sum = 0;
        double most = 0;
        double least = 1;
        for (std::size_t t = 0; t < 3; ++t) {
            const double top = 1 + 0.7 * static_cast<double>(t) + sum;
            least = std::min(least, std::pow((1 + most) / top, 2.0 / 3.0));
            const double alpha = method == "alfcg-mvr1" ? std::pow(top, -0.5) : least;
            const double power = method == "alfcg-mvr1" ? -0.5 : -0.25;
            EXPECT_NEAR(*run.rows[t].alpha, alpha, 1e-15);
            EXPECT_NEAR(*run.rows[t].curvature, 3 * std::sqrt(1 + sum) * std::pow(alpha, power), 1e-14);
            const double square =
                std::pow(*run.rows[t].curvature * (run.rows[t + 1].x - run.rows[t].x).norm(), 2);
            sum += square;
            most = std::max(most, 0.7 + square);
        }
        EXPECT_EQ(run.draws.size(), 3U);
    }
}

TEST(ReferenceMethods, OpenLoopShortStepAndPowerSteps) {
    const Problem problem = line_problem({0.25});
    const Outcome open = reference::run(problem, {.method = "fw-openloop"}, 3);
    EXPECT_DOUBLE_EQ(open.rows[1].x(0), 1.0);         // eta_0 = 1
    EXPECT_NEAR(open.rows[2].x(0), -1.0 / 3, 1e-15);  // eta_1 = 2/3
    EXPECT_NEAR(open.rows[3].x(0), 1.0 / 3, 1e-15);   // eta_2 = 1/2
    const Outcome tiny = reference::run(problem, {.method = "fw-shortstep"}, 2);
    EXPECT_DOUBLE_EQ(*tiny.rows[0].step, 0.025);
    EXPECT_DOUBLE_EQ(tiny.rows[1].x(0), 0.025);
    EXPECT_DOUBLE_EQ(*tiny.rows[1].step, 0.225 / (10 * 0.975));
    const Outcome storm = reference::run(problem, {.method = "onesample-storm"}, 2);
    EXPECT_DOUBLE_EQ(*storm.rows[1].step, std::pow(2.0, -2.0 / 3.0));
    EXPECT_DOUBLE_EQ(*storm.rows[1].alpha, std::pow(2.0, -2.0 / 3.0));
}

TEST(ReferenceMethods, HeavyBallOnALine) {
    const Outcome run = reference::run(line_problem({0.25}), {.method = "fw-momentum"}, 2);
    EXPECT_DOUBLE_EQ(run.rows[0].g(0), -0.25);
    EXPECT_DOUBLE_EQ(run.rows[1].g(0), 0.9 * -0.25 + 0.1 * 0.75);
}

TEST(ReferenceMethods, SlidingOnALine) {
    // k = 1: gamma = 1, beta = 3/2, g = -1/2, so x = y = 1/3, where the inner problem is solved.
    // k = 2: gamma = 3/4, beta = 1, z = 1/3, g = -1/6, x = 1/2, y = 1/12 + 3/8.
    const Outcome run = reference::run(line_problem({0.5}), {.method = "fw-sliding", .lipschitz = 1.0}, 2);
    EXPECT_NEAR(run.rows[1].x(0), 1.0 / 3, 1e-14);
    EXPECT_NEAR(run.rows[2].x(0), 1.0 / 12 + 3.0 / 8, 1e-14);
    EXPECT_DOUBLE_EQ(*run.rows[1].step, 0.75);
    EXPECT_EQ(run.rows[2].epochs, 2.0);
}

TEST(ReferenceMethods, SearchesStopWhereTheirInequalitiesSay) {
    Problem problem = random_problem("multinomial");
    problem.p = 3;
    problem.radius = 20;
    problem.l2 = 1e-3;
    const Outcome armijo = reference::run(problem, {.method = "fw-armijo"}, 15);
    std::int64_t expected = 0;
    for (std::size_t t = 0; t + 1 < armijo.rows.size(); ++t) {
        const TraceRow& row = armijo.rows[t];
        const Matrix d = row.v - row.x;
        const double eta = *row.step;
        ASSERT_GT(eta, 0);
        const auto descends = [&](double step) {
            return objective(problem, row.x + step * d) <= row.objective - 1e-4 * step * row.gap;
        };
        EXPECT_TRUE(descends(eta));
        for (double step = 2 * eta; step <= 1; step *= 2) EXPECT_FALSE(descends(step));
        expected += 2 + static_cast<std::int64_t>(std::lround(-std::log2(eta)));
    }
    EXPECT_EQ(armijo.function_evaluations, expected);

    const Outcome free = reference::run(problem, {.method = "fw-parafree"}, 15);
    double first = 1.0;
    for (std::size_t t = 0; t + 1 < free.rows.size(); ++t) {
        const TraceRow& row = free.rows[t];
        const Matrix d = row.v - row.x;
        const double f = full_value(problem, row.x);
        const auto modelled = [&](double L) {
            const double eta = std::min(1.0, row.gap / (L * d.squaredNorm()));
            return full_value(problem, row.x + eta * d) <= f + eta * reference::inner(row.g, d) +
                                                               L / 2 * eta * eta * d.squaredNorm() +
                                                               1e-12 * std::max(1.0, f);
        };
        EXPECT_TRUE(modelled(*row.curvature));
        for (double L = first; L < *row.curvature; L *= 2) EXPECT_FALSE(modelled(L));
        EXPECT_GE(*row.curvature, first);
        EXPECT_NEAR(*row.step, std::min(1.0, row.gap / (*row.curvature * d.squaredNorm())), 1e-12);
        first = *row.curvature / 2;
    }
}

// On a line every component Hessian is 1, so recursive differences are exact whatever is drawn.
TEST(ReferenceEstimators, RecursiveEstimatorsAreExactOnALine) {
    const Problem problem = line_problem({0.9, 0.1, 0.4, -0.3, 0.2});
    for (const std::string method : {"svfw", "sarah-fw", "alfcg-fs"}) {
        const MethodOptions options{.method = method, .batch = 1, .period = 4};
        for (const TraceRow& row : reference::run_drawing(problem, options, 11, 3).rows)
            if (row.error) {
                EXPECT_LT(*row.error, 1e-28) << method;
            }
    }
}

// There STORM's error obeys e_t = (1 - alpha_t) e_{t-1} + alpha_t (mean(y) - y_i), from 0 at every full
// reset.
TEST(ReferenceEstimators, StormForgetsItsErrorAtAFullReset) {
    const std::vector<double> y = {0.9, 0.1, 0.4, -0.3, 0.2};
    const MethodOptions options{.method = "onesample-fw", .period = 4};
    const Outcome run = reference::run_drawing(line_problem(y), options, 11, 3);
    double error = 0;
    std::size_t next = 0;
    for (std::size_t t = 0; t < 11; ++t) {
        const double alpha = std::pow(static_cast<double>(t) + 1, -2.0 / 3.0);
        EXPECT_DOUBLE_EQ(*run.rows[t].alpha, alpha);
        if (t % 4 == 0) {
            error = 0;
        } else {
            const double drawn = y.at(static_cast<std::size_t>(run.draws.at(next++).front()));
            error = (1 - alpha) * error + alpha * (0.26 - drawn);
        }
        EXPECT_NEAR(*run.rows[t].error, error * error, 1e-14);
    }
    EXPECT_EQ(next, run.draws.size());
}

TEST(ReferenceEstimators, EmaStormMedianAndSagaOnALine) {
    const std::vector<double> y = {0.9, 0.1, 0.4, -0.3, 0.2};
    const Problem problem = line_problem(y);
    const std::vector<Draw> draws = {{0}, {1, 1, 3}, {2, 4}, {4}, {0}};
    const double a = std::pow(2.0, -2.0 / 3.0);
    const Outcome ema = reference::run(problem, {.method = "onesample-ema"}, 2, draws);
    EXPECT_DOUBLE_EQ(ema.rows[0].g(0), -0.9);
    const double x1 = ema.rows[1].x(0);
    EXPECT_DOUBLE_EQ(ema.rows[1].g(0), (1 - a) * -0.9 + a * (x1 - (0.1 + 0.1 - 0.3) / 3));
    EXPECT_DOUBLE_EQ(ema.rows[2].epochs, 4.0 / 5);  // 1 + 3: the length of the line counts
    const Outcome storm = reference::run(problem, {.method = "onesample-storm"}, 2, draws);
    const double batch = (0.1 + 0.1 - 0.3) / 3;
    EXPECT_DOUBLE_EQ(storm.rows[1].g(0), (1 - a) * (-0.9 - (0 - batch)) + (storm.rows[1].x(0) - batch));
    EXPECT_DOUBLE_EQ(storm.rows[2].epochs, 7.0 / 5);
    const Outcome median = reference::run(problem, {.method = "srfw"}, 1, draws);
    EXPECT_DOUBLE_EQ(median.rows[0].g(0), -0.3);  // of -0.9, 0.1/3, -0.3, -0.2, -0.9
    EXPECT_EQ(median.draws.size(), 5U);
    // SAGA: a_i = x_{last visit of i} - y_i, so g_t = x_t - mean_B(last) + mean(last).
    const Outcome saga = reference::run(problem, {.method = "saga-fw"}, 4, draws);
    std::vector<double> last(5, 0.0);
    EXPECT_LT(*saga.rows[0].error, 1e-30);
    for (std::size_t t = 1; t < 4; ++t) {
        const double x = saga.rows[t].x(0);
        double in_batch = 0;
        double overall = 0;
        for (const auto i : draws[t - 1]) in_batch += last[static_cast<std::size_t>(i)];
        for (const double value : last) overall += value;
        const double g = x - in_batch / static_cast<double>(draws[t - 1].size()) + overall / 5;
        double target = 0;
        for (const double value : y) target += value / 5;
        EXPECT_NEAR(saga.rows[t].g(0), g - target, 1e-14);
        for (const auto i : draws[t - 1]) last[static_cast<std::size_t>(i)] = x;
    }
}

TEST(ReferenceEstimators, EveryRowOnceMakesThemExact) {
    Problem problem = random_problem("multinomial");
    for (const std::string method :
         {"sfw", "srfw", "saga-fw", "onesample-storm", "alfcg-mvr2", "alfcg-fs", "svfw"}) {
        const Outcome run = reference::run(problem, {.method = method, .batch = 23}, 8);
        EXPECT_TRUE(run.draws.empty()) << method;
        for (const TraceRow& row : run.rows)
            if (row.error) {
                EXPECT_LT(*row.error, 1e-26) << method;
            }
    }
}

// The sizes drawn and the component gradients counted in the first iterations, N = 23 (root 4), from the
// table of spec 3.
TEST(ReferenceEstimators, DrawsAndCostsFollowTheTable) {
    const Problem problem = random_problem("logistic");
    struct Expected {
        MethodOptions options;
        std::vector<std::size_t> sizes;
        std::vector<int> costs;  // of iterations 0, 1, 2, 3
    };
    const std::vector<Expected> table = {
        {{.method = "fw-openloop"}, {}, {23, 23, 23, 23}},
        {{.method = "fw-momentum"}, {}, {23, 23, 23, 23}},
        {{.method = "fw-sliding"}, {}, {23, 23, 23, 23}},
        {{.method = "alfcg-d"}, {}, {23, 23, 23, 23}},
        {{.method = "svfw", .period = 3}, {4, 4}, {23, 8, 8, 23}},
        {{.method = "saga-fw"}, {4, 4, 4}, {23, 4, 4, 4}},
        {{.method = "spider-cg"}, {4}, {4, 46, 46, 46}},  // b = 32 is every row, twice
        {{.method = "spider-cg", .batch = 5, .period = 2}, {4, 5, 4, 5}, {4, 10, 4, 10}},
        {{.method = "onesample-fw", .period = 2}, {1, 1}, {23, 2, 23, 2}},
        {{.method = "sarah-fw", .batch = 3}, {3, 3, 3}, {23, 6, 6, 6}},
        {{.method = "alfcg-fs"}, {4, 4, 4}, {23, 8, 8, 8}},
        {{.method = "sfw"}, {4, 4, 4, 4}, {4, 4, 4, 4}},
        {{.method = "sfw-gb"}, {1, 1, 2, 2}, {1, 1, 2, 2}},
        {{.method = "onesample-storm"}, {4, 4, 4, 4}, {4, 8, 8, 8}},
        {{.method = "onesample-ema"}, {4, 4, 4, 4}, {4, 4, 4, 4}},
        {{.method = "srfw"}, std::vector<std::size_t>(20, 4), {20, 20, 20, 20}},
        {{.method = "alfcg-mvr1"}, {4, 4, 4, 4}, {4, 4, 4, 4}},
        {{.method = "alfcg-mvr2"}, {4, 4, 4, 4}, {4, 8, 8, 8}},
    };
    for (const Expected& expected : table) {
        const Outcome run = reference::run_drawing(problem, expected.options, 4, 7);
        std::vector<std::size_t> sizes;
        for (const Draw& draw : run.draws) sizes.push_back(draw.size());
        EXPECT_EQ(sizes, expected.sizes) << expected.options.method;
        int total = 0;
        for (std::size_t t = 0; t <= 4; ++t) {
            EXPECT_DOUBLE_EQ(run.rows[t].epochs, total / 23.0) << expected.options.method << t;
            if (t < 4) total += expected.costs[t];
        }
    }
}

inline std::vector<Problem> varied_problems() {
    std::vector<Problem> answer;
    Problem nuclear = random_problem("multinomial");
    nuclear.region = "nuclear";
    nuclear.radius = 5;
    answer.push_back(nuclear);
    nuclear.nuclear = 0.02;
    nuclear.l2 = 0.01;
    answer.push_back(nuclear);
    Problem cubic = random_problem("sigmoid");
    cubic.p = 3;
    cubic.radius = 4;
    cubic.l1 = 0.01;
    cubic.l2 = 0.02;
    answer.push_back(cubic);
    return answer;
}

TEST(ReferenceFacts, IteratesAreFeasibleGapsNonNegativeReplaysExact) {
    for (const Problem& problem : varied_problems())
        for (const std::string& method : reference::method_names()) {
            const MethodOptions options{.method = method, .rho = 0.1, .period = 5};
            const Outcome run = reference::run_drawing(problem, options, 12, 11);
            const Outcome again = reference::run(problem, options, 12, run.draws);
            ASSERT_EQ(run.rows.size(), 13U);
            for (std::size_t t = 0; t < run.rows.size(); ++t) {
                EXPECT_LE(region_norm(problem, run.rows[t].x), problem.radius * (1 + 1e-12)) << method;
                EXPECT_GE(run.rows[t].gap, -1e-13) << method;
                EXPECT_EQ(run.rows[t].x, again.rows[t].x) << method;
                EXPECT_EQ(run.rows[t].iteration, static_cast<std::int64_t>(t));
            }
        }
}

TEST(ReferenceFacts, CurvatureGrowsMomentumFallsDescentHolds) {
    for (const Problem& problem : varied_problems())
        for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"}) {
            const Outcome run =
                reference::run_drawing(problem, {.method = method, .rho = 0.3, .beta = 0.5}, 40, 2);
            const double D = diameter(problem);
            const double L = smoothness(problem);
            for (std::size_t t = 0; t + 2 < run.rows.size(); ++t) {
                const TraceRow& row = run.rows[t];
                const TraceRow& next = run.rows[t + 1];
                const double move = (next.x - row.x).norm();
                EXPECT_GE(*next.curvature, *row.curvature);
                if (!row.alpha) {
                    EXPECT_NEAR(*next.curvature / *row.curvature, std::sqrt(1 + 0.09 * move * move), 1e-12);
                } else {
                    EXPECT_LE(*next.alpha, *row.alpha);
                    EXPECT_GT(*next.alpha, 0);
                    if (method == "alfcg-mvr2") {
                        EXPECT_LE(1 / *next.alpha - 1 / *row.alpha, 2.0 / 3.0 + 1e-12);
                    }
                }
                const double L_t = *row.curvature;
                const double square = std::pow(L_t * move, 2);
                for (const double gamma : {1.0, 0.1, 0.001})
                    EXPECT_LE(gamma * row.gap + next.objective - row.objective + square / (4 * L_t),
                              square * L / (2 * L_t * L_t) + 2 * *row.error / L_t +
                                  gamma * gamma * L_t * D * D + 1e-12)
                        << method << " t=" << t;
            }
        }
}

TEST(ReferenceFacts, MeanGapFallsLikeTheSquareRoot) {
    Problem problem = random_problem("logistic", 20, 4);
    problem.radius = 2;
    const Outcome run = reference::run(problem, {.method = "alfcg-d", .rho = smoothness(problem)}, 1000);
    double early = 0;
    double all = 0;
    for (std::size_t t = 0; t < 1000; ++t) {
        all += run.rows[t].gap / 1000;
        if (t < 10) early += run.rows[t].gap / 10;
    }
    EXPECT_LE(all, early / std::sqrt(10.0));
}

TEST(ReferenceBatches, TextIsOneLinePerDrawAndBadListsAreRefused) {
    EXPECT_EQ(reference::batches_text({{3, 1, 3}, {0}}), "3 1 3\n0\n");
    const Problem problem = random_problem("logistic");
    EXPECT_THROW(reference::run(problem, {.method = "sfw"}, 2, {{1}}), std::invalid_argument);
    EXPECT_THROW(reference::run(problem, {.method = "sfw"}, 1, {{23}}), std::invalid_argument);
}

}  // namespace reference_self_test

// Section 8 of the specification: facts from the paper's lemmas, checked path by path on the library.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bridge.hpp"
#include "reference/oracles.hpp"
#include "reference/samples.hpp"
#include "reference/solve.hpp"

namespace alfcg {
namespace {

const std::vector<std::string> alfcg_methods{"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"};

struct Case {
    std::string loss;
    std::string region;
    double p;
    Composite composite;
};

std::vector<Case> cases() {
    const double inf = std::numeric_limits<double>::infinity();
    return {{"multinomial", "nuclear", 0, {}}, {"multinomial", "nuclear", 0, {0, 0.1, 0.01}},
            {"multinomial", "lp", 3, {}},      {"multinomial", "lp", 1, {0.01, 0, 0}},
            {"logistic", "lp", 1, {}},         {"squared", "lp", 2, {0, 0.2, 0}},
            {"sigmoid", "lp", inf, {}},        {"welsch", "lp", 1.5, {}}};
}

reference::Problem make(const Case& c, double radius) {
    auto problem = reference::random_problem(c.loss, 200, 8);
    problem.region = c.region;
    problem.p = c.p;
    problem.radius = radius;
    problem.l1 = c.composite.l1;
    problem.l2 = c.composite.l2;
    problem.nuclear = c.composite.nuclear;
    return problem;
}

Options budget(const std::string& method, double rho, Index iterations) {
    Options options;
    options.method = method;
    options.parameters.set("rho", rho);
    options.max_iterations = iterations;
    options.seed = 3;
    return options;
}

TEST(Facts, EveryIterateIsFeasibleAndEveryGapIsNotNegative) {
    for (const std::string& method : alfcg_methods)
        for (const Case& c : cases())
            for (const double radius : {0.1, 3.0, 50.0}) {
                auto problem = make(c, radius);
                Bridge<double> exact(problem);
                for (const auto& row : run_rows(exact, budget(method, 0.5, 60))) {
                    EXPECT_LE(exact.region->violation(row.x), 1e-12);
                    EXPECT_TRUE(row.metrics.gap_exact);
                    const double gap = reference::exact_gap(problem, from_matrix(row.x));
                    const double rounding = 1e-11 * (1 + std::abs(row.metrics.objective)) * (1 + radius);
                    EXPECT_GE(gap, -rounding);
                    EXPECT_NEAR(row.metrics.gap, gap, rounding);
                }
                Bridge<float> rough(problem);
                for (const auto& row : run_rows(rough, budget(method, 0.5, 60))) {
                    EXPECT_LE(rough.region->violation(row.x), 1e-5);
                }
            }
}

TEST(Facts, EveryMethodOfTheTableStaysInTheRegionAndNeverSeesANegativeGap) {
    for (const MethodInfo& method : methods())
        for (const Case& c : cases()) {
            SCOPED_TRACE(std::string(method.name) + ", " + c.loss + ", " + c.region);
            auto problem = make(c, 3.0);
            Options options;
            options.method = method.name;
            options.max_iterations = 60;
            Bridge<double> exact(problem);
            Solution<double> result;
            for (const auto& row : run_rows(exact, options, &result)) {
                EXPECT_LE(exact.region->violation(row.x), 1e-12);
                EXPECT_GE(reference::exact_gap(problem, from_matrix(row.x)),
                          -1e-11 * (1 + std::abs(row.metrics.objective)));
            }
            EXPECT_GT(result.iterations, 0);
            Bridge<float> rough(problem);
            for (const auto& row : run_rows(rough, options)) EXPECT_LE(rough.region->violation(row.x), 1e-5);
        }
}

TEST(Facts, CurvatureGrowsByAtMostOnePlusRhoTimesTheDiameter) {
    for (const std::string& method : alfcg_methods)
        for (const Case& c : cases()) {
            auto problem = make(c, 2.0);
            Bridge<double> bridge(problem);
            const double rho = 0.7;
            const auto rows = run_rows(bridge, budget(method, rho, 80));
            const double diameter = bridge.region->diameter(bridge.objective->shape());
            for (std::size_t t = 0; t + 2 < rows.size(); ++t) {
                const double ratio = *rows[t + 1].curvature / *rows[t].curvature;
                EXPECT_GE(ratio, 1);
                if (method != "alfcg-d" && method != "alfcg-fs") continue;
                const double moved = (from_matrix(rows[t + 1].x) - from_matrix(rows[t].x)).norm();
                EXPECT_NEAR(ratio, std::sqrt(1 + rho * rho * moved * moved), 1e-9);
                EXPECT_LE(ratio, 1 + rho * diameter);
            }
        }
}

TEST(Facts, MomentumFallsFromOneAndTheInverseOfMvr2GrowsByAtMostTwoThirds) {
    for (const std::string method : {"alfcg-mvr1", "alfcg-mvr2"})
        for (const Case& c : cases()) {
            Bridge<double> bridge(make(c, 5.0));
            const auto rows = run_rows(bridge, budget(method, 1.0, 100));
            EXPECT_EQ(*rows.front().alpha, 1);
            for (std::size_t t = 0; t + 2 < rows.size(); ++t) {
                const double now = *rows[t].alpha;
                const double next = *rows[t + 1].alpha;
                EXPECT_GT(next, 0);
                EXPECT_LE(next, now);
                if (method == "alfcg-mvr2") {
                    EXPECT_LE(1 / next - 1 / now, 2.0 / 3 + 1e-12 / next);
                }
            }
        }
}

TEST(Facts, DescentInequalityHoldsOnEveryPath) {
    for (const std::string& method : alfcg_methods)
        for (const Case& c : cases())
            for (const double rho : {0.01, 1.0}) {
                auto problem = make(c, 1.0);
                Bridge<double> bridge(problem);
                const double L = reference::smoothness(problem);
                const double D = bridge.region->diameter(bridge.objective->shape());
                const auto rows = run_rows(bridge, budget(method, rho, 60));
                for (std::size_t t = 0; t + 1 < rows.size(); ++t) {
                    const double curvature = *rows[t].curvature;
                    const double moved = (from_matrix(rows[t + 1].x) - from_matrix(rows[t].x)).norm();
                    const double delta2 = curvature * curvature * moved * moved;
                    const double error2 = rows[t].metrics.error.value();
                    const double change = rows[t + 1].metrics.objective - rows[t].metrics.objective;
                    for (const double gamma : {1e-3, 0.1, 0.5, 1.0}) {
                        const double left = gamma * rows[t].metrics.gap + change + delta2 / (4 * curvature);
                        const double right = delta2 * L / (2 * curvature * curvature) +
                                             2 * error2 / curvature + gamma * gamma * curvature * D * D;
                        EXPECT_LE(left, right + 1e-10 * (1 + std::abs(right))) << method << " t=" << t;
                    }
                }
            }
}

TEST(Facts, SpiderEqualsTheFullGradientAtEveryReset) {
    Bridge<double> bridge(make(cases().front(), 3.0));
    Options options = budget("alfcg-fs", 1.0, 50);
    options.parameters.set("period", 7);
    options.parameters.set("batch", 5);
    bool drifted = false;
    for (const auto& row : run_rows(bridge, options)) {
        if (!row.metrics.error) continue;
        if (row.iteration % 7 == 0) {
            EXPECT_EQ(*row.metrics.error, 0);
        } else {
            drifted = drifted || *row.metrics.error > 1e-12;
        }
    }
    EXPECT_TRUE(drifted);
}

TEST(Facts, StormWithEveryRowOnceEqualsTheFullGradientAlways) {
    Bridge<double> bridge(make(cases().front(), 3.0));
    Options options = budget("alfcg-mvr2", 1.0, 50);
    options.parameters.set("batch", 200);
    for (const auto& row : run_rows(bridge, options)) {
        if (row.metrics.error) {
            EXPECT_LE(*row.metrics.error, 1e-28);
        }
    }
}

TEST(Facts, MeanGapOfAlfcgDFallsLikeTheSquareRoot) {
    for (const Case& c : cases()) {
        auto problem = make(c, 3.0);
        Bridge<double> bridge(problem);
        const auto rows = run_rows(bridge, budget("alfcg-d", reference::smoothness(problem), 1000));
        double sum = 0;
        double of_ten = 0;
        for (std::size_t t = 0; t < 1000; ++t) {
            sum += rows[t].metrics.gap;
            if (t == 9) of_ten = sum / 10;
        }
        EXPECT_LE(sum / 1000, of_ten / std::sqrt(10.0)) << c.loss << " " << c.region;
    }
}

TEST(Facts, FloatTracesFollowDoubleOnes) {
    for (const std::string& method : alfcg_methods) {
        auto problem = make(cases().front(), 3.0);
        Bridge<double> exact(problem);
        Bridge<float> rough(problem);
        const auto a = run_rows(exact, budget(method, 1.0, 20));
        const auto b = run_rows(rough, budget(method, 1.0, 20));
        for (std::size_t t = 0; t < a.size(); ++t) {
            EXPECT_NEAR(b[t].metrics.objective / a[t].metrics.objective, 1, 1e-4) << method << " t=" << t;
        }
    }
}

}  // namespace
}  // namespace alfcg

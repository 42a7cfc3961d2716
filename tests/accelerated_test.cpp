#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "bridge.hpp"
#include "reference/samples.hpp"
#include "reference/solve.hpp"

namespace alfcg {
namespace {

Options accelerated(Index iterations) {
    Options options;
    options.method = "accelerated";
    options.max_iterations = iterations;
    return options;
}

// ½ Σ a_i (x_i − c_i)² with curvatures from 1 to `condition`.
template <class Real>
std::unique_ptr<Objective<Real>> quadratic(Shape shape, double condition, double scale = 1) {
    const auto n = static_cast<std::size_t>(shape.size());
    std::vector<double> a(n);
    std::vector<double> c(n);
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n; ++i) {
        a[i] = scale * std::pow(condition, static_cast<double>(i) / static_cast<double>(n - 1));
        c[i] = normal(random);
    }
    return custom_objective<Real>(shape, [a, c](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double away = static_cast<double>(x[i]) - c[i];
            gradient[i] = static_cast<Real>(a[i] * away);
            value += 0.5 * a[i] * away * away;
        }
        return value;
    });
}

TEST(Accelerated, ReachesATinyGapOnStronglyConvexQuadratics) {
    const Shape shape{4, 10};
    for (const RegionSpec& spec :
         {ball("l1", 0, 3), ball("l2", 0, 2), ball("lp", 3, 1), ball("linf", 0, 0.5), ball("nuclear", 0, 3),
          ball("lp", 1.5, 2, {0.2, 0.5, 0}), ball("nuclear", 0, 3, {0, 0.3, 0.2}), ball("l2", 0, 1000)}) {
        const auto objective = quadratic<double>(shape, 100);
        const auto region = make_region<double>(spec);
        SCOPED_TRACE(region->describe());
        Options options = accelerated(1000);
        options.gap = 1e-10;
        double last = HUGE_VAL;
        const auto result = solve<double>(*objective, *region, options, [&](const Snapshot<double>& now) {
            EXPECT_TRUE(now.metrics_free() || now.last) << "one pass gives all";
            EXPECT_LE(now.metrics().objective, last + 1e-14 * std::abs(last));
            EXPECT_LE(region->violation(now.x()), 1e-13);
            last = now.metrics().objective;
        });
        EXPECT_EQ(result.status, Status::converged);
        EXPECT_LE(result.metrics.gap, 1e-10);
        EXPECT_LE(result.iterations, 400) << "with the root of the condition, not with the condition itself";
        // An iteration is a pass; the start is one, and where the run ends none is wasted.
        EXPECT_EQ(result.counters.component_gradients, result.iterations + 1);
        EXPECT_EQ(result.counters.function_evaluations, 0);
    }
}

// The answer of min ½‖x − c‖² is the proximal map itself, and one step with the right curvature finds it.
TEST(Accelerated, FindsTheProjection) {
    const auto objective = quadratic<double>({3, 7}, 1);
    for (const RegionSpec& spec : {ball("l1", 0, 2), ball("lp", 3, 1), ball("nuclear", 0, 1)}) {
        const auto region = make_region<double>(spec);
        Matrix<double> gradient;
        objective->evaluate(Matrix<double>(3, 7), gradient);
        for (double& entry : gradient.span()) entry = -entry;  // c, as x = 0
        Vertex<double> nearest;
        ASSERT_TRUE(region->proximal(gradient, 1, nearest));
        const auto result = solve(*objective, *region, accelerated(100));
        EXPECT_LE((from_matrix(result.x) - from_matrix(nearest.to_matrix())).norm(), 1e-10);
    }
}

TEST(Accelerated, NeverGoesUpConvexOrNot) {
    for (const std::string loss : {"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"})
        for (const auto& [region, p] : {std::pair{"nuclear", 0.0}, {"lp", 1.0}, {"lp", 2.0}, {"lp", 3.0}})
            for (const double radius : {0.5, 20.0}) {
                SCOPED_TRACE(loss + " over " + region + " p=" + std::to_string(p));
                auto problem = reference::random_problem(loss, 120, 8);
                problem.region = region;
                problem.p = p;
                problem.radius = radius;
                Bridge<double> bridge(problem);
                double last = HUGE_VAL;
                for (const auto& row : run_rows(bridge, accelerated(80))) {
                    EXPECT_LE(row.metrics.objective, last + 1e-13 * std::abs(last));
                    EXPECT_LE(bridge.region->violation(row.x), 1e-12);
                    EXPECT_NEAR(row.metrics.gap, reference::exact_gap(problem, from_matrix(row.x)), 1e-9);
                    last = row.metrics.objective;
                }
                Bridge<float> rough(problem);
                double before = HUGE_VAL;
                for (const auto& row : run_rows(rough, accelerated(80))) {
                    EXPECT_LE(row.metrics.objective, before + 1e-6 * std::abs(before));
                    EXPECT_LE(rough.region->violation(row.x), 1e-5);
                    before = row.metrics.objective;
                }
            }
}

// No constant has a unit: f times a number gives the same iterates.
TEST(Accelerated, DoesNotDependOnTheUnitOfTheObjective) {
    const auto region = make_region<double>(ball("lp", 3, 1));
    const auto plain = solve(*quadratic<double>({2, 9}, 50), *region, accelerated(40));
    for (const double scale : {0x1p-60, 0x1p+60}) {
        const auto scaled = solve(*quadratic<double>({2, 9}, 50, scale), *region, accelerated(40));
        EXPECT_EQ(plain.iterations, scaled.iterations);
        EXPECT_LE((from_matrix(plain.x) - from_matrix(scaled.x)).norm(), 1e-12);
    }
}

TEST(Accelerated, EndsByItselfWhereRoundingHidesTheRest) {
    for (const RegionSpec& spec :
         {ball("l1", 0, 3), ball("l2", 0, 2), ball("lp", 3, 1), ball("nuclear", 0, 3)}) {
        const auto region = make_region<float>(spec);
        SCOPED_TRACE(region->describe());
        Options options = accelerated(100000);
        options.gap = 1e-12;
        const auto rough = solve(*quadratic<float>({4, 10}, 100), *region, options);
        EXPECT_TRUE(rough.status == Status::precision || rough.status == Status::converged);
        EXPECT_LT(rough.iterations, 1000);
        const auto exact = solve(*quadratic<double>({4, 10}, 100), *make_region<double>(spec), options);
        EXPECT_NEAR(rough.metrics.objective, exact.metrics.objective, 1e-5 * exact.metrics.objective);
        EXPECT_LE(exact.metrics.gap, 1e-9);
        // A start that is the answer already, to rounding.
        const auto again = solve(*quadratic<float>({4, 10}, 100), *region, options, {}, &rough.x);
        EXPECT_LE(again.metrics.objective, rough.metrics.objective * (1 + 2e-6));
        EXPECT_LT(again.iterations, 1000);
    }
}

TEST(Accelerated, SaysWhichRegionHasNoNearestPoint) {
    CustomRegion<double> box;
    box.name = "box of mine";
    box.diameter = 2;
    box.oracle = [](auto g, auto v) {
        for (std::size_t i = 0; i < g.size(); ++i) v[i] = g[i] < 0 ? 1 : 0;
    };
    const auto objective = quadratic<double>({1, 3}, 10);
    try {
        solve(*objective, *custom_region(box), accelerated(5));
        ADD_FAILURE() << "must not run";
    } catch (const QuantityError& error) {
        EXPECT_EQ(error.quantity(), "method");
        EXPECT_NE(error.complaint().find("box of mine"), std::string::npos) << error.complaint();
        EXPECT_NE(error.complaint().find("alfcg-d"), std::string::npos) << error.complaint();
    }
    box.proximal = [](auto x, double /*weight*/, auto u) {
        for (std::size_t i = 0; i < x.size(); ++i) u[i] = std::clamp(x[i], 0.0, 1.0);
    };
    Options options = accelerated(500);
    options.gap = 1e-10;
    EXPECT_EQ(solve(*objective, *custom_region(box), options).status, Status::converged);
    // Two long sides have no cheap singular value decomposition.
    const auto wide = quadratic<double>({260, 260}, 10);
    EXPECT_THROW(solve(*wide, *nuclear_ball<double>(1), accelerated(5)), QuantityError);
}

}  // namespace
}  // namespace alfcg

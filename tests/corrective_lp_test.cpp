// alfcg-c over l_p balls of many rows and several outputs: Newton steps on samples of the rows reach the optimum, prove it, and never rise.
#include <gtest/gtest.h>

#include <cmath>

#include "bridge.hpp"
#include "corrective/lp_face.hpp"
#include "descent.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "reference/solve.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

using reference::inner;

double norm_of(const reference::Matrix& w, double p) {
    return std::pow(w.array().abs().pow(p).sum(), 1 / p);
}

Options corrective(double gap) {
    Options options;
    options.method = "alfcg-c";
    options.gap = gap;
    options.max_iterations = 200;
    return options;
}

reference::Problem over_ball(double p, double radius) {
    auto problem = sized_problem("multinomial", 2500, 12, 4);
    problem.region = "lp";
    problem.p = p;
    problem.radius = radius;
    return problem;
}

// The norm along w + t d, where d stays on its sphere to first order.
TEST(LpFace, KnowsHowTheNormBends) {
    for (const double p : {2.0, 2.5, 3.0, 6.0})
        for (const bool bound : {false, true}) {
            SCOPED_TRACE(testing::Message() << p << bound);
            const faces::Dense w = reference::gaussian(3, 7, 1);
            const faces::LpFace face(w, p, norm_of(w, p), 0.7, bound);
            faces::Dense d = reference::gaussian(3, 7, 2);
            face.project(d);
            faces::Dense product = faces::Dense::Zero(3, 7);
            face.add_curvature(d, product);
            if (!bound) {
                EXPECT_EQ(product.norm(), 0);
                continue;
            }
            const auto along = [&](double t) { return norm_of(w + t * d, p); };
            constexpr double step = 1e-4;
            EXPECT_NEAR((along(step) - along(-step)) / (2 * step), 0, 1e-6);
            const double bend = (along(step) - 2 * along(0) + along(-step)) / (step * step);
            EXPECT_NEAR(0.7 * bend, inner(d, product), 1e-5 * (1 + std::abs(bend)));
        }
}

// Of a sphere: the solution of the system that the preconditioner stands for, with the multiplier of the constraint.
TEST(LpFace, PreconditionersSolveTheirSystem) {
    const faces::Dense w = reference::gaussian(4, 9, 3);
    const auto problem = sized_problem("multinomial", 50, 9, 4);
    const Bridge<double> bridge(problem);
    const auto part = bridge.objective->sample(Iterate<double>(Shape{4, 9}), 50, 0);
    Matrix<double> gradient;
    part->evaluate(Matrix<double>(4, 9), gradient);
    faces::Sketch sketch;
    sketch.refresh(*part);  // of so few features it is exact
    const reference::Matrix bends =
        1.5 * sketch.directions().transpose() * sketch.values().asDiagonal() * sketch.directions();
    for (const double p : {2.0, 3.0})
        for (const bool bound : {false, true})
            for (const bool sketched : {false, true}) {
                SCOPED_TRACE(testing::Message() << p << bound << sketched);
                faces::LpFace face(w, p, norm_of(w, p), 0.7, bound);
                if (sketched) {
                    face.expect(sketch, 1.5, false);
                } else {
                    face.expect(2);
                }
                faces::Dense right = reference::gaussian(4, 9, 5);
                face.project(right);
                faces::Dense d = right;
                face.precondition(d);
                faces::Dense left = faces::Dense::Zero(4, 9);
                face.add_curvature(d, left);
                left += sketched ? faces::Dense(d * bends) : faces::Dense(2 * d);
                face.project(left);
                EXPECT_LE((left - right).norm(), 1e-9 * right.norm());
                if (bound) {
                    EXPECT_NEAR(inner(face.slope(), d), 0, 1e-10);
                }
            }
}

TEST(CorrectiveLp, ReachesTheOptimumAndProvesIt) {
    for (const auto storage : {Storage::dense, Storage::sparse})
        for (const double p : {2.0, 2.5, 3.0, 8.0})
            for (const double radius : {0.3, 3.0, 100.0})
                for (const double l2 : {0.0, 0.1}) {
                    SCOPED_TRACE(testing::Message() << "p " << p << " radius " << radius << " l2 " << l2);
                    auto problem = over_ball(p, radius);
                    problem.l2 = l2;
                    Bridge<double> bridge(problem, storage);
                    Solution<double> result;
                    const auto rows = run_rows(bridge, corrective(1e-8), &result);
                    EXPECT_EQ(result.status, Status::converged)
                        << to_text(result.status) << " at " << result.metrics.gap << " after " << rows.size();
                    EXPECT_LE(rows.size(), 40u);
                    expect_descent(rows);
                    EXPECT_LE(bridge.region->violation(result.x), 1e-9);
                    EXPECT_NEAR(result.metrics.gap, reference::exact_gap(problem, from_matrix(result.x)),
                                1e-9);
                }
}

TEST(CorrectiveLp, InterceptAndWeights) {
    for (const double p : {2.0, 3.0}) {
        auto problem = over_ball(p, 1);
        problem.X.array() += 0.5;
        const Bridge<double> bridge(problem);
        Targets targets = bridge.targets;
        for (Index i = 0; i < 2500; ++i) targets.weights.push_back(static_cast<double>(i % 3));
        const auto objective = linear_objective<double>(bridge.features, targets, bridge.loss, 1, true);
        const auto result = solve<double>(*objective, *bridge.region, corrective(1e-9));
        EXPECT_EQ(result.status, Status::converged)
            << to_text(result.status) << " at " << result.metrics.gap << " after " << result.iterations;
        // The same with a method that knows nothing of samples, as far as it gets.
        Options other;
        other.method = "accelerated";
        other.gap = 1e-7;
        other.max_iterations = 2000;
        const auto slow = solve<double>(*objective, *bridge.region, other);
        EXPECT_NEAR(result.metrics.objective, slow.metrics.objective, slow.metrics.gap + 1e-9);
    }
}

TEST(CorrectiveLp, SinglePrecisionEndsWhereRoundingDoes) {
    for (const double p : {2.0, 3.0}) {
        const auto problem = over_ball(p, 1);
        Bridge<double> exact(problem);
        Bridge<float> single(problem);
        const auto best = solve<double>(*exact.objective, *exact.region, corrective(1e-10));
        EXPECT_EQ(best.status, Status::converged);
        Solution<float> result;
        const auto rows = run_rows(single, corrective(1e-14), &result);
        EXPECT_TRUE(result.status == Status::precision || result.status == Status::converged);
        EXPECT_LE(result.iterations, 100);
        expect_descent(rows);
        EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 1e-6);
        EXPECT_LE(result.metrics.gap, 1e-4);
    }
}

}  // namespace
}  // namespace alfcg

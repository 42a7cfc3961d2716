// The units of f and of the data are the user's choice: no run may depend on them.
#include <gtest/gtest.h>

#include "calibration_cases.hpp"

namespace alfcg {
namespace {

constexpr double tolerance = 1e-6;
constexpr Index run_length = 60;

// y = factor · x, iterate by iterate, and the curvatures are as given.
void expect_scaled(const Way& plain, const Way& scaled, double factor, double curvature_factor) {
    ASSERT_EQ(plain.x.size(), scaled.x.size());
    EXPECT_GT(from_matrix(plain.x.back()).norm(), 0);
    EXPECT_EQ(plain.result.counters.component_gradients, scaled.result.counters.component_gradients);
    for (std::size_t t = 0; t < plain.x.size(); ++t) {
        const reference::Matrix expected = factor * from_matrix(plain.x[t]);
        ASSERT_LE((from_matrix(scaled.x[t]) - expected).norm(), tolerance * expected.norm()) << "t=" << t;
        if (!plain.step[t]) continue;
        ASSERT_NEAR(*scaled.step[t], *plain.step[t], tolerance * *plain.step[t]) << "t=" << t;
        const double curvature = curvature_factor * *plain.curvature[t];
        ASSERT_NEAR(*scaled.curvature[t], curvature, tolerance * curvature) << "t=" << t;
    }
}

// The shapes of a run that the rule treats in different ways.
template <class Check>
void for_each_run(const Check& check) {
    for (const std::string& method : alfcg_methods())
        for (const std::string rule : {"auto", "probe"})
            for (const bool every_row : {false, true}) {
                if (method == "alfcg-d" && every_row) continue;
                Options options = run_options(method, run_length);
                options.parameters.set("rho", rule);
                if (every_row) options.parameters.set("batch", 1000);
                SCOPED_TRACE(method + (rule == "probe" ? " probe" : " auto") +
                             (every_row ? " every row" : ""));
                check(options);
            }
}

template <class Check>
void for_each_problem(const Check& check) {
    for (const std::string loss : {"multinomial", "logistic", "squared"})
        for (const BallCase& ball : ball_cases())
            for (const Storage storage : {Storage::dense, Storage::sparse}) {
                auto problem = reference::random_problem(loss, 61, 7);
                problem.X = problem.X.array() * (reference::gaussian(61, 7, 8).array() > -0.5).cast<double>();
                ball.put(problem);
                problem.radius = 3;
                SCOPED_TRACE(loss + " " + ball.text() + (storage == Storage::dense ? " dense" : " sparse"));
                check(problem, storage);
            }
}

TEST(Equivariance, TheUnitOfTheObjectiveDoesNotMatter) {
    for_each_problem([](const reference::Problem& problem, Storage storage) {
        for_each_run([&](const Options& options) {
            Bridge<double> bridge(problem, storage);
            const Way plain = walk(*bridge.objective, *bridge.region, options);
            for (const double factor : {std::ldexp(1.0, -20), 8.0, std::ldexp(1.0, 30)}) {
                SCOPED_TRACE(factor);
                auto same = problem;
                same.l1 *= factor;
                same.l2 *= factor;
                same.nuclear *= factor;
                Bridge<double> other(same, storage);
                ScaledObjective objective(*other.objective, factor);
                expect_scaled(plain, walk(objective, *other.region, options), 1, factor);
            }
        });
    });
}

TEST(Equivariance, TheUnitOfTheDataDoesNotMatter) {
    for_each_problem([](const reference::Problem& problem, Storage storage) {
        for_each_run([&](const Options& options) {
            Bridge<double> bridge(problem, storage);
            const Way plain = walk(*bridge.objective, *bridge.region, options);
            for (const double unit : {1.0 / 64, 1024.0}) {
                SCOPED_TRACE(unit);
                auto same = problem;
                same.X *= unit;
                same.radius /= unit;
                same.l1 *= unit;
                same.nuclear *= unit;
                same.l2 *= unit * unit;
                Bridge<double> other(same, storage);
                const Way scaled = walk(*other.objective, *other.region, options);
                expect_scaled(plain, scaled, 1 / unit, unit * unit);
                const double objective = plain.result.metrics.objective;
                EXPECT_NEAR(scaled.result.metrics.objective, objective, tolerance * objective);
            }
        });
    });
}

}  // namespace
}  // namespace alfcg

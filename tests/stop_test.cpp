// When runs end, and where they begin: the relative gap, warm starts, early stop.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "alfcg/alfcg.hpp"
#include "bridge.hpp"
#include "data_files.hpp"
#include "reference/samples.hpp"

namespace alfcg {
namespace {

// The first iterate of a run, all of whose gaps are known, that the rule accepts.
template <class Real>
Index first_within(const std::vector<Row<Real>>& rows, double tolerance) {
    for (const Row<Real>& row : rows) {
        const double decrease = rows.front().metrics.objective - row.metrics.objective;
        if (row.metrics.gap <= tolerance * std::max(std::abs(row.metrics.objective), decrease))
            return row.iteration;
    }
    return -1;
}

TEST(RelativeGap, EndsADeterministicRunAtTheFirstIterateThatIsGoodEnough) {
    for (const char* region : {"l1", "nuclear", "l2"})
        for (const char* method : {"fw-parafree", "fw-armijo", "fw-openloop"}) {
            auto problem = reference::random_problem("multinomial", 60, 8);
            problem.region = region;
            problem.radius = 3;
            Bridge<double> bridge(problem);
            Options options;
            options.method = method;
            options.max_iterations = 400;
            const auto rows = run_rows(bridge, options);
            for (const double tolerance : {0.3, 0.05, 1e-2}) {
                const Index expected = first_within(rows, tolerance);
                options.tolerance = tolerance;
                Bridge<double> again(problem);
                const auto result = solve<double>(*again.objective, *again.region, options);
                if (expected < 0) {
                    EXPECT_EQ(result.status, Status::max_iterations);
                    continue;
                }
                EXPECT_EQ(result.status, Status::converged);
                EXPECT_EQ(result.iterations, expected) << region << " " << method << " " << tolerance;
                EXPECT_NEAR(result.metrics.objective,
                            rows[static_cast<std::size_t>(expected)].metrics.objective, 1e-10);
                options.max_iterations = expected;
                Bridge<double> short_of_time(problem);
                EXPECT_EQ((solve<double>(*short_of_time.objective, *short_of_time.region, options)).status,
                          Status::converged)
                    << "a budget that ends at that very iterate";
                options.max_iterations = 400;
            }
        }
}

// Methods that go by another gradient than ∇f(x_t), or by another vertex than the oracle's, need looks of their own.
TEST(RelativeGap, OfOtherRunsIsLookedAtAtTraceRowsOrNowAndThen) {
    for (const char* method : {"alfcg-d", "alfcg-fs", "alfcg-mvr2"}) {
        auto problem = reference::random_problem("multinomial", 100, 5);
        problem.region = "nuclear";
        problem.radius = 2;
        Options options;
        options.method = method;
        options.max_epochs = 200;
        Bridge<double> bridge(problem);
        const auto rows = run_rows(bridge, options);
        const double tolerance = 0.1;
        const Index first = first_within(rows, tolerance);
        ASSERT_GT(first, 0) << method;
        options.tolerance = tolerance;
        options.gap_every = 1;
        Bridge<double> every(problem);
        EXPECT_EQ((solve<double>(*every.objective, *every.region, options)).iterations, first) << method;
        options.gap_every = 0;
        Bridge<double> sometimes(problem);
        const auto result = solve<double>(*sometimes.objective, *sometimes.region, options);
        EXPECT_EQ(result.status, Status::converged) << method;
        EXPECT_GE(result.iterations, first);
        const auto& end = rows[static_cast<std::size_t>(result.iterations)];
        EXPECT_NEAR(end.metrics.gap, result.metrics.gap, 1e-12) << "looks leave no trace in the run";
        const double decrease = rows.front().metrics.objective - end.metrics.objective;
        EXPECT_LE(end.metrics.gap, tolerance * std::max(end.metrics.objective, decrease));
    }
}

// The oracle of a large matrix is iterative: its answers give gaps that are too small, never too large.
TEST(RelativeGap, IsTheExactOneWhereTheOracleIsNot) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    const Shape shape{300, 280};
    Matrix<double> target(shape);
    for (double& entry : target.span()) entry = normal(random);
    const auto objective = custom_objective<double>(shape, [&](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = x[i] - target.span()[i];
            value += gradient[i] * gradient[i] / 2;
        }
        return value;
    });
    Options options;
    options.method = "fw-openloop";
    options.max_iterations = 60;
    std::vector<Metrics> all;
    solve<double>(*objective, *nuclear_ball<double>(200), options,
                  [&](const Snapshot<double>& now) { all.push_back(now.metrics()); });
    options.tolerance = 0.2;
    const auto result = solve<double>(*objective, *nuclear_ball<double>(200), options);
    ASSERT_EQ(result.status, Status::converged);
    for (std::size_t t = 0; t < static_cast<std::size_t>(result.iterations); ++t) {
        const double scale = std::max(all[t].objective, all[0].objective - all[t].objective);
        EXPECT_GT(all[t].gap, options.tolerance * scale) << t;
    }
    EXPECT_LE(result.metrics.gap, options.tolerance * all[0].objective);
}

TEST(RelativeGap, MustBeAShare) {
    Limits limits;
    EXPECT_THROW(limits.verify(), Error) << "no end";
    limits.tolerance = 1e-3;
    limits.verify();
    for (const double wrong : {-1e-3, 1.0, std::nan("")}) {
        limits.tolerance = wrong;
        EXPECT_THROW(limits.verify(), QuantityError);
    }
}

// ---- where runs begin ----------------------------------------------------------------------------------------------

template <class Real>
Matrix<Real> random_point(Shape shape, double scale) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    Matrix<Real> x(shape);
    for (Real& entry : x.span()) entry = static_cast<Real>(scale * normal(random));
    return x;
}

template <class Real>
void check_scaling_in() {
    for (const char* name : {"l1", "l2", "linf", "nuclear"})
        for (const double size : {1e-3, 1.0, 1e4}) {
            const auto region = make_region<Real>(ball(name, 2, 3));
            const Matrix<Real> x = random_point<Real>({4, 6}, size);
            const Matrix<Real> in = scaled_into(*region, x);
            const double before = region->violation(x);
            if (before == 0) {
                EXPECT_TRUE(std::equal(x.span().begin(), x.span().end(), in.span().begin()));
                continue;
            }
            const double rounding = 100 * static_cast<double>(std::numeric_limits<Real>::epsilon());
            EXPECT_LE(region->violation(in), rounding);
            const Matrix<Real> beyond = [&] {
                Matrix<Real> result = in;
                for (Real& entry : result.span()) entry *= static_cast<Real>(1 + rounding);
                return result;
            }();
            EXPECT_GT(region->violation(beyond), 0) << name << ": it is on the boundary";
            for (std::size_t k = 0; k < x.span().size(); ++k)
                EXPECT_NEAR(in.span()[k] * (1 + before), x.span()[k], rounding * std::abs(x.span()[k]));
        }
}

TEST(WarmStart, APointOutsideABallIsScaledToItsBoundary) {
    check_scaling_in<float>();
    check_scaling_in<double>();
}

TEST(WarmStart, APointOutsideACallersSetIsMovedTowardsItsStart) {
    // The box [1, 2]²; how far a point lies outside is not in proportion to anything.
    const auto box = custom_region<double>({.oracle =
                                                [](auto g, auto v) {
                                                    for (std::size_t i = 0; i < 2; ++i)
                                                        v[i] = g[i] > 0 ? 1 : 2;
                                                },
                                            .diameter = std::sqrt(2.0),
                                            .composite = {},
                                            .violation =
                                                [](auto x) {
                                                    double worst = 0;
                                                    for (const double entry : x)
                                                        worst = std::max({worst, 1 - entry, entry - 2});
                                                    return worst * worst;
                                                },
                                            .start =
                                                [](auto x) {
                                                    x[0] = 1;
                                                    x[1] = 1.5;
                                                },
                                            .name = "box"});
    Matrix<double> x(1, 2);
    x(0, 0) = 5;
    x(0, 1) = 2.5;
    const Matrix<double> in = scaled_into(*box, x);
    EXPECT_NEAR(in(0, 0), 2, 1e-12);  // (1, 1.5) + (4, 1) / 4
    EXPECT_NEAR(in(0, 1), 1.75, 1e-12);
    x(0, 0) = std::numeric_limits<double>::infinity();
    EXPECT_THROW(scaled_into(*box, x), Error);
}

// Three classes of 40 rows, 5 features.
Dataset<double> three_classes(std::uint64_t seed, double noise = 0.5) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> entries;
    Dataset<double> data;
    data.name = "three";
    for (int i = 0; i < 120; ++i) {
        for (int j = 0; j < 5; ++j) entries.push_back((j == i % 3 ? 1 : 0) + noise * normal(random));
        data.labels.push(std::string(1, static_cast<char>('a' + i % 3)));
    }
    data.features = dense_features<double>(entries, 120, 5);
    return data;
}

Specification ball_of(double radius) {
    Specification specification;
    specification.region = {"nuclear", {{"radius", radius}}, {}};
    specification.threads = 1;
    return specification;
}

TEST(WarmStart, FromTheOptimumARunEndsAtOnce) {
    Specification specification = ball_of(2);
    specification.options.tolerance = 1e-3;
    auto problem = prepare(three_classes(1), specification);
    const auto first = fit(problem, specification.options);
    ASSERT_EQ(first.report.status, Status::converged);
    ASSERT_GT(first.report.iterations, 0);
    const Matrix<double> start = start_from(first.model, problem);
    const auto second = fit<double>(problem, specification.options, {}, &start);
    EXPECT_EQ(second.report.status, Status::converged);
    EXPECT_EQ(second.report.iterations, 0);
    EXPECT_NEAR(second.report.metrics.objective, first.report.metrics.objective, 1e-12);
}

TEST(WarmStart, ColumnsThatAreScaledOtherwiseGetWeightsThatScoreAlike) {
    Specification plain = ball_of(2);
    auto problem = prepare(three_classes(1), plain);
    const auto fitted = fit(problem, plain.options);
    for (const Normalization kind : {Normalization::columns, Normalization::spectral}) {
        Specification other = plain;
        other.normalization = kind;
        auto scaled_problem = prepare(three_classes(1), other);
        const Matrix<double> weights = start_from(fitted.model, scaled_problem);
        Matrix<double> gradient;
        EXPECT_NEAR(scaled_problem.objective->evaluate(weights, gradient),
                    problem.objective->evaluate(fitted.model.weights, gradient), 1e-12);
    }
    plain.normalization = Normalization::rows;
    const auto rows_problem = prepare(three_classes(1), plain);
    EXPECT_THROW(start_from(fitted.model, rows_problem), QuantityError);
}

TEST(WarmStart, AModelOfOtherDataIsRefused) {
    auto problem = prepare(three_classes(1), ball_of(2));
    const Model<double> model = fit(problem, Specification::default_options()).model;
    const auto complaint = [&](const auto& change) {
        Model<double> changed = model;
        change(changed);
        return message_of<QuantityError>([&] { start_from(changed, problem); });
    };
    EXPECT_EQ(complaint([](auto& m) { m.weights = Matrix<double>(3, 4); }),
              "start is a model of 4 features, the data have 5");
    EXPECT_EQ(complaint([](auto& m) { m.classes.names.pop_back(); }),
              "start is a model of 2 classes, the data have 3");
    EXPECT_EQ(complaint([](auto& m) { m.classes.names[0] = "z"; }),
              "start is a model of other classes than those of the data");
    EXPECT_EQ(complaint([](auto& m) { m.loss.name = "squared"; }),
              "start is a model for the squared loss, which predicts something else than the multinomial "
              "loss does");
}

// ---- early stop ----------------------------------------------------------------------------------------------------

TEST(EarlyStop, KeepsTheIterateWithTheBestScoreSeen) {
    Specification specification = ball_of(500);  // large enough to learn the noise
    specification.options.method = "alfcg-d";    // slow enough to be stopped
    specification.hold_out = 0.5;
    specification.patience = 7;
    specification.options.tolerance = 0;
    specification.options.max_epochs = 3000;
    auto problem = prepare(three_classes(2, 1.5), specification);
    // Every iterate scored, by hand.
    std::vector<Matrix<double>> points;
    std::vector<std::vector<double>> intercepts;
    std::vector<double> epochs;
    const auto fitted = fit<double>(problem, specification.options, [&](const Snapshot<double>& now) {
        points.push_back(now.x());
        intercepts.push_back(now.intercept());
        epochs.push_back(now.epochs);
    });
    EXPECT_EQ(fitted.report.status, Status::early_stop);
    EXPECT_EQ(to_text(fitted.report.status), "early-stop");
    double next = 0;
    std::size_t best = 0;
    double best_score = -1;
    int looks = 0;
    for (std::size_t t = 0; t < points.size(); ++t) {
        const bool last = t + 1 == points.size();
        if (!last && epochs[t] < next) continue;
        next = epochs[t] + std::max(1.0, epochs[t] / 16);
        Model<double> model = fitted.model;
        model.weights = points[t];
        model.intercept = intercepts[t];
        const double score = score_of(model, *problem.held_out).value();
        if (score > best_score) {
            best_score = score;
            best = t;
            looks = 0;
        } else {
            ++looks;
        }
        EXPECT_EQ(looks >= 7, t + 2 >= points.size())
            << "it ends when patience does, with the step under way";
    }
    ASSERT_TRUE(fitted.report.best_iteration);
    EXPECT_EQ(*fitted.report.best_iteration, static_cast<Index>(best));
    EXPECT_EQ(fitted.report.held_out->value(), best_score);
    EXPECT_TRUE(std::equal(points[best].span().begin(), points[best].span().end(),
                           fitted.model.weights.span().begin()));
    Matrix<double> gradient;
    EXPECT_NEAR(fitted.report.metrics.objective, problem.objective->evaluate(points[best], gradient), 1e-12);
}

TEST(EarlyStop, NeedsRowsToLookAt) {
    Specification specification = ball_of(1);
    specification.patience = 5;
    EXPECT_THROW(specification.verify(), QuantityError);
    specification.hold_out = 0.1;
    specification.verify();
    specification.patience = -1;
    EXPECT_THROW(specification.verify(), QuantityError);
}

}  // namespace
}  // namespace alfcg

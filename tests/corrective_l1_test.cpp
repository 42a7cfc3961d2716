// alfcg-c over the l_1 ball: models are minimised, runs reach the optimum, and never rise.
#include <gtest/gtest.h>

#include <random>

#include "bridge.hpp"
#include "corrective/l1_homotopy.hpp"
#include "corrective/l1_model.hpp"
#include "descent.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

// ½ <u, H u> − <b, u> + l1 ‖u‖₁ over the ball; the first entries are minded, the rest is free.
struct Quadratic {
    reference::Matrix h;
    reference::Vector b;
    double l1 = 0;
    double radius = 1;
    Eigen::Index free = 0;

    [[nodiscard]] double value(const reference::Vector& u) const {
        return 0.5 * u.dot(h * u) - b.dot(u) + l1 * u.head(u.size() - free).lpNorm<1>();
    }
    // How far above the minimum u can be: the gap over the ball, where nothing is to be had from the free entries.
    [[nodiscard]] double gap(const reference::Vector& u) const {
        const reference::Vector q = h * u - b;
        const Eigen::Index n = u.size() - free;
        EXPECT_LE(q.tail(free).norm(), 1e-6);
        EXPECT_LE(u.head(n).lpNorm<1>(), radius * (1 + 1e-12));
        return q.head(n).dot(u.head(n)) + l1 * u.head(n).lpNorm<1>() +
               radius * std::max(q.head(n).lpNorm<Eigen::Infinity>() - l1, 0.0);
    }
};

Quadratic make_quadratic(Eigen::Index n, Eigen::Index rank, unsigned seed) {
    const reference::Matrix a = reference::gaussian(rank, n, seed);
    Quadratic q;
    q.h = a.transpose() * a / static_cast<double>(rank);
    q.b = a.transpose() * reference::gaussian(rank, 1, seed + 1).col(0);
    return q;
}

TEST(L1Homotopy, EndsWhereTheGapIsZero) {
    for (const unsigned seed : {1u, 2u, 3u, 4u})
        for (const auto& [n, rank] :
             std::vector<std::pair<int, int>>{{1, 3}, {7, 20}, {40, 60}, {40, 25}, {120, 90}})
            for (const double l1 : {0.0, 0.3})
                for (const double radius : {1e-3, 0.5, 3.0, 1e3}) {
                    SCOPED_TRACE(testing::Message()
                                 << n << " of rank " << rank << " l1 " << l1 << " radius " << radius);
                    Quadratic q = make_quadratic(n, rank, seed);
                    q.l1 = l1;
                    q.radius = radius;
                    if (n > 4) q.h.col(3) = q.h.col(1), q.h.row(3) = q.h.row(1), q.b(3) = q.b(1);  // twins
                    const auto u =
                        l1_minimum(to_matrix<double>(q.h), {q.b.data(), q.b.data() + n}, l1, radius);
                    const Eigen::Map<const reference::Vector> found(u.data(), n);
                    EXPECT_LE(q.gap(found), 1e-6 * std::max(1.0, q.b.norm() * std::min(radius, 10.0)));
                }
}

TEST(L1Homotopy, NothingToGain) {
    const Quadratic q = make_quadratic(5, 9, 1);
    const auto h = to_matrix<double>(q.h);
    for (const double entry : l1_minimum(h, std::vector<double>(5, 0.0), 0, 1)) EXPECT_EQ(entry, 0);
    for (const double entry : l1_minimum(h, {q.b.data(), q.b.data() + 5}, 1e9, 1)) EXPECT_EQ(entry, 0);
}

TEST(L1Model, StepsReachTheMinimum) {
    for (const unsigned seed : {1u, 2u, 3u})
        for (const Eigen::Index free : {0, 1, 3})
            for (const double l1 : {0.0, 0.2})
                for (const double radius : {0.1, 2.0, 1e3}) {
                    SCOPED_TRACE(testing::Message()
                                 << "free " << free << " l1 " << l1 << " radius " << radius);
                    Quadratic q = make_quadratic(30, 50, seed);
                    q.l1 = l1;
                    q.radius = radius;
                    q.free = free;
                    const auto curve = [&](const std::vector<double>& d, std::vector<double>& product) {
                        Eigen::Map<reference::Vector>(product.data(), 30) =
                            q.h * Eigen::Map<const reference::Vector>(d.data(), 30);
                    };
                    std::vector<double> u(30, 0.0);
                    u[2] = radius / 2;  // the model is around this point
                    const reference::Vector gradient =
                        q.h * Eigen::Map<reference::Vector>(u.data(), 30) - q.b;
                    L1Model model{radius, l1, {}, {}, {}, curve};
                    model.free.assign(30, 0);
                    std::fill(model.free.end() - free, model.free.end(), 1);
                    model.gradient.assign(gradient.data(), gradient.data() + 30);
                    const reference::Vector diagonal = q.h.diagonal();
                    model.diagonal.assign(diagonal.data(), diagonal.data() + 30);
                    const double goal = 1e-11 * q.b.norm() * radius;
                    const std::vector<double> point = u;
                    EXPECT_LE(minimize(model, point, goal, 100000, u), goal);
                    EXPECT_LE(q.gap(Eigen::Map<reference::Vector>(u.data(), 30)), 2 * goal);
                }
}

// Nearest in the metric: all that are left are as steep, d (z − u) = τ and l1 of it, none that is not would be steeper, and τ is more
// than l1 only on the sphere.
TEST(L1Projection, IsTheNearestPoint) {
    for (const unsigned seed : {1u, 2u, 3u, 4u})
        for (const double l1 : {0.0, 0.7})
            for (const double radius : {1e-3, 0.8, 5.0, 1e4})
                for (const double scale : {1.0, 3.0}) {
                    const reference::Matrix draws = reference::gaussian(50, 2, seed);
                    std::vector<double> diagonal(50);
                    std::vector<double> z(50);
                    std::vector<char> free(50);
                    free[7] = 1;
                    for (std::size_t i = 0; i < 50; ++i) {
                        diagonal[i] = std::exp(3 * draws(static_cast<Eigen::Index>(i), 0));
                        z[i] = draws(static_cast<Eigen::Index>(i), 1);
                    }
                    std::vector<double> u = z;
                    const double tau = L1Projection()(diagonal, free, radius, l1, u, scale);
                    EXPECT_EQ(u[7], z[7]);
                    double norm = 0;
                    for (std::size_t i = 0; i < 50; ++i) {
                        if (i == 7) continue;
                        norm += std::abs(u[i]);
                        const double pull = scale * diagonal[i] * (z[i] - u[i]);
                        if (u[i] == 0) {
                            EXPECT_LE(std::abs(pull), tau * (1 + 1e-12));
                        } else {
                            EXPECT_NEAR(pull, std::copysign(tau, u[i]),
                                        1e-9 * std::max(tau, scale * diagonal[i]));
                        }
                    }
                    EXPECT_LE(norm, radius * (1 + 1e-12));
                    EXPECT_GE(tau, l1);
                    if (tau > l1) {
                        EXPECT_NEAR(norm, radius, 1e-9 * radius);
                    }
                }
}

// Weights that next to nothing speaks for are none, however roughly a model is minimised.
TEST(L1Model, DustIsDropped) {
    for (const unsigned seed : {1u, 2u, 3u})
        for (const double l1 : {0.0, 0.2, 2.0})
            for (const double radius : {0.3, 1e3}) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << " l1 " << l1 << " radius " << radius);
                Quadratic q = make_quadratic(30, 50, seed);
                if (l1 < 2 && radius > 1) continue;  // hardly a weight of the minimum is zero
                q.l1 = l1;
                q.radius = radius;
                const auto curve = [&](const std::vector<double>& d, std::vector<double>& product) {
                    Eigen::Map<reference::Vector>(product.data(), 30) =
                        q.h * Eigen::Map<const reference::Vector>(d.data(), 30);
                };
                const auto least =
                    l1_minimum(to_matrix<double>(q.h), {q.b.data(), q.b.data() + 30}, l1, radius);
                std::vector<double> u = least;
                const double norm = Eigen::Map<const reference::Vector>(u.data(), 30).lpNorm<1>();
                const auto zeros = static_cast<double>(std::count(u.begin(), u.end(), 0.0));
                ASSERT_GE(zeros, 5);
                for (std::size_t i = 0; i < 30; ++i)
                    u[i] = u[i] * (1 - zeros * 1e-8) + (u[i] == 0 ? 1e-8 * norm * (i % 2 == 0 ? 1 : -1) : 0);
                const reference::Vector gradient = q.h * Eigen::Map<reference::Vector>(u.data(), 30) - q.b;
                const reference::Vector diagonal = q.h.diagonal();
                const std::vector<double> point = u;
                const L1Model model{radius,
                                    l1,
                                    std::vector<char>(30, 0),
                                    {gradient.data(), gradient.data() + 30},
                                    {diagonal.data(), diagonal.data() + 30},
                                    curve};
                const double before = q.gap(Eigen::Map<reference::Vector>(u.data(), 30));
                minimize(model, point, 2 * before, 100, u);
                EXPECT_LE(q.gap(Eigen::Map<reference::Vector>(u.data(), 30)), before);
                for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(u[i] == 0, least[i] == 0) << i;
            }
}

Options corrective(double gap, Index iterations = 200) {
    Options options;
    options.method = "alfcg-c";
    options.gap = gap;
    options.max_iterations = iterations;
    return options;
}

TEST(CorrectiveL1, ReachesTheOptimumAndProvesIt) {
    for (const auto& [loss, outputs] : std::vector<std::pair<std::string, int>>{
             {"logistic", 1}, {"squared", 1}, {"huber", 1}, {"multinomial", 2}, {"multinomial", 4}})
        for (const auto storage : {Storage::dense, Storage::sparse})
            for (const double radius : {0.3, 5.0, 200.0})
                for (const Composite composite :
                     {Composite{}, Composite{0.01, 0, 0}, Composite{0.005, 0.1, 0}}) {
                    SCOPED_TRACE(testing::Message() << loss << outputs << " radius " << radius << " l1 "
                                                    << composite.l1 << " l2 " << composite.l2);
                    auto problem = sized_problem(loss, 120, 150, outputs);
                    problem.region = "l1";
                    problem.radius = radius;
                    problem.l1 = composite.l1;
                    problem.l2 = composite.l2;
                    Bridge<double> bridge(problem, storage);
                    Solution<double> result;
                    const auto rows = run_rows(bridge, corrective(1e-8), &result);
                    EXPECT_EQ(result.status, Status::converged)
                        << to_text(result.status) << " at " << result.metrics.gap << " after " << rows.size();
                    EXPECT_LE(rows.size(), 60u);
                    expect_descent(rows);
                    // The certificate, by hand: no point of the ball is lower by more than the gap.
                    const reference::Matrix x = from_matrix(result.x);
                    const double norm = x.lpNorm<1>();
                    EXPECT_LE(norm, radius * (1 + 1e-9));
                    if (composite.l2 > 0) continue;  // its vertex is none of the ball's
                    const reference::Matrix g = reference::full_gradient(problem, x);
                    const double gap = reference::inner(g, x) + composite.l1 * norm +
                                       radius * std::max(g.lpNorm<Eigen::Infinity>() - composite.l1, 0.0);
                    EXPECT_LE(gap, 2e-8);
                }
}

// With many rows, models are made of some of them at first. Twins, constants and other units must not mislead them.
TEST(CorrectiveL1, ManyRows) {
    for (const std::string loss : {"logistic", "squared", "huber", "multinomial"})
        for (const double radius : {0.5, 5.0, 500.0})
            for (const bool awkward : {false, true}) {
                SCOPED_TRACE(testing::Message()
                             << loss << " radius " << radius << (awkward ? " awkward" : ""));
                auto problem = sized_problem(loss, 3000, 40, 3);
                if (awkward) {
                    problem.X.col(7) = problem.X.col(5);
                    problem.X.col(11).setConstant(1);
                    problem.X.col(13).setZero();
                    problem.X.col(17) *= 100;
                    problem.X.col(19) /= 100;
                    problem.X.col(23).setZero();
                    problem.X(123, 23) = 3;  // of one sample alone
                }
                problem.region = "l1";
                problem.radius = radius;
                Bridge<double> bridge(problem, Storage::dense);
                Solution<double> result;
                const auto rows = run_rows(bridge, corrective(1e-8), &result);
                EXPECT_EQ(result.status, Status::converged)
                    << to_text(result.status) << " at " << result.metrics.gap << " after " << rows.size();
                EXPECT_LE(rows.size(), 60u);
                expect_descent(rows);
                const reference::Matrix x = from_matrix(result.x);
                const reference::Matrix g = reference::full_gradient(problem, x);
                EXPECT_LE(reference::inner(g, x) + radius * g.lpNorm<Eigen::Infinity>(), 2e-8);
                EXPECT_LE(x.lpNorm<1>(), radius * (1 + 1e-9));
                // Of all that softmax cannot tell apart, the lightest: most of a column never has the same sign.
                for (Eigen::Index j = 0; x.rows() > 1 && j < x.cols(); ++j) {
                    EXPECT_LE(2 * (x.col(j).array() > 0).count(), x.rows());
                    EXPECT_LE(2 * (x.col(j).array() < 0).count(), x.rows());
                }
            }
}

TEST(CorrectiveL1, NonconvexLossesGoDownToAStationaryPoint) {
    for (const std::string loss : {"sigmoid", "welsch"})
        for (const double radius : {0.5, 5.0}) {
            SCOPED_TRACE(loss);
            auto problem = sized_problem(loss, 200, 30, 1);
            problem.region = "l1";
            problem.radius = radius;
            Bridge<double> bridge(problem);
            Solution<double> result;
            const auto rows = run_rows(bridge, corrective(1e-7, 500), &result);
            expect_descent(rows);
            EXPECT_EQ(result.status, Status::converged);
        }
}

TEST(CorrectiveL1, SinglePrecisionEndsWhereRoundingDoes) {
    auto problem = sized_problem("logistic", 400, 60, 1);
    problem.region = "l1";
    problem.radius = 4;
    Bridge<double> exact(problem);
    Bridge<float> single(problem);
    const auto best = solve<double>(*exact.objective, *exact.region, corrective(1e-10));
    Solution<float> result;
    const auto rows = run_rows(single, corrective(1e-14), &result);
    EXPECT_EQ(result.status, Status::precision);
    EXPECT_LE(result.iterations, 50);
    expect_descent(rows);
    EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 1e-6);
    EXPECT_LE(result.metrics.gap, 1e-4);
}

TEST(CorrectiveL1, InterceptAndWeights) {
    for (const auto& [loss, rows] : std::vector<std::pair<std::string, Index>>{
             {"logistic", 150}, {"squared", 150}, {"multinomial", 150}, {"multinomial", 3000}}) {
        SCOPED_TRACE(testing::Message() << loss << ' ' << rows);
        auto problem = sized_problem(loss, rows, 40, 3);
        for (double& target : problem.targets)
            if (loss == "squared") target += 7;
        const Bridge<double> bridge(problem);
        Targets targets = bridge.targets;
        for (Index i = 0; i < rows; ++i) targets.weights.push_back(static_cast<double>(i % 3));
        const auto objective = linear_objective<double>(bridge.features, targets, bridge.loss, 1, true);
        const auto region = lp_ball<double>(1, 2);
        const auto result = solve<double>(*objective, *region, corrective(1e-9));
        EXPECT_EQ(result.status, Status::converged)
            << to_text(result.status) << " at " << result.metrics.gap << " after " << result.iterations;
        // The same with a method that knows nothing of parts, as far as it gets.
        Options slow;
        slow.method = "fw-armijo";
        slow.max_iterations = 3000;
        const auto other = solve<double>(*objective, *region, slow);
        EXPECT_LE(result.metrics.objective, other.metrics.objective + 1e-9);
        EXPECT_GE(result.metrics.objective, other.metrics.objective - other.metrics.gap);
        EXPECT_LE(result.iterations, 30);
    }
}

// At the end models are of all rows, and what is left to go is told by no value of f.
TEST(CorrectiveL1, LooseBallsOfManyRowsWithAnIntercept) {
    const auto problem = sized_problem("multinomial", 4000, 60, 8);
    const Bridge<double> bridge(problem);
    const auto objective = linear_objective<double>(bridge.features, bridge.targets, bridge.loss, 1, true);
    const auto result = solve<double>(*objective, *lp_ball<double>(1, 100), corrective(1e-10));
    EXPECT_EQ(result.status, Status::converged)
        << to_text(result.status) << " at " << result.metrics.gap << " after " << result.iterations;
}

// Two weights and the intercept turn together: a model that is minimised in the weights alone hardly moves.
TEST(CorrectiveL1, TheInterceptMovesWithTheWeights) {
    const std::vector<double> x{1, 2, 2, 1, 3, 1};
    Targets targets;
    targets.values = {-1, 1, 1};
    const auto objective = linear_objective<double>(features_of<double>(DenseView(x.data(), 3, 2)), targets,
                                                    {"logistic", {}}, 1, true);
    for (const double radius : {1.0, 10.0, 30.0}) {
        const auto result = solve<double>(*objective, *lp_ball<double>(1, radius), corrective(1e-9));
        EXPECT_EQ(result.status, Status::converged) << radius;
        EXPECT_LE(result.iterations, 30) << radius;
    }
}

TEST(CorrectiveL1, WarmStartsNeedLess) {
    auto problem = sized_problem("logistic", 300, 80, 1);
    problem.region = "l1";
    problem.radius = 5;
    Bridge<double> bridge(problem);
    const auto first = solve<double>(*bridge.objective, *bridge.region, corrective(1e-8));
    const auto again = solve<double>(*bridge.objective, *bridge.region, corrective(1e-8), {}, &first.x);
    EXPECT_EQ(again.iterations, 0);
    const auto wider = lp_ball<double>(1, 5.5);
    const auto cold = solve<double>(*bridge.objective, *wider, corrective(1e-8));
    const auto warm = solve<double>(*bridge.objective, *wider, corrective(1e-8), {}, &first.x);
    EXPECT_NEAR(warm.metrics.objective, cold.metrics.objective, 2e-8);
    EXPECT_LT(warm.epochs, cold.epochs);
}

TEST(CorrectiveL1, FunctionsOfTheCallersOwn) {
    // ½‖x − c‖² with c = (3, 1, 0, ...): the projection of c onto the ball of radius 1 is (1, 0, ...).
    const auto f = custom_objective<double>({1, 200}, [](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = x[i] - (i == 0 ? 3 : i == 1 ? 1 : 0);
            value += gradient[i] * gradient[i] / 2;
        }
        return value;
    });
    const auto ball = lp_ball<double>(1, 1);
    const auto result = solve<double>(*f, *ball, corrective(1e-9));
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.x(0, 0), 1, 1e-8);
    EXPECT_NEAR(result.x(0, 1), 0, 1e-8);
}

}  // namespace
}  // namespace alfcg

// alfcg-c over regions that have an oracle and nothing else: f over a hull is f, its model is minimised, runs reach the optimum that those
// who know the region reach, and never rise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bridge.hpp"
#include "corrective/corrective.hpp"
#include "corrective/simplex_model.hpp"
#include "descent.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "reference/solve.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

Options hull_options(double gap, Index iterations = 2000) {
    Options options;
    options.method = "alfcg-c";
    options.gap = gap;
    options.max_iterations = iterations;
    return options;
}

Vertex<double> dense_vertex(const reference::Matrix& entries) {
    Vertex<double> vertex;
    vertex.kind = Vertex<double>::Kind::dense;
    vertex.shape = {entries.rows(), entries.cols()};
    vertex.dense = to_matrix<double>(entries);
    return vertex;
}

// Weights at random that add up to `sum`.
std::vector<double> some_weights(Index count, double sum, unsigned seed) {
    const reference::Matrix noise = reference::gaussian(count, 1, seed);
    std::vector<double> weights;
    for (Index k = 0; k < count; ++k) weights.push_back(sum == 0 ? noise(k, 0) : std::abs(noise(k, 0)) + 0.1);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) {
        if (sum == 0) {
            weight -= total / static_cast<double>(count);
        } else {
            weight *= sum / total;
        }
    }
    return weights;
}

double curved(const Matrix<double>& matrix, const std::vector<double>& d) {
    double sum = 0;
    for (Index k = 0; k < matrix.rows(); ++k)
        for (Index l = 0; l < matrix.cols(); ++l)
            sum += d[static_cast<std::size_t>(k)] * matrix(k, l) * d[static_cast<std::size_t>(l)];
    return sum;
}

// Values, slopes and second derivatives of a hull are those of the objective.
void expect_hull_of(Objective<double>& f, bool exact_curvature, double tolerance) {
    const Shape shape = f.shape();
    const Index count = 5;
    const auto hull = f.hull();
    std::vector<reference::Matrix> points;
    for (Index k = 0; k < count; ++k)
        points.push_back(0.5 * reference::gaussian(shape.rows, shape.cols, 20 + static_cast<unsigned>(k)));
    hull->set_first(Iterate<double>(to_matrix<double>(points[0])), false);
    for (Index k = 1; k < count; ++k) hull->add(dense_vertex(points[static_cast<std::size_t>(k)]));
    ASSERT_EQ(hull->count(), count);
    EXPECT_GE(hull->point_bytes(), shape.size() * 8);

    const auto at = [&](const std::vector<double>& weights) {
        reference::Matrix sum = reference::Matrix::Zero(shape.rows, shape.cols);
        for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * points[k];
        return Iterate<double>(to_matrix<double>(sum));
    };
    const auto expect_slopes = [&](const Iterate<double>& x, const std::vector<double>& slopes) {
        Matrix<double> gradient;
        f.evaluate(x, gradient);
        // With classes, only differences of scores count: slopes are those of directions that add up to 0.
        for (std::size_t k = 1; k < slopes.size(); ++k)
            EXPECT_NEAR(slopes[k] - slopes[0], reference::inner(from_matrix(gradient), points[k] - points[0]),
                        tolerance);
    };
    std::vector<double> weights = some_weights(count, 1, 5);
    std::vector<double> slopes(weights.size());
    EXPECT_NEAR(hull->evaluate(weights, slopes), f.value(at(weights)), tolerance);
    expect_slopes(at(weights), slopes);

    const std::vector<double> way = some_weights(count, 0, 6);
    Matrix<double> matrix;
    hull->curvatures(matrix);
    hull->aim(way);
    const auto moved = [&](double step) {
        std::vector<double> after = weights;
        for (std::size_t k = 0; k < after.size(); ++k) after[k] += step * way[k];
        return after;
    };
    EXPECT_NEAR(hull->value_after(0.1), f.value(at(moved(0.1))), tolerance);
    const double h = 1e-3;
    const double second = (hull->value_after(h) - 2 * hull->value_after(0) + hull->value_after(-h)) / (h * h);
    if (exact_curvature) {
        EXPECT_NEAR(curved(matrix, way), second, 1e-4 * std::abs(second) + 1e-5);
    } else {
        EXPECT_GE(curved(matrix, way), second - 1e-5);
        EXPECT_LE(curved(matrix, way), 2 * second);
    }
    const double reached = hull->advance(0.1, slopes);
    EXPECT_NEAR(reached, f.value(at(moved(0.1))), tolerance);
    expect_slopes(at(moved(0.1)), slopes);

    // The first point becomes that one; another leaves.
    weights = moved(0.1);
    Matrix<double> combined;
    hull->combine(weights, combined);
    const Iterate<double> x = at(weights);
    EXPECT_LE((from_matrix(combined) - from_matrix(x.matrix())).norm(), 1e-12);
    hull->set_first(x, true);
    points[0] = from_matrix(x.matrix());
    hull->remove(2);
    points.erase(points.begin() + 2);
    weights = some_weights(count - 1, 1, 7);
    slopes.resize(weights.size());
    EXPECT_NEAR(hull->evaluate(weights, slopes), f.value(at(weights)), tolerance);
    expect_slopes(at(weights), slopes);
}

TEST(Hull, IsTheObjectiveOverWeights) {
    for (const auto& [loss, outputs] : std::vector<std::pair<std::string, int>>{{"logistic", 1},
                                                                                {"squared", 1},
                                                                                {"huber", 1},
                                                                                {"multinomial", 2},
                                                                                {"multinomial", 4},
                                                                                {"multinomial", 17}})
        for (const auto storage : {Storage::dense, Storage::sparse})
            for (const bool weighted : {false, true})
                for (const bool intercept : {false, true}) {
                    SCOPED_TRACE(testing::Message() << loss << outputs << weighted << intercept);
                    const Bridge<double> bridge(sized_problem(loss, 300, 12, outputs), storage);
                    Targets targets = bridge.targets;
                    for (Index i = 0; i < 300 && weighted; ++i)
                        targets.weights.push_back(static_cast<double>(1 + i % 3));
                    const auto f =
                        linear_objective<double>(bridge.features, targets, bridge.loss, 2, intercept);
                    expect_hull_of(*f, loss != "huber" && (!intercept || outputs == 1), 1e-8);
                }
}

// Of functions about which nothing is known: second derivatives are those of a quadratic.
TEST(Hull, OfTheCallersFunction) {
    const reference::Matrix root = reference::gaussian(30, 20, 1);
    const reference::Matrix hessian = root.transpose() * root / 30;
    const auto f = custom_objective<double>({1, 20}, [&](auto x, auto gradient) {
        const Eigen::Map<const reference::Vector> at(x.data(), 20);
        const reference::Vector product = hessian * at;
        for (Index i = 0; i < 20; ++i)
            gradient[static_cast<std::size_t>(i)] = product(i) - static_cast<double>(i % 3);
        double linear = 0;
        for (Index i = 0; i < 20; ++i) linear += static_cast<double>(i % 3) * at(i);
        return at.dot(product) / 2 - linear;
    });
    expect_hull_of(*f, true, 1e-9);
}

// Against all supports, one by one.
TEST(SimplexModel, IsTheLeastOverAllSupports) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const Index n = 2 + static_cast<Index>(seed % 5);
        const Index rank = seed % 3 == 0 ? 1 : n + 1;  // some have many minima
        const reference::Matrix root = reference::gaussian(rank, n, 100 + seed);
        const reference::Matrix h = root.transpose() * root;
        const reference::Vector g = 2 * reference::gaussian(n, 1, 300 + seed).col(0);
        std::vector<double> w = some_weights(n, 1, 200 + seed);
        if (seed % 2 == 0) {
            w.assign(w.size(), 0);
            w[0] = 1;
        }
        const reference::Vector from = Eigen::Map<const reference::Vector>(w.data(), n);
        const auto value = [&](const reference::Vector& u) {
            return g.dot(u - from) + (u - from).dot(h * (u - from)) / 2;
        };
        double least = HUGE_VAL;
        for (unsigned support = 1; support < (1U << n); ++support) {
            std::vector<Index> in;
            for (Index k = 0; k < n; ++k)
                if ((support >> k) & 1U) in.push_back(k);
            const auto m = std::ssize(in);
            reference::Matrix system = reference::Matrix::Zero(m + 1, m + 1);
            reference::Vector right = reference::Vector::Zero(m + 1);
            const reference::Vector linear = g - h * from;
            for (Index a = 0; a < m; ++a) {
                for (Index b = 0; b < m; ++b)
                    system(a, b) = h(in[static_cast<std::size_t>(a)], in[static_cast<std::size_t>(b)]);
                system(a, m) = system(m, a) = 1;
                right(a) = -linear(in[static_cast<std::size_t>(a)]);
            }
            right(m) = 1;
            const reference::Vector solved = system.completeOrthogonalDecomposition().solve(right);
            reference::Vector u = reference::Vector::Zero(n);
            for (Index a = 0; a < m; ++a) u(in[static_cast<std::size_t>(a)]) = solved(a);
            if (u.minCoeff() < -1e-9 || std::abs(u.sum() - 1) > 1e-9) continue;
            least = std::min(least, value(u));
        }
        const std::vector<double> found = least_on_simplex(to_matrix<double>(h), {g.begin(), g.end()}, w);
        const reference::Vector u = Eigen::Map<const reference::Vector>(found.data(), n);
        EXPECT_GE(u.minCoeff(), 0);
        EXPECT_NEAR(u.sum(), 1, 1e-12);
        EXPECT_LE(value(u), least + 1e-6) << seed;
    }
}

// The caller's oracle of the l_1 ball, of the box, or of the l_2 ball; with λ‖x‖₁ where that can be.
template <class Real>
std::unique_ptr<Region<Real>> oracle_only(const std::string& name, double radius, double l1 = 0) {
    const auto ball =
        std::shared_ptr<Region<Real>>(make_region<Real>(alfcg::ball(name, 2, radius, {.l1 = l1})));
    CustomRegion<Real> custom;
    custom.name = name;
    custom.diameter = 1;
    custom.oracle = [ball](auto gradient, auto vertex) {
        Matrix<Real> g(1, std::ssize(gradient));
        std::copy(gradient.begin(), gradient.end(), g.data());
        Vertex<Real> answer;
        ball->minimize(g, 0, true, answer);
        const Matrix<Real> written = answer.to_matrix();
        std::copy(written.span().begin(), written.span().end(), vertex.begin());
    };
    custom.composite = [l1](auto x) {
        double sum = 0;
        for (const Real entry : x) sum += std::abs(static_cast<double>(entry));
        return l1 * sum;
    };
    custom.violation = [](auto) { return 0.0; };
    return custom_region<Real>(custom);
}

TEST(CorrectiveHull, ReachesTheOptimumOfThoseWhoKnowTheRegion) {
    for (const auto& [loss, outputs] : std::vector<std::pair<std::string, int>>{
             {"logistic", 1}, {"squared", 1}, {"huber", 1}, {"multinomial", 3}})
        for (const auto storage : {Storage::dense, Storage::sparse})
            for (const std::string name : {"l1", "linf", "l2"})
                for (const double l1 : {0.0, 0.01}) {
                    SCOPED_TRACE(testing::Message() << loss << outputs << name << l1);
                    auto problem = sized_problem(loss, 200, 15, outputs);
                    problem.region = name;
                    problem.radius = name == "linf" ? 0.1 : 0.5;
                    problem.l1 = l1;
                    Bridge<double> known(problem, storage);
                    const auto best = solve<double>(*known.objective, *known.region, hull_options(1e-9));
                    ASSERT_EQ(best.status, Status::converged);
                    Bridge<double> bridge(problem, storage);
                    bridge.region = oracle_only<double>(name, problem.radius, l1);
                    Solution<double> result;
                    const auto rows = run_rows(bridge, hull_options(1e-8), &result);
                    EXPECT_EQ(result.status, Status::converged)
                        << to_text(result.status) << " at " << result.metrics.gap << " after " << rows.size();
                    expect_descent(rows);
                    EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 2e-8);
                    EXPECT_LE(known.region->violation(result.x), 1e-9);
                    EXPECT_NEAR(result.metrics.gap, reference::exact_gap(problem, from_matrix(result.x)),
                                1e-9);
                }
}

TEST(CorrectiveHull, NonconvexLossesGoDownToAStationaryPoint) {
    for (const std::string loss : {"sigmoid", "welsch"}) {
        SCOPED_TRACE(loss);
        Bridge<double> bridge(sized_problem(loss, 200, 20, 1));
        bridge.region = oracle_only<double>("l1", 2);
        Solution<double> result;
        const auto rows = run_rows(bridge, hull_options(1e-7), &result);
        expect_descent(rows);
        EXPECT_EQ(result.status, Status::converged) << result.metrics.gap;
    }
}

TEST(CorrectiveHull, SinglePrecisionEndsWhereRoundingDoes) {
    const auto problem = sized_problem("logistic", 400, 40, 1);
    Bridge<double> exact(problem);
    exact.region = oracle_only<double>("l1", 2);
    const auto best = solve<double>(*exact.objective, *exact.region, hull_options(1e-10));
    EXPECT_EQ(best.status, Status::converged);
    Bridge<float> single(problem);
    single.region = oracle_only<float>("l1", 2);
    Solution<float> result;
    const auto rows = run_rows(single, hull_options(1e-14), &result);
    EXPECT_TRUE(result.status == Status::precision || result.status == Status::converged);
    EXPECT_LE(result.iterations, 200);
    expect_descent(rows);
    EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 1e-6);
}

TEST(CorrectiveHull, InterceptWeightsAndWarmStarts) {
    for (const std::string loss : {"logistic", "squared", "multinomial"}) {
        SCOPED_TRACE(loss);
        auto problem = sized_problem(loss, 150, 20, 3);
        problem.X.array() += 3;  // features whose mean an intercept takes up
        const Bridge<double> bridge(problem);
        Targets targets = bridge.targets;
        for (Index i = 0; i < 150; ++i) targets.weights.push_back(static_cast<double>(i % 3));
        const auto objective = linear_objective<double>(bridge.features, targets, bridge.loss, 1, true);
        const auto known = lp_ball<double>(1, 1);
        const auto best = solve<double>(*objective, *known, hull_options(1e-9));
        const auto region = oracle_only<double>("l1", 1);
        const auto result = solve<double>(*objective, *region, hull_options(1e-8));
        EXPECT_EQ(result.status, Status::converged) << to_text(result.status) << " at " << result.metrics.gap;
        EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 2e-8);
        const auto again = solve<double>(*objective, *region, hull_options(1e-8), {}, &result.x);
        EXPECT_EQ(again.iterations, 0);
    }
}

// With room for very few points, the way is longer and ends at the same place.
TEST(CorrectiveHull, LittleMemory) {
    auto problem = sized_problem("logistic", 300, 15, 1);
    Bridge<double> bridge(problem);
    bridge.region = oracle_only<double>("l2", 1);
    const auto best = solve<double>(*bridge.objective, *bridge.region, hull_options(1e-8));
    const Index point = bridge.objective->hull()->point_bytes();
    Options tight = hull_options(1e-6, 20000);
    tight.memory = 4 * point;
    const auto result = solve<double>(*bridge.objective, *bridge.region, tight);
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 2e-6);
    EXPECT_GT(result.iterations, best.iterations);
}

// ½‖x − c‖² over the caller's own simplex.
TEST(CorrectiveHull, FunctionsAndRegionsOfTheCallersOwn) {
    const auto f = custom_objective<double>({1, 30}, [](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = x[i] - static_cast<double>(i) / 100;
            value += gradient[i] * gradient[i] / 2;
        }
        return value;
    });
    CustomRegion<double> simplex;
    simplex.oracle = [](auto gradient, auto vertex) {
        vertex[static_cast<std::size_t>(std::min_element(gradient.begin(), gradient.end()) -
                                        gradient.begin())] = 1;
    };
    simplex.diameter = std::sqrt(2.0);
    const auto region = custom_region<double>(simplex);
    const auto result = solve<double>(*f, *region, hull_options(1e-12));
    EXPECT_EQ(result.status, Status::converged) << result.metrics.gap;
    // x_i = max(c_i − θ, 0), by bisection for θ.
    double low = -1;
    double high = 1;
    for (int k = 0; k < 100; ++k) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (int i = 0; i < 30; ++i) sum += std::max(i / 100.0 - middle, 0.0);
        (sum > 1 ? low : high) = middle;
    }
    for (Index i = 0; i < 30; ++i)
        EXPECT_NEAR(result.x(0, i), std::max(static_cast<double>(i) / 100 - low, 0.0), 1e-5);
}

// The default: alfcg-c, but over l_p balls with p > 1, and over hulls, only where data have many numbers for each feature.
TEST(ChooseMethod, ByRegionAndData) {
    const Bridge<double> tall(sized_problem("logistic", 5000, 3, 1), Storage::sparse);
    const Bridge<double> wide(sized_problem("logistic", 300, 3, 1), Storage::sparse);
    const auto chosen = [](const Bridge<double>& bridge, const Region<double>& region,
                           const Options& options) {
        return choose_method(*bridge.objective, region, options).name;
    };
    for (const double p : {2.0, 3.0}) {
        EXPECT_EQ(chosen(tall, *lp_ball<double>(p, 1), {}), "alfcg-c");
        EXPECT_EQ(chosen(wide, *lp_ball<double>(p, 1), {}), "alfcg-d");
    }
    EXPECT_EQ(chosen(wide, *lp_ball<double>(1, 1), {}), "alfcg-c");
    EXPECT_EQ(chosen(wide, *nuclear_ball<double>(1), {}), "alfcg-c");
    EXPECT_EQ(chosen(tall, *oracle_only<double>("l2", 1), {}), "alfcg-c");
    EXPECT_EQ(chosen(wide, *oracle_only<double>("l2", 1), {}), "alfcg-d");
    const Bridge<double> classes(sized_problem("multinomial", 5000, 3, 3), Storage::sparse);
    EXPECT_EQ(chosen(classes, *oracle_only<double>("l2", 1), {}), "alfcg-d");
    EXPECT_EQ(chosen(classes, *lp_ball<double>(2, 1), {}), "alfcg-c");
    EXPECT_EQ(chosen(classes, *group_l12_ball<double>({}, 1), {}), "alfcg-c");
    Options options;
    options.parameters.set("rho", 1.0);
    EXPECT_EQ(chosen(tall, *lp_ball<double>(2, 1), options), "alfcg-d");
    options.method = "fw-away";
    EXPECT_EQ(chosen(tall, *lp_ball<double>(2, 1), options), "fw-away");
}

}  // namespace
}  // namespace alfcg

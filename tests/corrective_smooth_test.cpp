// alfcg-c over regions with a proximal map: second moments are those of the data, B meets what steps have met, runs reach the optimum
// and never rise.
#include <gtest/gtest.h>

#include <algorithm>

#include "bridge.hpp"
#include "corrective/exact_curvature.hpp"
#include "corrective/quasi_newton.hpp"
#include "descent.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "reference/solve.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

Options smooth(double gap, Index iterations = 400) {
    Options options;
    options.method = "alfcg-c";
    options.gap = gap;
    options.max_iterations = iterations;
    return options;
}

reference::Matrix written_out(const SecondMoments<double>& moments) {
    const reference::Matrix v = from_matrix(moments.vectors);
    const Eigen::Map<const reference::Vector> values(moments.values.data(), std::ssize(moments.values));
    return v.transpose() * (values.array() - moments.rest).matrix().asDiagonal() * v +
           moments.rest * reference::Matrix::Identity(v.cols(), v.cols());
}

TEST(SecondMoments, AreThoseOfTheRows) {
    for (const bool intercept : {false, true})
        for (const bool weighted : {false, true})
            for (const auto storage : {Storage::dense, Storage::sparse}) {
                SCOPED_TRACE(testing::Message() << intercept << weighted);
                auto problem = sized_problem("multinomial", 300, 40, 3);
                problem.X.array() += 0.5;
                const Bridge<double> bridge(problem, storage);
                Targets targets = bridge.targets;
                reference::Vector weights = reference::Vector::Ones(300);
                for (Index i = 0; i < 300 && weighted; ++i)
                    targets.weights.push_back(weights(i) = static_cast<double>(i % 4));
                const auto objective =
                    linear_objective<double>(bridge.features, targets, bridge.loss, 2, intercept);
                weights /= weights.sum();
                reference::Matrix expected = problem.X.transpose() * weights.asDiagonal() * problem.X;
                const reference::Vector mean = problem.X.transpose() * weights;
                if (intercept) expected -= mean * mean.transpose();
                const auto moments = objective->second_moments();
                ASSERT_TRUE(moments);
                // What is small is given the least value that counts, a hundredth of the mean.
                const double floor = expected.trace() / 40 / 100;
                EXPECT_NEAR(moments->rest, floor, 1e-9 * floor);
                EXPECT_LE((written_out(*moments) - expected).operatorNorm(), floor * (1 + 1e-6));
            }
}

TEST(SecondMoments, LeadingOnesOfManyFeatures) {
    // Two hundred features, most of whose variance lies along five directions.
    auto problem = sized_problem("squared", 900, 200, 1);
    const reference::Matrix strong = reference::gaussian(900, 5, 8) * reference::gaussian(5, 200, 9) * 3;
    problem.X += strong;
    const Bridge<double> bridge(problem);
    const auto moments = bridge.objective->second_moments();
    ASSERT_TRUE(moments);
    const reference::Matrix expected = problem.X.transpose() * problem.X / 900;
    const Eigen::SelfAdjointEigenSolver<reference::Matrix> pairs(expected);
    const auto count = std::ssize(moments->values);
    EXPECT_LT(count, 200);
    for (Index k = 0; k < 5; ++k)
        EXPECT_NEAR(moments->values[static_cast<std::size_t>(count - 1 - k)], pairs.eigenvalues()(199 - k),
                    1e-6 * pairs.eigenvalues()(199));  // after two rounds
    const reference::Matrix v = from_matrix(moments->vectors);
    EXPECT_LE((v * v.transpose() - reference::Matrix::Identity(count, count)).norm(), 1e-10);
    // Here the rest is below what counts, a hundredth of the mean.
    EXPECT_NEAR(moments->rest, expected.trace() / 200 / 100, 1e-9 * expected.trace());
}

TEST(SecondMoments, TakeNoMoreThanTheMemoryThatTheyMay) {
    const Bridge<double> bridge(sized_problem("squared", 900, 200, 1));
    constexpr Index direction = Index{6} * 8 * 200;  // bytes
    const auto found = [&](Index memory) {
        return linear_objective<double>(bridge.features, bridge.targets, bridge.loss, 1, false, memory)
            ->second_moments();
    };
    EXPECT_EQ(found(20 * direction)->values.size(), 20U);
    EXPECT_FALSE(found(7 * direction));  // too few to be of use
}

TEST(SecondMoments, OfGeneralFunctionsThereAreNone) {
    const auto f = custom_objective<double>({1, 3}, [](auto, auto) { return 0.0; });
    EXPECT_FALSE(f->second_moments());
}

// Of f with the best intercept, where there is one: what gradients at two near points differ by.
TEST(ExactCurvature, TellsHowTheGradientChanges) {
    for (const bool intercept : {false, true})
        for (const auto storage : {Storage::dense, Storage::sparse}) {
            SCOPED_TRACE(testing::Message() << intercept);
            auto problem = sized_problem("logistic", 400, 20, 1);
            problem.X.array() += 0.5;
            const Bridge<double> bridge(problem, storage);
            const auto objective =
                linear_objective<double>(bridge.features, bridge.targets, bridge.loss, 2, intercept);
            const reference::Matrix at = 0.3 * reference::gaussian(1, 20, 4);
            const reference::Matrix way = reference::gaussian(1, 20, 5);
            const auto gradient = [&](double step) {
                Matrix<double> g;
                objective->evaluate(Iterate<double>(to_matrix<double>(at + step * way)), g);
                return from_matrix(g);
            };
            const reference::Matrix expected = (gradient(1e-4) - gradient(-1e-4)) / 2e-4;
            const auto exact = ExactCurvature<double>::of(*objective, Index{1} << 30);
            ASSERT_TRUE(exact);
            const Iterate<double> x(to_matrix<double>(at));
            Matrix<double> g;
            objective->evaluate(x, g);
            while (exact->take_more()) ASSERT_TRUE(exact->look(x));
            Matrix<double> product;
            exact->times(to_matrix<double>(way), product);
            EXPECT_LE((from_matrix(product) - expected).norm(), 1e-6 * expected.norm());
            // The largest eigenvalue is not below what B makes of any way.
            EXPECT_GE(exact->largest() * way.squaredNorm(), (way.array() * expected.array()).sum());
        }
}

TEST(ExactCurvature, IsOfOneOutputAndFewFeaturesInMemory) {
    const Bridge<double> several(sized_problem("multinomial", 300, 20, 3));
    EXPECT_FALSE(ExactCurvature<double>::of(*several.objective, Index{1} << 30));
    const Bridge<double> wide(sized_problem("squared", 900, 600, 1));
    EXPECT_FALSE(ExactCurvature<double>::of(*wide.objective, Index{1} << 30));
    const Bridge<double> one(sized_problem("squared", 300, 20, 1));
    EXPECT_TRUE(ExactCurvature<double>::of(*one.objective, Index{1} << 30));
    EXPECT_FALSE(ExactCurvature<double>::of(*one.objective, 1000));
}

// B s = y for the last step, and <s, B s> > 0 for all: the secant equation.
TEST(QuasiNewton, MeetsWhatTheLastStepMet) {
    const Shape shape{2, 15};
    const reference::Matrix root = reference::gaussian(40, 30, 1);
    const reference::Matrix hessian = root.transpose() * root / 40;
    auto problem = sized_problem("squared", 100, 15, 1);
    Bridge<double> bridge(problem);
    for (const bool with_moments : {false, true}) {
        QuasiNewton<double> b(with_moments ? bridge.objective->second_moments() : std::nullopt, 2);
        EXPECT_FALSE(b.ready());
        for (unsigned step = 0; step < 25; ++step) {
            const reference::Vector s = reference::gaussian(30, 1, 100 + step).col(0);
            const reference::Vector y = hessian * s;
            Matrix<double> s_matrix(shape);
            Matrix<double> y_matrix(shape);
            std::copy(s.begin(), s.end(), s_matrix.data());
            std::copy(y.begin(), y.end(), y_matrix.data());
            b.add(s_matrix, y_matrix);
            ASSERT_TRUE(b.ready());
            Matrix<double> product;
            b.times(s_matrix, product);
            const Eigen::Map<const reference::Vector> found(product.data(), 30);
            EXPECT_LE((found - y).norm(), 1e-8 * y.norm());
            // All of B: positive definite, and its largest eigenvalue is what it says.
            reference::Matrix whole(30, 30);
            for (Index i = 0; i < 30; ++i) {
                Matrix<double> unit(shape);
                unit.data()[i] = 1;
                b.times(unit, product);
                whole.col(i) = Eigen::Map<const reference::Vector>(product.data(), 30);
            }
            EXPECT_LE((whole - whole.transpose()).norm(), 1e-9 * whole.norm());
            const Eigen::SelfAdjointEigenSolver<reference::Matrix> pairs(whole);
            EXPECT_GT(pairs.eigenvalues()(0), 0);
            EXPECT_GE(b.largest(), 0.8 * pairs.eigenvalues()(29));
            EXPECT_LE(b.largest(), 1.2 * pairs.eigenvalues()(29));
            // A step that met no curvature changes nothing.
            for (double& entry : y_matrix.span()) entry = -entry;
            b.add(s_matrix, y_matrix);
            b.times(s_matrix, product);
            EXPECT_LE((found - y).norm(), 1e-8 * y.norm());
        }
    }
}

TEST(CorrectiveSmooth, ReachesTheOptimumAndProvesIt) {
    for (const auto& [loss, outputs] : std::vector<std::pair<std::string, int>>{
             {"logistic", 1}, {"squared", 1}, {"huber", 1}, {"multinomial", 2}, {"multinomial", 4}})
        for (const auto storage : {Storage::dense, Storage::sparse})
            for (const double p : {2.0, 3.0, 1.5, std::numeric_limits<double>::infinity()})
                for (const double radius : {0.3, 3.0})
                    for (const Composite composite :
                         {Composite{}, Composite{0.01, 0, 0}, Composite{0.005, 0.1, 0}}) {
                        SCOPED_TRACE(testing::Message()
                                     << loss << outputs << " p " << p << " radius " << radius << " l1 "
                                     << composite.l1 << " l2 " << composite.l2);
                        auto problem = sized_problem(loss, 150, 30, outputs);
                        problem.region = "lp";
                        problem.p = p;
                        problem.radius = radius;
                        problem.l1 = composite.l1;
                        problem.l2 = composite.l2;
                        Bridge<double> bridge(problem, storage);
                        Solution<double> result;
                        const auto rows = run_rows(bridge, smooth(1e-8), &result);
                        EXPECT_EQ(result.status, Status::converged)
                            << to_text(result.status) << " at " << result.metrics.gap << " after "
                            << rows.size();
                        EXPECT_LE(rows.size(), 200u);
                        expect_descent(rows);
                        // The certificate, by hand: no point of the ball is lower by more than the gap.
                        const reference::Matrix x = from_matrix(result.x);
                        EXPECT_LE(bridge.region->violation(result.x), 1e-9);
                        EXPECT_NEAR(result.metrics.gap, reference::exact_gap(problem, x), 1e-9);
                        if (p != 2 || !composite.zero()) continue;
                        const reference::Matrix g = reference::full_gradient(problem, x);
                        EXPECT_LE(reference::inner(g, x) + radius * g.norm(), 2e-8);
                    }
}

// The constraint does not bind, and data are badly conditioned.
TEST(CorrectiveSmooth, LargeRadius) {
    auto problem = sized_problem("squared", 400, 20, 1);
    for (Index j = 0; j < 20; ++j) problem.X.col(j) *= std::pow(10, -static_cast<double>(j) / 10);
    problem.region = "l2";
    problem.radius = 1e3;
    Bridge<double> bridge(problem);
    const auto result = solve<double>(*bridge.objective, *bridge.region, smooth(1e-8));
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_LE(result.iterations, 100);
    const Eigen::Map<const reference::Vector> targets(problem.targets.data(), 400);
    const reference::Vector best = problem.X.colPivHouseholderQr().solve(targets);
    const double least = 0.5 * (problem.X * best - targets).squaredNorm() / 400;
    EXPECT_NEAR(result.metrics.objective, least, 1e-8);
}

TEST(CorrectiveSmooth, NonconvexLossesGoDownToAStationaryPoint) {
    for (const std::string loss : {"sigmoid", "welsch"})
        for (const double p : {2.0, 3.0})
            for (const double radius : {0.5, 5.0}) {
                SCOPED_TRACE(testing::Message() << loss << " p " << p << " radius " << radius);
                auto problem = sized_problem(loss, 200, 30, 1);
                problem.region = "lp";
                problem.p = p;
                problem.radius = radius;
                Bridge<double> bridge(problem);
                Solution<double> result;
                const auto rows = run_rows(bridge, smooth(1e-7), &result);
                expect_descent(rows);
                EXPECT_EQ(result.status, Status::converged) << result.metrics.gap;
            }
}

TEST(CorrectiveSmooth, SinglePrecisionEndsWhereRoundingDoes) {
    for (const double p : {2.0, 3.0}) {
        auto problem = sized_problem("logistic", 400, 60, 1);
        problem.region = "lp";
        problem.p = p;
        problem.radius = 1;
        Bridge<double> exact(problem);
        Bridge<float> single(problem);
        const auto best = solve<double>(*exact.objective, *exact.region, smooth(1e-10));
        EXPECT_EQ(best.status, Status::converged);
        Solution<float> result;
        const auto rows = run_rows(single, smooth(1e-14), &result);
        // Rounding may also bring the gap down to zero.
        EXPECT_TRUE(result.status == Status::precision || result.status == Status::converged);
        EXPECT_LE(result.iterations, 100);
        expect_descent(rows);
        EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 1e-6);
        EXPECT_LE(result.metrics.gap, 1e-4);
    }
}

TEST(CorrectiveSmooth, InterceptAndWeights) {
    for (const std::string loss : {"logistic", "squared", "multinomial"}) {
        SCOPED_TRACE(loss);
        auto problem = sized_problem(loss, 150, 40, 3);
        for (double& target : problem.targets)
            if (loss == "squared") target += 7;
        const Bridge<double> bridge(problem);
        Targets targets = bridge.targets;
        for (Index i = 0; i < 150; ++i) targets.weights.push_back(static_cast<double>(i % 3));
        const auto objective = linear_objective<double>(bridge.features, targets, bridge.loss, 1, true);
        const auto region = lp_ball<double>(2, 1);
        const auto result = solve<double>(*objective, *region, smooth(1e-9));
        EXPECT_EQ(result.status, Status::converged)
            << to_text(result.status) << " at " << result.metrics.gap << " after " << result.iterations;
        // The same with a method that knows nothing of models, as far as it gets.
        Options slow;
        slow.method = "fw-armijo";
        slow.max_iterations = 3000;
        const auto other = solve<double>(*objective, *region, slow);
        EXPECT_LE(result.metrics.objective, other.metrics.objective + 1e-9);
        EXPECT_GE(result.metrics.objective, other.metrics.objective - other.metrics.gap);
    }
}

TEST(CorrectiveSmooth, WarmStartsNeedLess) {
    auto problem = sized_problem("logistic", 300, 80, 1);
    problem.region = "l2";
    problem.radius = 1;
    Bridge<double> bridge(problem);
    const auto first = solve<double>(*bridge.objective, *bridge.region, smooth(1e-8));
    const auto again = solve<double>(*bridge.objective, *bridge.region, smooth(1e-8), {}, &first.x);
    EXPECT_EQ(again.iterations, 0);
}

// ½‖x − c‖² over the caller's own box [0, 1]ⁿ: the answer is c cut off.
TEST(CorrectiveSmooth, FunctionsAndRegionsOfTheCallersOwn) {
    const auto f = custom_objective<double>({1, 50}, [](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double a = 1 + static_cast<double>(i % 7);
            const double away = x[i] - (static_cast<double>(i) / 25 - 0.5);
            gradient[i] = a * away;
            value += a * away * away / 2;
        }
        return value;
    });
    CustomRegion<double> box;
    box.oracle = [](auto gradient, auto vertex) {
        for (std::size_t i = 0; i < vertex.size(); ++i) vertex[i] = gradient[i] < 0 ? 1 : 0;
    };
    box.diameter = std::sqrt(50.0);
    const auto without = custom_region<double>(box);
    const auto by_oracle = solve<double>(*f, *without, smooth(1e-6));
    EXPECT_EQ(by_oracle.status, Status::converged) << by_oracle.metrics.gap;
    box.proximal = [](auto point, double, auto nearest) {
        for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i] = std::clamp(point[i], 0.0, 1.0);
    };
    const auto region = custom_region<double>(box);
    const auto result = solve<double>(*f, *region, smooth(1e-10));
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(by_oracle.metrics.objective, result.metrics.objective, 1e-6);
    for (Index i = 0; i < 50; ++i)
        EXPECT_NEAR(result.x(0, i), std::clamp(static_cast<double>(i) / 25 - 0.5, 0.0, 1.0), 1e-5);
}

}  // namespace
}  // namespace alfcg

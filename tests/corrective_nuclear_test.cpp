// alfcg-c over the nuclear ball: runs reach the optimum, prove it, and never rise.
#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "alfcg/region/spectrum.hpp"
#include "bridge.hpp"
#include "corrective/nuclear_directions.hpp"
#include "corrective/nuclear_face.hpp"
#include "corrective/turns.hpp"
#include "descent.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

using reference::inner;

reference::Vector values_of(const reference::Matrix& w) {
    return Eigen::JacobiSVD<reference::Matrix>(w).singularValues();
}

double norm_of(const reference::Matrix& w) {
    return values_of(w).sum();
}

// Singular values less a common amount, found by bisection, so that they sum up to the radius.
reference::Matrix projection(const reference::Matrix& w, double threshold, double radius) {
    const Eigen::JacobiSVD<reference::Matrix> svd(w, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const auto less = [&](double amount) {
        return reference::Vector((svd.singularValues().array() - amount).max(0));
    };
    double low = threshold;
    double high = threshold + svd.singularValues()(0);
    if (less(threshold).sum() <= radius) high = low;
    for (int turn = 0; turn < 200; ++turn) {
        const double middle = (low + high) / 2;
        (less(middle).sum() > radius ? low : high) = middle;
    }
    return svd.matrixU() * less(high).asDiagonal() * svd.matrixV().transpose();
}

TEST(NuclearPoint, ShrinksToTheNearestPoint) {
    for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{1, 4}, {3, 3}, {5, 40}, {12, 13}})
        for (const double threshold : {0.0, 0.7})
            for (const double radius : {0.5, 4.0, 1e3}) {
                const reference::Matrix w = reference::gaussian(rows, cols, 7);
                faces::Dense point = w;
                const auto spectrum = faces::shrink(threshold, radius, rows, point);
                EXPECT_LE((point - projection(w, threshold, radius)).norm(), 1e-9 * w.norm());
                EXPECT_NEAR(spectrum.sum(), norm_of(point), 1e-9 * w.norm());
                // left · diag(values) · right is the point.
                const reference::Matrix right =
                    spectrum.values.cwiseInverse().asDiagonal() * spectrum.left.transpose() * point;
                EXPECT_LE((spectrum.left * spectrum.values.asDiagonal() * right - point).norm(),
                          1e-9 * w.norm());
                EXPECT_LE((right * right.transpose() -
                           reference::Matrix::Identity(spectrum.rank(), spectrum.rank()))
                              .norm(),
                          1e-6);
            }
    faces::Dense zero = faces::Dense::Zero(3, 5);
    EXPECT_EQ(faces::shrink(0, 1, 3, zero).rank(), 0);
    EXPECT_EQ(zero.norm(), 0);
}

// The nuclear norm along w + t d, cut to the rank of w, has <d, K d> for its second derivative, and the slope that it is said to have.
TEST(NuclearFace, KnowsHowTheNormBends) {
    for (const int rank : {1, 3, 4}) {
        faces::Dense w = reference::gaussian(4, rank, 3) * reference::gaussian(rank, 9, 4);
        const auto spectrum = faces::shrink(0, 1e9, 4, w);
        ASSERT_EQ(spectrum.rank(), rank);
        for (const bool bound : {false, true}) {
            const faces::Face face(spectrum, w, 0.7, bound);
            faces::Dense d = reference::gaussian(4, 9, 5);
            face.project(d);
            faces::Dense again = d;
            face.project(again);
            EXPECT_LE((again - d).norm(), 1e-12 * d.norm());
            faces::Dense product = faces::Dense::Zero(4, 9);
            face.add_curvature(d, product);
            const auto along = [&](double t) {
                const reference::Vector values = values_of(w + t * d);
                return values.head(rank).sum();
            };
            constexpr double step = 1e-4;
            const double slope = (along(step) - along(-step)) / (2 * step);
            const double bend = (along(step) - 2 * along(0) + along(-step)) / (step * step);
            EXPECT_NEAR(slope, inner(face.slope(), d), 1e-6);
            EXPECT_NEAR(bound ? slope : 0, 0, 1e-6);
            EXPECT_NEAR(0.7 * bend, inner(d, product), 1e-4 * (1 + std::abs(bend)));
        }
    }
}

TEST(NuclearFace, PreconditionersArePositiveAndSymmetric) {
    faces::Dense w = reference::gaussian(4, 3, 3) * reference::gaussian(3, 9, 4);
    const auto spectrum = faces::shrink(0, 1e9, 4, w);
    const auto problem = sized_problem("multinomial", 50, 9, 4);
    const Bridge<double> bridge(problem);
    const auto part = bridge.objective->sample(Iterate<double>(Shape{4, 9}), 50, 0);
    Matrix<double> gradient;
    part->evaluate(Matrix<double>(4, 9), gradient);
    faces::Sketch sketch;
    sketch.refresh(*part);
    for (const int kind : {0, 1, 2})
        for (const double multiplier : {0.0, 0.7}) {
            faces::Face face(spectrum, w, multiplier, multiplier > 0);
            if (kind == 0) face.expect(2);
            if (kind == 1) face.expect(sketch, 1.5, false);
            faces::Dense a = reference::gaussian(4, 9, 5);
            faces::Dense b = reference::gaussian(4, 9, 6);
            face.project(a);
            face.project(b);
            if (kind == 2) face.expect(3);
            faces::Dense pa = a;
            faces::Dense pb = b;
            face.precondition(pa);
            face.precondition(pb);
            EXPECT_GT(inner(a, pa), 0);
            EXPECT_NEAR(inner(b, pa), inner(a, pb), 1e-10);
        }
}

// All directions of few features are known exactly.
TEST(NuclearSketch, IsTheMeanOfTheSecondDerivatives) {
    const auto problem = sized_problem("multinomial", 50, 9, 4);
    const Bridge<double> bridge(problem);
    const auto part = bridge.objective->sample(Iterate<double>(Shape{4, 9}), 50, 0);
    Matrix<double> gradient;
    part->evaluate(Matrix<double>(4, 9), gradient);
    faces::Sketch sketch;
    sketch.refresh(*part);
    // At zero all shares are a quarter.
    const reference::Matrix mean = problem.X.transpose() * problem.X / 50 * 0.25 * 0.75;
    const reference::Matrix found =
        sketch.directions().transpose() * sketch.values().asDiagonal() * sketch.directions();
    EXPECT_LE((found - mean).norm(), 1e-10 * mean.norm());
    EXPECT_NEAR(sketch.flat(), 0.25 * 0.75, 1e-12);
}

template <class Real>
void expect_directions(Shape shape, Index rank) {
    const double tolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-10;
    const reference::Matrix x =
        reference::gaussian(shape.rows, rank, 1) * reference::gaussian(rank, shape.cols, 2);
    faces::Directions<Real> directions;
    directions.begin(to_matrix<Real>(x));
    const auto check = [&](const reference::Matrix& made, double left) {
        const reference::Matrix rows = from_matrix(directions.rows());
        const auto count = directions.count();
        EXPECT_LE((rows * rows.transpose() - reference::Matrix::Identity(count, count)).norm(),
                  tolerance * static_cast<double>(count));
        Matrix<Real> again;
        directions.combine(directions.coefficients(to_matrix<Real>(made)), again);
        EXPECT_LE((from_matrix(again) - made).norm(), left * made.norm());
    };
    check(x, 10 * tolerance);
    EXPECT_GE(directions.count(), rank);
    // A gradient with a gap in its spectrum: its leading directions are found.
    const reference::Matrix steep =
        reference::gaussian(shape.rows, 3, 3) * reference::gaussian(3, shape.cols, 4);
    const reference::Matrix noise = 1e-4 * reference::gaussian(shape.rows, shape.cols, 5);
    directions.add_steepest(to_matrix<Real>(steep + noise), 6);
    const reference::Matrix rows = from_matrix(directions.rows());
    EXPECT_LE((steep - steep * rows.transpose() * rows).norm(), 1e-2 * steep.norm());
    check(x, 10 * tolerance);
    const auto now = directions.coefficients(to_matrix<Real>(x));
    const auto before = directions.coefficients(to_matrix<Real>(reference::Matrix(0.5 * x + steep)));
    directions.keep(now, before, rank + 3);
    EXPECT_LE(directions.count(), rank + 3);
    check(x, 10 * tolerance);
    check(steep + 0.5 * x, 1e-2);
}

TEST(NuclearDirections, HoldWhatTheyAreToldTo) {
    expect_directions<double>({5, 40}, 2);
    expect_directions<float>({5, 400}, 5);
    expect_directions<double>({270, 300}, 20);
    expect_directions<float>({300, 270}, 3);
}

Options corrective(double gap, Index iterations = 100) {
    Options options;
    options.method = "alfcg-c";
    options.gap = gap;
    options.max_iterations = iterations;
    return options;
}

struct Case {
    std::string loss;
    int rows;
    int features;
    int outputs;
};

// Short sides either way, samples of the rows or all of them, and directions (many features, few entries).
const std::vector<Case> cases{{"multinomial", 150, 20, 4},  {"multinomial", 150, 7, 30},
                              {"multinomial", 3000, 12, 3}, {"multinomial", 90, 300, 4},
                              {"logistic", 150, 20, 1},     {"squared", 150, 20, 1},
                              {"huber", 90, 300, 1}};

TEST(CorrectiveNuclear, ReachesTheOptimumAndProvesIt) {
    for (const Case& size : cases)
        for (const auto storage : {Storage::dense, Storage::sparse})
            for (const double radius : {0.3, 4.0, 40.0})
                for (const Composite composite :
                     {Composite{}, Composite{0, 0, 0.01}, Composite{0, 0.1, 0.005}}) {
                    SCOPED_TRACE(testing::Message()
                                 << size.loss << " " << size.rows << " x " << size.features << " x "
                                 << size.outputs << " radius " << radius << " nuclear " << composite.nuclear
                                 << " l2 " << composite.l2);
                    auto problem = sized_problem(size.loss, size.rows, size.features, size.outputs);
                    problem.region = "nuclear";
                    problem.radius = radius;
                    problem.nuclear = composite.nuclear;
                    problem.l2 = composite.l2;
                    Bridge<double> bridge(problem, storage);
                    Solution<double> result;
                    const auto rows = run_rows(bridge, corrective(1e-8), &result);
                    EXPECT_EQ(result.status, Status::converged)
                        << to_text(result.status) << " at " << result.metrics.gap << " after " << rows.size();
                    EXPECT_LE(rows.size(), 80u);
                    expect_descent(rows, 5e-7);
                    // The certificate, by hand: no point of the ball is lower by more than the gap.
                    const reference::Matrix x = from_matrix(result.x);
                    const double norm = norm_of(x);
                    EXPECT_LE(norm, radius * (1 + 1e-9));
                    if (composite.l2 > 0) continue;  // its vertex is none of the ball's
                    const reference::Matrix g = reference::full_gradient(problem, x);
                    const double gap = inner(g, x) + composite.nuclear * norm +
                                       radius * std::max(values_of(g)(0) - composite.nuclear, 0.0);
                    EXPECT_LE(gap, 2e-8);
                }
}

// Projected steps of a fixed length, thousands of them, end at the same point.
TEST(CorrectiveNuclear, AgreesWithProjectedSteps) {
    for (const auto& [features, nuclear] :
         std::vector<std::pair<int, double>>{{12, 0.0}, {12, 0.02}, {300, 0.0}}) {
        auto problem = sized_problem("multinomial", 100, features, 4);
        problem.region = "nuclear";
        problem.radius = 2;
        problem.nuclear = nuclear;
        const double largest = values_of(problem.X)(0);
        const double curvature = 0.5 * largest * largest / 100;  // spec 6
        reference::Matrix x = reference::Matrix::Zero(4, features);
        for (int step = 0; step < 20000; ++step) {
            const reference::Matrix g = reference::full_gradient(problem, x);
            const reference::Matrix next = projection(x - g / curvature, nuclear / curvature, problem.radius);
            const double way = (next - x).norm();
            x = next;
            if (way < 1e-13) break;
        }
        Bridge<double> bridge(problem);
        const auto result = solve<double>(*bridge.objective, *bridge.region, corrective(1e-11));
        EXPECT_NEAR(result.metrics.objective, reference::full_value(problem, x) + nuclear * norm_of(x),
                    1e-10);
        const auto count = [](const reference::Vector& values) { return (values.array() > 1e-5).count(); };
        EXPECT_EQ(count(values_of(from_matrix(result.x))), count(values_of(x)));
        EXPECT_LE((from_matrix(result.x) - x).norm(), 1e-3 * x.norm());
    }
}

// ½‖x − c‖²: the nearest point of the ball to c.
void expect_projection(Shape shape, double radius) {
    const reference::Matrix centre = reference::gaussian(shape.rows, 3, 1) *
                                     reference::gaussian(3, shape.cols, 2) /
                                     std::sqrt(static_cast<double>(shape.rows));
    const auto c = to_matrix<double>(centre);
    const auto f = custom_objective<double>(shape, [&](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = x[i] - c.data()[i];
            value += gradient[i] * gradient[i] / 2;
        }
        return value;
    });
    const auto ball = nuclear_ball<double>(radius);
    const auto result = solve<double>(*f, *ball, corrective(1e-6));
    EXPECT_EQ(result.status, Status::converged) << result.metrics.gap;
    EXPECT_LE(result.iterations, 20);
    EXPECT_LE((from_matrix(result.x) - projection(centre, 0, radius)).norm(), 1e-3 * radius);
    EXPECT_LE(numerical_rank(result.x), 4);
}

TEST(CorrectiveNuclear, FunctionsOfTheCallersOwn) {
    expect_projection({4, 9}, 5);
    expect_projection({30, 6}, 5);
    expect_projection({4, 400}, 20);
}

TEST(CorrectiveNuclear, TwoLongSides) {
    expect_projection({280, 300}, 20);

    auto problem = sized_problem("multinomial", 300, 270, 260);
    problem.region = "nuclear";
    problem.radius = 8;
    Bridge<double> bridge(problem, Storage::sparse);
    Solution<double> result;
    const auto rows = run_rows(bridge, corrective(1e-5, 30), &result);
    EXPECT_EQ(result.status, Status::converged) << to_text(result.status) << " at " << result.metrics.gap;
    expect_descent(rows, 5e-7);
    EXPECT_LE(norm_of(from_matrix(result.x)), 8 * (1 + 1e-9));
    const reference::Matrix x = from_matrix(result.x);
    const reference::Matrix g = reference::full_gradient(problem, x);
    EXPECT_LE(inner(g, x) + 8 * values_of(g)(0), 2e-5);
    // From a point of full rank.
    const auto start =
        to_matrix<double>(projection(reference::gaussian(260, 270, 9), 0, 3) + 0.5 * from_matrix(result.x));
    const auto warm = solve<double>(*bridge.objective, *bridge.region, corrective(1e-4, 60), {}, &start);
    EXPECT_EQ(warm.status, Status::converged) << to_text(warm.status) << " at " << warm.metrics.gap;
    EXPECT_NEAR(warm.metrics.objective, result.metrics.objective, 1.1e-4);
}

TEST(CorrectiveNuclear, NonconvexLossesGoDownToAStationaryPoint) {
    for (const std::string loss : {"sigmoid", "welsch"})
        for (const double radius : {0.5, 5.0}) {
            SCOPED_TRACE(loss);
            auto problem = sized_problem(loss, 200, 30, 1);
            problem.region = "nuclear";
            problem.radius = radius;
            Bridge<double> bridge(problem);
            Solution<double> result;
            const auto rows = run_rows(bridge, corrective(1e-7, 300), &result);
            expect_descent(rows, 5e-7);
            EXPECT_EQ(result.status, Status::converged)
                << to_text(result.status) << " at " << result.metrics.gap;
        }
}

TEST(CorrectiveNuclear, SinglePrecisionEndsWhereRoundingDoes) {
    for (const int features : {25, 300}) {
        auto problem = sized_problem("multinomial", 400, features, 5);
        problem.region = "nuclear";
        problem.radius = 4;
        Bridge<double> exact(problem);
        Bridge<float> single(problem);
        const auto best = solve<double>(*exact.objective, *exact.region, corrective(1e-10));
        Solution<float> result;
        const auto rows = run_rows(single, corrective(1e-14), &result);
        EXPECT_EQ(result.status, Status::precision) << result.metrics.gap;
        EXPECT_LE(result.iterations, 50);
        expect_descent(rows, 5e-7);
        EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 1e-6);
        EXPECT_LE(result.metrics.gap, 1e-4);
    }
}

TEST(CorrectiveNuclear, InterceptAndWeights) {
    for (const std::string loss : {"logistic", "squared", "multinomial"})
        for (const int rows : {150, 2000})
            for (const int features : {40, 300}) {
                SCOPED_TRACE(loss + " " + std::to_string(rows) + " x " + std::to_string(features));
                auto problem = sized_problem(loss, rows, features, 3);
                for (double& target : problem.targets)
                    if (loss == "squared") target += 7;
                const Bridge<double> bridge(problem);
                Targets targets = bridge.targets;
                for (Index i = 0; i < rows; ++i) targets.weights.push_back(static_cast<double>(i % 3));
                const auto objective =
                    linear_objective<double>(bridge.features, targets, bridge.loss, 1, true);
                const auto region = nuclear_ball<double>(2);
                const auto result = solve<double>(*objective, *region, corrective(1e-8));
                EXPECT_EQ(result.status, Status::converged)
                    << to_text(result.status) << " at " << result.metrics.gap << " after "
                    << result.iterations;
                // The same with a method that knows nothing of parts, as far as it gets.
                Options slow;
                slow.method = "fw-armijo";
                slow.max_iterations = 300;
                const auto other = solve<double>(*objective, *region, slow);
                EXPECT_LE(result.metrics.objective, other.metrics.objective + 1e-8);
                EXPECT_GE(result.metrics.objective, other.metrics.objective - other.metrics.gap);
            }
}

TEST(CorrectiveNuclear, WarmStartsNeedLess) {
    for (const int features : {30, 300}) {
        auto problem = sized_problem("multinomial", 300, features, 4);
        problem.region = "nuclear";
        problem.radius = 5;
        Bridge<double> bridge(problem);
        const auto first = solve<double>(*bridge.objective, *bridge.region, corrective(1e-8));
        const auto again = solve<double>(*bridge.objective, *bridge.region, corrective(1e-8), {}, &first.x);
        EXPECT_EQ(again.iterations, 0);
        const auto wider = nuclear_ball<double>(5.2);
        const auto cold = solve<double>(*bridge.objective, *wider, corrective(1e-8));
        const auto warm = solve<double>(*bridge.objective, *wider, corrective(1e-8), {}, &first.x);
        EXPECT_NEAR(warm.metrics.objective, cold.metrics.objective, 2e-8);
        EXPECT_LT(warm.epochs, cold.epochs);
    }
}

// With an intercept, features may be counted from anywhere.
TEST(CorrectiveNuclear, TheInterceptTakesUpWhatFeaturesHaveInCommon) {
    for (const auto& [loss, rows] : std::vector<std::pair<std::string, int>>{
             {"multinomial", 150}, {"multinomial", 2500}, {"logistic", 150}}) {
        std::vector<Solution<double>> found;
        for (const double shift : {0.0, 7.0}) {
            auto problem = sized_problem(loss, rows, 6, 3);
            problem.X.array() += shift;
            const Bridge<double> bridge(problem);
            const auto objective =
                linear_objective<double>(bridge.features, bridge.targets, bridge.loss, 1, true);
            const auto region = nuclear_ball<double>(0.3);
            found.push_back(solve<double>(*objective, *region, corrective(1e-9, 300)));
            EXPECT_EQ(found.back().status, Status::converged) << loss << rows << " from " << shift;
        }
        EXPECT_NEAR(found[0].metrics.objective, found[1].metrics.objective, 1e-8);
        EXPECT_LE(found[1].epochs, 2 * found[0].epochs) << loss << rows;
    }
}

// Where f bends evenly, steps on all of f lead, and nothing is lost beside the method that takes only those.
TEST(CorrectiveNuclear, EvenProblemsCostNoMoreThanAcceleratedSteps) {
    for (const double radius : {2.0, 20.0}) {
        auto problem = sized_problem("multinomial", 3000, 80, 6);
        problem.region = "nuclear";
        problem.radius = radius;
        Bridge<double> bridge(problem);
        Solution<double> result;
        const auto rows = run_rows(bridge, corrective(1e-7, 300), &result);
        EXPECT_EQ(result.status, Status::converged) << result.metrics.gap;
        expect_descent(rows, 5e-7);
        Options plain = corrective(1e-7, 300);
        plain.method = "accelerated";
        const auto other = solve<double>(*bridge.objective, *bridge.region, plain);
        EXPECT_NEAR(result.metrics.objective, other.metrics.objective, 1e-7);
        EXPECT_LE(result.epochs, 1.1 * other.epochs + 1);
    }
}

TEST(Turns, PassToTheOtherWhereThatWasFaster) {
    Turns turns;
    double passes = 0;
    double left = 1;
    const auto changes = [&](double rate) {  // within a hundred passes
        const bool rivals = turns.is_rivals();
        for (int pass = 0; pass < 100 && turns.is_rivals() == rivals; ++pass) {
            turns.look(left, left, passes);
            passes += 1;
            left *= std::exp(-rate);
        }
        return turns.is_rivals() != rivals;
    };
    EXPECT_TRUE(turns.is_rivals());
    EXPECT_FALSE(changes(1));
    EXPECT_TRUE(changes(0.1));   // inner steps might do better
    EXPECT_TRUE(changes(0.2));   // they are slower than the rival was
    EXPECT_TRUE(changes(0.05));  // who is slower than they were, now
    EXPECT_FALSE(changes(0.2));
}

// The same seed of the library, the same bits.
TEST(CorrectiveNuclear, RunsRepeat) {
    auto problem = sized_problem("multinomial", 3000, 20, 4);
    problem.region = "nuclear";
    problem.radius = 3;
    Bridge<float> one(problem);
    Bridge<float> two(problem);
    const auto a = solve<float>(*one.objective, *one.region, corrective(1e-4));
    const auto b = solve<float>(*two.objective, *two.region, corrective(1e-4));
    EXPECT_TRUE(std::equal(a.x.span().begin(), a.x.span().end(), b.x.span().begin()));
}

}  // namespace
}  // namespace alfcg

// The intercept: f(W) = min_b mean loss(W x + b), against an independent search on the reference's losses.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "alfcg/fit/fit.hpp"
#include "alfcg/method/catalogue.hpp"
#include "alfcg/method/solve.hpp"
#include "bridge.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

const std::vector<std::string> all_losses{"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"};

double weight_at(const std::vector<double>& weights, Index i) {
    return weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
}

// Mean loss and its derivative by b, by the reference's formulas.
double loss_at(const reference::Problem& problem, const std::vector<double>& weights,
               const reference::Matrix& x, const reference::Vector& b, reference::Vector* slope) {
    double sum = 0;
    double total = 0;
    reference::Vector residuals = reference::Vector::Zero(b.size());
    for (Index i = 0; i < problem.rows(); ++i) {
        const reference::Vector z = reference::scores(problem, x, i) + b;
        sum += weight_at(weights, i) * reference::sample_value(problem, z, i);
        residuals += weight_at(weights, i) * reference::sample_residual(problem, z, i);
        total += weight_at(weights, i);
    }
    if (slope != nullptr) *slope = residuals / total;
    return sum / total;
}

// Plain gradient descent with halving steps from `b`: slow, and nothing like the search under test.
reference::Vector descend(const reference::Problem& problem, const std::vector<double>& weights,
                          const reference::Matrix& x, reference::Vector b) {
    double step = 1;
    reference::Vector slope;
    double value = loss_at(problem, weights, x, b, &slope);
    for (int k = 0; k < 300 && slope.norm() > 1e-9; ++k) {
        const reference::Vector next = b - step * slope;
        const double tried = loss_at(problem, weights, x, next, nullptr);
        if (tried > value - 0.25 * step * slope.squaredNorm()) {
            if (step < 1e-12) break;
            step /= 2;
            continue;
        }
        b = next;
        value = loss_at(problem, weights, x, b, &slope);
        step *= 1.5;
    }
    return b;
}

reference::Vector as_vector(const std::vector<double>& values) {
    return Eigen::Map<const reference::Vector>(values.data(), std::ssize(values));
}

// Targets away from 0, so that the intercept matters.
reference::Problem shifted_problem(const std::string& loss, Index rows, Index features, int outputs) {
    auto problem = sized_problem(loss, rows, features, outputs);
    if (loss == "squared" || loss == "huber" || loss == "welsch")
        for (double& target : problem.targets) target += 50;
    return problem;
}

template <class Real>
std::unique_ptr<Objective<Real>> with_intercept(const Bridge<Real>& bridge, int threads = 2) {
    return linear_objective(bridge.features, bridge.targets, bridge.loss, threads, true);
}

template <class Real>
void check_minimum(Storage storage, bool weighted, double tolerance) {
    for (const std::string& loss : all_losses) {
        for (const auto& [rows, features, outputs] :
             {std::tuple<Index, Index, int>{60, 5, 3}, {300, 17, 4}, {700, 40, 12}}) {
            SCOPED_TRACE(loss + " " + std::to_string(rows));
            const auto problem = shifted_problem(loss, rows, features, outputs);
            Bridge<Real> bridge(problem, storage, 2);
            std::vector<double> weights;
            if (weighted)
                for (Index i = 0; i < rows; ++i) weights.push_back(0.25 + static_cast<double>(i % 5));
            bridge.targets.weights = weights;
            const auto objective = with_intercept(bridge);
            const reference::Matrix x = 0.3 * reference::gaussian(problem.outputs, features, 9);
            const Iterate<Real> at(to_matrix<Real>(x));
            Matrix<Real> gradient;
            const double value = objective->evaluate(at, gradient);
            const reference::Vector found = as_vector(objective->intercept(at));
            ASSERT_EQ(found.size(), problem.outputs);

            reference::Vector slope;
            const double there = loss_at(problem, weights, x, found, &slope);
            if (loss != "sigmoid") {
                EXPECT_LE(slope.lpNorm<Eigen::Infinity>(), tolerance) << found.transpose();
            }
            EXPECT_NEAR(value, there, tolerance * (1 + std::abs(there)));
            // The bottom, not just a flat place: nothing is lower downhill from close by.
            const reference::Vector best =
                descend(problem, weights, x, found + 0.1 * reference::Vector::Ones(found.size()));
            if (loss != "sigmoid") {
                EXPECT_LE(there,
                          loss_at(problem, weights, x, best, nullptr) + tolerance * (1 + std::abs(there)));
            }
            EXPECT_NEAR(objective->value(at), value, tolerance * (1 + std::abs(value)));

            // The gradient by W is the partial one (the minimum over b is flat in b).
            reference::Matrix expected = reference::Matrix::Zero(problem.outputs, features);
            double total = 0;
            for (Index i = 0; i < rows; ++i) {
                const reference::Vector z = reference::scores(problem, x, i) + found;
                expected +=
                    weight_at(weights, i) * reference::sample_residual(problem, z, i) * problem.X.row(i);
                total += weight_at(weights, i);
            }
            expected /= total;
            EXPECT_LE((from_matrix(gradient) - expected).norm(), tolerance * (1 + expected.norm()));
        }
    }
}

TEST(Intercept, IsTheMinimumAndTheGradientIsTakenThere) {
    check_minimum<double>(Storage::dense, false, 1e-9);
    check_minimum<double>(Storage::sparse, false, 1e-9);
    check_minimum<float>(Storage::dense, false, 5e-5);
    check_minimum<float>(Storage::sparse, false, 5e-5);
}

TEST(Intercept, TheSameWithWeights) {
    check_minimum<double>(Storage::dense, true, 1e-9);
    check_minimum<double>(Storage::sparse, true, 1e-9);
    check_minimum<float>(Storage::sparse, true, 5e-5);
}

// What a line search sees is what the objective says at the point itself, and scores that follow an iterate stay right.
TEST(Intercept, FollowsAnIterate) {
    for (const std::string loss : {"multinomial", "logistic", "squared", "huber"}) {
        SCOPED_TRACE(loss);
        const auto problem = shifted_problem(loss, 400, 30, 5);
        Bridge<double> bridge(problem, Storage::sparse, 2);
        const auto objective = with_intercept(bridge);
        const auto fresh = with_intercept(bridge);
        const auto region = make_region<double>({"l1", {{"radius", 5}}, {}});
        Iterate<double> x(objective->shape());
        Matrix<double> gradient;
        Matrix<double> again;
        Move<double> move;
        for (int k = 0; k < 12; ++k) {
            const double value = objective->evaluate(x, gradient);
            EXPECT_NEAR(value, fresh->evaluate(Matrix<double>(x.matrix()), again), 1e-10 * (1 + value));
            EXPECT_LE((from_matrix(gradient) - from_matrix(again)).norm(), 1e-8);
            region->minimize(gradient, 0, true, move.towards());
            const double step = 2.0 / (k + 2) / 1.5;
            const double ahead = objective->value_after(x, move, step);
            x.make(move, step);
            EXPECT_NEAR(ahead, fresh->value(Matrix<double>(x.matrix())), 1e-9 * (1 + std::abs(ahead)));
        }
    }
}

// Far from the numbers to be predicted nothing is lost, not even in single precision.
TEST(Intercept, TargetsFarFromZeroKeepTheirDigits) {
    auto problem = sized_problem("squared", 200, 3, 1);
    for (double& target : problem.targets) target += 1e7;
    Bridge<float> bridge(problem, Storage::dense, 1);
    const auto objective = with_intercept(bridge);
    const Iterate<float> zero(objective->shape());
    const double mean = std::accumulate(problem.targets.begin(), problem.targets.end(), 0.0) / 200;
    double variance = 0;
    for (const double target : problem.targets) variance += (target - mean) * (target - mean) / 200;
    EXPECT_NEAR(objective->value(zero), variance / 2, 1e-5 * variance);
    EXPECT_NEAR(objective->intercept(zero).at(0), mean, 1e-5);
}

// Scores so large that nearly every row is certain of its class: slopes are flat for long ways, and a search must not leap to
// where all rows fall on one side.
TEST(Intercept, IsFoundAmongScoresOfAnySize) {
    for (const std::string loss : {"logistic", "multinomial", "squared", "huber"}) {
        for (const double scale : {1e-3, 1.0, 30.0, 1e3}) {
            for (const double from : {-1e4, 0.0, 7.0, 1e6}) {
                SCOPED_TRACE(loss + " " + std::to_string(scale) + " from " + std::to_string(from));
                const auto problem = shifted_problem(loss, 300, 6, 3);
                Bridge<double> bridge(problem, Storage::dense, 1);
                const auto objective = with_intercept(bridge);
                const reference::Matrix x = scale * reference::gaussian(problem.outputs, 6, 4);
                Iterate<double> at(to_matrix<double>(x));
                for (int l = 0; l < problem.outputs; ++l) at.intercept().at.push_back(l == 0 ? from : 0);
                const double value = objective->value(at);
                const reference::Vector found = as_vector(objective->intercept(at));
                reference::Vector slope;
                EXPECT_NEAR(loss_at(problem, {}, x, found, &slope), value, 1e-9 * (1 + value));
                const Iterate<double> fresh(to_matrix<double>(x));
                EXPECT_LE(value, objective->value(fresh) * (1 + 1e-6) + 1e-9);
                EXPECT_LE(slope.lpNorm<Eigen::Infinity>(), 2e-3) << found.transpose();
            }
        }
    }
}

TEST(Intercept, WithoutFeaturesItIsTheLogOdds) {
    auto problem = sized_problem("logistic", 1000, 2, 1);
    for (std::size_t i = 0; i < 1000; ++i) problem.targets[i] = i < 30 ? 1 : -1;
    Bridge<double> bridge(problem, Storage::dense, 2);
    const auto objective = with_intercept(bridge);
    EXPECT_NEAR(objective->intercept(Iterate<double>(objective->shape())).at(0), std::log(0.03 / 0.97), 1e-9);
}

// ---- runs

// Rows of one class are rare, and its features are around 1 instead of 0.
struct Unbalanced {
    std::vector<double> x;
    std::vector<double> y;
    static constexpr Index rows = 600;
    static constexpr Index cols = 8;

    Unbalanced() {
        std::mt19937_64 random(3);
        std::normal_distribution<double> normal;
        for (Index i = 0; i < rows; ++i) {
            y.push_back(i % 10 == 0 ? 1 : -1);
            for (Index j = 0; j < cols; ++j)
                x.push_back(3 + normal(random) + (y.back() > 0 && j < 3 ? 1 : 0));
        }
    }
    [[nodiscard]] ArrayData data() const { return {DenseView(x.data(), rows, cols), y}; }
};

Specification exact_specification(const std::string& loss) {
    Specification specification;
    specification.loss.name = loss;
    specification.region = {"l2", {{"radius", 1}}, {}};
    specification.options.max_epochs = 20000;
    specification.options.tolerance = 0;
    specification.options.gap = 1e-14;
    return specification;
}

// Projected gradients on (W, b) together, over the l2 ball for W.
std::vector<double> joint_solution(const Unbalanced& data, const std::function<double(double, double)>& slope,
                                   double curvature) {
    const Index d = Unbalanced::cols;
    Eigen::VectorXd w = Eigen::VectorXd::Zero(d);
    double b = 0;
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> x(data.x.data(), Unbalanced::rows,
                                                                             d);
    Eigen::VectorXd w_before = w;
    double b_before = b;
    double momentum = 1;
    const double step = Unbalanced::rows / (curvature * (x.squaredNorm() + Unbalanced::rows));
    for (int k = 0; k < 40000; ++k) {
        const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
        const double push = (momentum - 1) / next;
        momentum = next;
        const Eigen::VectorXd v = w + push * (w - w_before);
        const double c = b + push * (b - b_before);
        w_before = w;
        b_before = b;
        Eigen::VectorXd r(Unbalanced::rows);
        for (Index i = 0; i < Unbalanced::rows; ++i)
            r(i) = slope(x.row(i).dot(v) + c, data.y[static_cast<std::size_t>(i)]) / Unbalanced::rows;
        w = v - step * x.transpose() * r;
        if (w.norm() > 1) w /= w.norm();
        b = c - step * r.sum();
        if (k % 500 == 499) momentum = 1;
    }
    std::vector<double> all(w.data(), w.data() + d);
    all.push_back(b);
    return all;
}

TEST(Intercept, AgreesWithAGeneralSolver) {
    const Unbalanced data;
    const auto check = [&](const std::string& loss, const std::function<double(double, double)>& slope,
                           double curvature) {
        SCOPED_TRACE(loss);
        const auto fitted = fit<double>(data.data(), exact_specification(loss));
        const std::vector<double> expected = joint_solution(data, slope, curvature);
        for (Index j = 0; j < Unbalanced::cols; ++j)
            EXPECT_NEAR(fitted.model.weights(0, j), expected[static_cast<std::size_t>(j)], 1e-6);
        ASSERT_EQ(fitted.model.intercept.size(), 1);
        EXPECT_NEAR(fitted.model.intercept[0], expected.back(), 3e-6);
    };
    check(
        "logistic", [](double z, double y) { return -y / (1 + std::exp(y * z)); }, 0.25);
    check(
        "squared", [](double z, double y) { return z - y; }, 1);
    check(
        "huber", [](double z, double y) { return std::clamp(z - y, -1.0, 1.0); }, 1);
}

TEST(Intercept, NoRunConvergesWhileItMoves) {
    // The sigmoid loss is flat far out, and its intercept moves by at most 1 a look: a corner of the l1 ball can be the
    // best point long before the intercept has arrived.
    const Unbalanced data;
    for (const double radius : {0.05, 0.5, 5.0}) {
        Specification specification = exact_specification("sigmoid");
        specification.region = {"l1", {{"radius", radius}}, {}};
        specification.options.gap = 1e-9;
        const auto fitted = fit<double>(data.data(), specification);
        if (fitted.report.status != Status::converged) continue;
        double derivative = 0;
        for (Index i = 0; i < Unbalanced::rows; ++i) {
            double z = fitted.model.intercept[0];
            for (Index j = 0; j < Unbalanced::cols; ++j)
                z += fitted.model.weights(0, j) * data.x[static_cast<std::size_t>(i * Unbalanced::cols + j)];
            const double y = data.y[static_cast<std::size_t>(i)];
            const double loss = 1 / (1 + std::exp(y * z));
            derivative -= y * loss * (1 - loss) / Unbalanced::rows;
        }
        EXPECT_NEAR(derivative, 0, 1e-9) << radius;
    }
}

TEST(Intercept, FeaturesFarFromZeroKeepTheirDigits) {
    // Years and prices in single precision: the gradient is that of the features less a constant in double precision.
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> far;
    std::vector<double> near;
    std::vector<double> y;
    for (int i = 0; i < 500; ++i) {
        const double year = std::round(10 * normal(random));
        const double price = std::round(1000 * normal(random));
        far.insert(far.end(), {2000 + year, 1e6 + price});
        near.insert(near.end(), {year, price});
        y.push_back(100 + 3 * year + 0.01 * price + normal(random));
    }
    const auto gradient_at = [&](auto real, const std::vector<double>& features) {
        using Real = decltype(real);
        Specification specification = exact_specification("squared");
        specification.region = {"l1", {{"radius", 3.0}}, {}};
        auto problem = prepare<Real>(ArrayData{DenseView(features.data(), 500, 2), y}, specification);
        Matrix<Real> w(1, 2);
        w(0, 0) = Real(2.5);
        w(0, 1) = Real(0.0078125);
        Matrix<Real> gradient;
        problem.objective->evaluate(w, gradient);
        return std::pair{static_cast<double>(gradient(0, 0)), static_cast<double>(gradient(0, 1))};
    };
    const auto single = gradient_at(float{}, far);
    const auto exact = gradient_at(double{}, near);
    EXPECT_NEAR(single.first / exact.first, 1, 1e-3);
    EXPECT_NEAR(single.second / exact.second, 1, 1e-3);
}

TEST(Intercept, EveryMethodMakesUseOfIt) {
    const Unbalanced data;
    for (const MethodInfo& method : methods()) {
        SCOPED_TRACE(std::string(method.name));
        Specification specification = exact_specification("logistic");
        specification.options.method = method.name;
        if (method.setting == "corrective") specification.region.name = "l1";  // it has a way to work in
        specification.options.max_epochs = 60;
        specification.options.gap.reset();
        const auto with = fit<double>(data.data(), specification);
        specification.intercept = false;
        const auto without = fit<double>(data.data(), specification);
        EXPECT_LT(with.report.metrics.objective, without.report.metrics.objective);
        EXPECT_TRUE(without.model.intercept.empty());
        // At the end b is the best for these weights: its derivative vanishes.
        double slope = 0;
        for (Index i = 0; i < Unbalanced::rows; ++i) {
            double z = with.model.intercept.at(0);
            for (Index j = 0; j < Unbalanced::cols; ++j)
                z += with.model.weights(0, j) * data.x[static_cast<std::size_t>(i * Unbalanced::cols + j)];
            const double y = data.y[static_cast<std::size_t>(i)];
            slope -= y / (1 + std::exp(y * z)) / Unbalanced::rows;
        }
        EXPECT_NEAR(slope, 0, 1e-9);
    }
}

TEST(Intercept, ARunDoesNotDependOnMetricsOrOnRunsBefore) {
    const Unbalanced data;
    Specification specification = exact_specification("logistic");
    specification.options.max_epochs = 20;
    specification.options.gap.reset();
    for (const char* method : {"alfcg-d", "alfcg-mvr2", "svfw", "saga-fw", "srfw"}) {
        SCOPED_TRACE(method);
        specification.options.method = method;
        auto problem = prepare<float>(data.data(), specification);
        const auto plain = fit(problem, specification.options);
        const auto watched = fit(problem, specification.options, [](const Snapshot<float>& now) {
            static_cast<void>(now.metrics());
            static_cast<void>(now.intercept());
        });
        EXPECT_EQ(from_matrix(plain.model.weights), from_matrix(watched.model.weights));
        EXPECT_EQ(plain.model.intercept, watched.model.intercept);
    }
}

TEST(Intercept, EveryNormalisationKeepsItExact) {
    const Unbalanced data;
    for (const Normalization kind :
         {Normalization::none, Normalization::rows, Normalization::columns, Normalization::spectral}) {
        Specification specification = exact_specification("squared");
        specification.normalization = kind;
        specification.options.max_epochs = 50;
        const auto fitted = fit<double>(data.data(), specification);
        // A least-squares fit with an intercept is right on average.
        const auto raw = dataset_of<double>(data.data().features, data.data().labels);
        const Predictions predictions = predict(fitted.model, raw, false, 1);
        double mean = 0;
        for (std::size_t i = 0; i < predictions.values.size(); ++i)
            mean += (predictions.values[i] - data.y[i]) / Unbalanced::rows;
        EXPECT_NEAR(mean, 0, 1e-9);
        EXPECT_NEAR(predictions.mean_squared_error, fitted.report.training.mean_squared_error, 1e-9);
    }
}

// ---- weights

TEST(RowWeights, WholeNumbersAreRepeatedRows) {
    const Unbalanced data;
    std::vector<double> weights;
    std::vector<double> x;
    std::vector<double> y;
    for (Index i = 0; i < Unbalanced::rows; ++i) {
        const Index times = i % 4;  // some are absent
        weights.push_back(static_cast<double>(times));
        for (Index k = 0; k < times; ++k) {
            const auto row = data.x.begin() + i * Unbalanced::cols;
            x.insert(x.end(), row, row + Unbalanced::cols);
            y.push_back(data.y[static_cast<std::size_t>(i)]);
        }
    }
    for (const std::string loss : {"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"}) {
        for (const bool intercept : {false, true}) {
            SCOPED_TRACE(loss + (intercept ? " with an intercept" : ""));
            Specification specification = exact_specification(loss);
            specification.intercept = intercept;
            specification.options.max_epochs = 30;
            specification.options.parameters.set("rho", 0.1);
            ArrayData weighted = data.data();
            weighted.weights = weights;
            const auto once = fit<double>(weighted, specification);
            const auto repeated = fit<double>(
                ArrayData{DenseView(x.data(), std::ssize(y), Unbalanced::cols), y}, specification);
            EXPECT_NEAR(once.report.metrics.objective, repeated.report.metrics.objective, 1e-9);
            EXPECT_LE((from_matrix(once.model.weights) - from_matrix(repeated.model.weights)).norm(), 1e-7);
        }
    }
    // What the data are scaled by, and what balances classes, see the weights too.
    for (const Normalization kind : {Normalization::rows, Normalization::columns, Normalization::spectral}) {
        for (const std::string classes : {"", "balanced"}) {
            SCOPED_TRACE(std::string(to_text(kind)) + " " + classes);
            Specification specification = exact_specification("logistic");
            specification.normalization = kind;
            specification.class_weights = ClassWeights::parse(classes);
            specification.options.max_epochs = 10;
            specification.options.parameters.set("rho", 0.1);
            ArrayData weighted = data.data();
            weighted.weights = weights;
            const auto once = fit<double>(weighted, specification);
            const auto repeated = fit<double>(
                ArrayData{DenseView(x.data(), std::ssize(y), Unbalanced::cols), y}, specification);
            EXPECT_NEAR(once.report.metrics.objective, repeated.report.metrics.objective, 1e-9);
            EXPECT_LE((from_matrix(once.model.weights) - from_matrix(repeated.model.weights)).norm(), 1e-7);
        }
    }
}

TEST(RowWeights, NothingIsConcludedFromAbsentRows) {
    const std::vector<double> x{1, 2, 3, 4, 5, 6};
    const std::vector<double> y{1, 2, 1, 2, 7.5, 9};  // numbers, but for the last two classes
    const std::vector<double> weights{1, 1, 1, 1, 0, 0};
    ArrayData data{DenseView(x.data(), 6, 1), y};
    data.weights = weights;
    Specification specification;
    EXPECT_EQ(prepare<double>(data, specification).loss.name, "logistic");
    data.weights = {};
    EXPECT_EQ(prepare<double>(data, specification).loss.name, "squared");
}

TEST(RowWeights, ZeroIsAbsentForEveryMethod) {
    const Unbalanced data;
    std::vector<double> weights(Unbalanced::rows, 2);
    for (Index i = 400; i < Unbalanced::rows; ++i) weights[static_cast<std::size_t>(i)] = 0;
    for (const MethodInfo& method : methods()) {
        SCOPED_TRACE(std::string(method.name));
        Specification specification = exact_specification("logistic");
        specification.options.method = method.name;
        if (method.setting == "corrective") specification.region.name = "l1";  // it has a way to work in
        specification.options.max_epochs = 5;
        ArrayData weighted = data.data();
        weighted.weights = weights;
        const auto some = fit<double>(weighted, specification);
        const auto fewer = fit<double>(
            ArrayData{DenseView(data.x.data(), 400, Unbalanced::cols), std::span(data.y).first(400)},
            specification);
        EXPECT_LE((from_matrix(some.model.weights) - from_matrix(fewer.model.weights)).norm(), 1e-12);
    }
}

TEST(RowWeights, ClassWeightsAreRowWeights) {
    const Unbalanced data;
    Specification specification = exact_specification("logistic");
    specification.options.max_epochs = 50;
    const auto weighted = [&](double rare, double common) {
        std::vector<double> weights;
        for (const double y : data.y) weights.push_back(y > 0 ? rare : common);
        return weights;
    };
    const auto check = [&](const std::string& text, double rare, double common) {
        const std::vector<double> weights = weighted(rare, common);
        ArrayData by_row = data.data();
        by_row.weights = weights;
        specification.class_weights = {};
        const auto rows = fit<double>(by_row, specification);
        specification.class_weights = ClassWeights::parse(text);
        const auto classes = fit<double>(data.data(), specification);
        EXPECT_LE((from_matrix(rows.model.weights) - from_matrix(classes.model.weights)).norm(), 1e-12)
            << text;
    };
    check("balanced", 600.0 / (2 * 60), 600.0 / (2 * 540));
    check("1:7,-1:0.5", 7, 0.5);
    check("+1.0:3", 3, 1);
}

TEST(RowWeights, WhatIsNoWeightIsRefused) {
    const Unbalanced data;
    const auto complaint = [&](std::vector<double> weights, const std::string& classes) {
        return message_of<Error>([&] {
            ArrayData weighted = data.data();
            weighted.weights = weights;
            Specification specification = exact_specification("logistic");
            specification.class_weights = ClassWeights::parse(classes);
            prepare<double>(weighted, specification);
        });
    };
    std::vector<double> some(Unbalanced::rows, 1);
    some[2] = -1;
    EXPECT_EQ(complaint(some, ""), "weights of data, row 3: must be a finite number of at least 0, not -1");
    EXPECT_EQ(complaint(std::vector<double>(Unbalanced::rows, 0), ""), "weights of data are all 0");
    EXPECT_EQ(complaint({1, 2}, ""), "weights of data: 2 of them for 600 rows");
    EXPECT_EQ(complaint({}, "7:1"), "class-weights names 7, a label that no row has; there are -1 and 1");
    EXPECT_EQ(complaint({}, "1"),
              "class-weights must be balanced or LABEL:WEIGHT,... with weights of at least 0, not '1'");
    EXPECT_EQ(complaint({}, "1:-2"),
              "class-weights must be balanced or LABEL:WEIGHT,... with weights of at least 0, not '1:-2'");
    EXPECT_NE(complaint({}, "1:0").find("every row has the label -1"), std::string::npos);
}

}  // namespace
}  // namespace alfcg

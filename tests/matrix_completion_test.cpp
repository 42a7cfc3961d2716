// Matrix completion with factored iterates: the same facts as with all entries written out.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "alfcg/method/solve.hpp"
#include "alfcg/objective/completion.hpp"
#include "alfcg/region/region.hpp"

namespace alfcg {
namespace {

template <class Real>
Observations<Real> planted(Index rows, Index cols, Index rank, double share, unsigned seed,
                           bool weighted = false, bool signs = false) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Eigen::MatrixXd left(rows, rank);
    Eigen::MatrixXd right(cols, rank);
    for (double& entry : left.reshaped()) entry = normal(random);
    for (double& entry : right.reshaped()) entry = normal(random);
    const Eigen::MatrixXd full = left * right.transpose();
    Triples<Real> triples;
    for (Index j = 0; j < cols; ++j)
        for (Index i = 0; i < rows; ++i) {
            if (uniform(random) > share) continue;
            triples.rows.push_back(static_cast<std::int32_t>(i));
            triples.columns.push_back(static_cast<std::int32_t>(j));
            const double value = full(i, j) + 0.3 * normal(random);
            triples.values.push_back(static_cast<Real>(signs ? (value > 0 ? 1 : -1) : value));
            if (weighted) triples.weights.push_back(static_cast<Real>(0.5 + uniform(random)));
        }
    return observations(Shape{rows, cols}, std::move(triples));
}

// The same function of all entries, written down once more.
template <class Real>
std::unique_ptr<Objective<Real>> with_all_entries(const Observations<Real>& known) {
    double total = 0;
    for (Index k = 0; k < known.size(); ++k) total += known.weight(k);
    return custom_sum<Real>(
        known.pattern.shape, known.size(),
        [known, total](std::span<const Index> places, std::span<const Real> x, std::span<Real> gradient) {
            std::fill(gradient.begin(), gradient.end(), Real(0));
            double sum = 0;
            const double share =
                static_cast<double>(known.size()) / total / static_cast<double>(places.size());
            for (const Index k : places) {
                Index i = 0;
                while (known.pattern.end(i) <= k) ++i;
                const auto at = static_cast<std::size_t>(i * known.pattern.shape.cols +
                                                         known.pattern.columns[static_cast<std::size_t>(k)]);
                const double r = static_cast<double>(x[at]) -
                                 static_cast<double>(known.values[static_cast<std::size_t>(k)]);
                sum += share * known.weight(k) * r * r / 2;
                gradient[at] += static_cast<Real>(share * known.weight(k) * r);
            }
            return sum;
        });
}

template <class Real>
Iterate<Real> origin(const Observations<Real>& known, Index most = 0) {
    return Iterate<Real>(Factors<Real>(known.pattern.shape, most), known.pattern, 2);
}

class SameIterates : public testing::TestWithParam<const char*> {};

TEST_P(SameIterates, AsWithAllEntries) {
    const auto known = planted<double>(60, 40, 3, 0.4, 1, true);
    const auto factored = completion_objective<double>(known, {"squared", {}}, {}, 2);
    const auto dense = with_all_entries(known);
    const auto region = nuclear_ball<double>(30);
    Options options;
    options.method = GetParam();
    // What alfcg-d makes of rounding where it looks for its scale, see below.
    options.max_iterations = options.method == "alfcg-d" ? 12 : 40;
    const auto start = origin(known);
    const auto a = solve<double>(*factored, *region, options, {}, &start);
    const auto other = nuclear_ball<double>(30);
    const auto b = solve<double>(*dense, *other, options);
    ASSERT_TRUE(a.factors.has_value());
    const Matrix<double> x = a.factors->to_matrix();
    double largest = 0;
    for (Index k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(x.data()[k] - b.x.data()[k]));
    EXPECT_LE(largest, 1e-10);
    EXPECT_NEAR(a.metrics.objective, b.metrics.objective, 1e-10);
    EXPECT_NEAR(a.metrics.gap, b.metrics.gap, 1e-10);
    EXPECT_LT(a.metrics.objective, factored->value(start));
}
INSTANTIATE_TEST_SUITE_P(Methods, SameIterates,
                         testing::Values("fw-openloop", "fw-shortstep", "fw-momentum", "fw-armijo",
                                         "fw-parafree", "fw-secant", "alfcg-d"));

// alfcg-d after so many iterations: on factors, on entries, and on entries from a start that is moved by 1e-15; largest differences of the
// first and the last to the second.
std::pair<double, double> differences_of_alfcg_d(Index iterations, std::optional<double> rho) {
    const auto known = planted<double>(60, 40, 3, 0.4, 1, true);
    Options options;
    options.method = "alfcg-d";
    options.max_iterations = iterations;
    if (rho) options.parameters.set("rho", *rho);
    const auto region = nuclear_ball<double>(30);
    const auto objective = completion_objective<double>(known, {"squared", {}}, {}, 2);
    const auto start = origin(known);
    const Matrix<double> factored =
        solve<double>(*objective, *region, options, {}, &start).factors->to_matrix();
    const auto from = [&](double size) {
        const auto dense = with_all_entries(known);
        Matrix<double> x(known.pattern.shape);
        for (Index k = 0; k < x.size(); ++k)
            x.data()[k] = size * static_cast<double>((k * 7919) % 13 - 6) / 6;
        return solve<double>(*dense, *nuclear_ball<double>(30), options, {}, &x).x;
    };
    const Matrix<double> plain = from(0);
    const Matrix<double> moved = from(6e-15);
    std::pair<double, double> largest{0, 0};
    for (Index k = 0; k < plain.size(); ++k) {
        largest.first = std::max(largest.first, std::abs(factored.data()[k] - plain.data()[k]));
        largest.second = std::max(largest.second, std::abs(moved.data()[k] - plain.data()[k]));
    }
    return largest;
}

// With a scale that is given, steps forget rounding.
TEST(AlfcgDOnFactors, GoesOnAlikeWhereItsScaleIsGiven) {
    EXPECT_LE(differences_of_alfcg_d(100, 1e-3).first, 1e-12);
}

// Where it is found, by secants of moves that hardly differ, every difference grows by the same factors: on entries as well as between them
// and factors.
TEST(AlfcgDOnFactors, GrowsRoundingAsItGrowsAnyDifference) {
    for (const Index iterations : {20, 30, 40, 60}) {
        const auto [factored, moved] = differences_of_alfcg_d(iterations, std::nullopt);
        EXPECT_LE(factored, 100 * moved) << iterations;
        if (iterations == 40) {
            EXPECT_GE(moved, 1e-12);  // from 6e-15
        }
    }
}

TEST(HeldOut, ComesBackWhereItWas) {
    for (const bool weighted : {false, true}) {
        const auto all = planted<double>(30, 20, 2, 0.5, 9, weighted);
        auto known = all;
        auto held_out = hold_out(known, 0.3, 4);
        EXPECT_LT(known.size(), all.size());
        put_back(known, std::move(held_out));
        const auto equal = [](const auto& a, const auto& b) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end());
        };
        EXPECT_TRUE(equal(known.pattern.starts, all.pattern.starts));
        EXPECT_TRUE(equal(known.pattern.columns, all.pattern.columns));
        EXPECT_TRUE(equal(known.values, all.values));
        EXPECT_TRUE(equal(known.weights, all.weights));
    }
}

template <class Real>
class Completes : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Completes, Reals);

TYPED_TEST(Completes, CorrectiveStepsReachTheOptimum) {
    const auto known = planted<TypeParam>(120, 80, 3, 0.3, 2);
    const auto objective = completion_objective<TypeParam>(known, {"squared", {}}, {}, 2);
    const auto region = nuclear_ball<TypeParam>(150);
    Options options;
    options.method = "alfcg-c";
    options.tolerance = 1e-3;
    options.max_iterations = 200;
    const auto start = origin(known);
    const auto found = solve<TypeParam>(*objective, *region, options, {}, &start);
    EXPECT_EQ(found.status, Status::converged);
    EXPECT_LE(found.iterations, 60);
    const auto sizes = found.factors->singular_values();
    EXPECT_LE(std::accumulate(sizes.begin(), sizes.end(), 0.0), 150 * (1 + 1e-5));
}

// At a product of two tables f and its gradient are those at the same point as an iterate, for every loss and with weights.
TYPED_TEST(Completes, ProductsHaveTheGradientOfIterates) {
    std::mt19937 random(8);
    std::normal_distribution<double> normal;
    for (const char* loss : {"squared", "huber", "logistic"}) {
        const bool signs = std::string_view(loss) == "logistic";
        const auto known = planted<TypeParam>(30, 20, 2, 0.5, 3, true, signs);
        const auto objective = completion_objective<TypeParam>(known, {loss, {}}, {}, 2);
        TwoFactors<TypeParam> x;
        x.width = 3;
        x.left = Matrix<TypeParam>(30, 64 / sizeof(TypeParam));
        x.right = Matrix<TypeParam>(20, 64 / sizeof(TypeParam));
        for (Index k = 0; k < 3; ++k) {
            for (Index i = 0; i < 30; ++i) x.left(i, k) = static_cast<TypeParam>(normal(random));
            for (Index j = 0; j < 20; ++j) x.right(j, k) = static_cast<TypeParam>(normal(random));
        }
        Matrix<TypeParam> gradient;
        const double value = objective->evaluate_product(x, gradient);
        const Iterate<TypeParam> point(Factors<TypeParam>(x.left, x.right, 3), known.pattern, 2);
        Matrix<TypeParam> expected;
        const double rounding = std::is_same_v<TypeParam, float> ? 1e-5 : 1e-12;
        EXPECT_NEAR(value, objective->evaluate(point, expected), rounding * value) << loss;
        ASSERT_EQ(gradient.size(), expected.size());
        for (Index k = 0; k < gradient.size(); ++k)
            EXPECT_NEAR(gradient.data()[k], expected.data()[k], rounding) << loss;
    }
}

// In balls from small to nearly as large as the data.
TEST(CompletesInDouble, NeverStandsStill) {
    for (const double share : {1.0, 0.5})
        for (const Index rank : {Index{2}, Index{12}})
            for (const double radius : {3.0, 15.0, 30.0, 60.0}) {
                SCOPED_TRACE(testing::Message() << share << " of rank " << rank << " radius " << radius);
                const auto known = planted<double>(60, 40, rank, share, 5);
                const auto objective = completion_objective<double>(known, {"squared", {}}, {}, 2);
                const auto region = nuclear_ball<double>(radius, {}, 2);
                Options options;
                options.method = "alfcg-c";
                options.gap = 1e-7;
                options.max_iterations = 1000;
                const auto start = origin(known);
                const auto result = solve<double>(*objective, *region, options, {}, &start);
                EXPECT_EQ(result.status, Status::converged)
                    << result.metrics.gap << " of " << result.metrics.objective << " after "
                    << result.iterations;
            }
}

TYPED_TEST(Completes, MatricesMayHaveShortSides) {
    for (const Shape shape : {Shape{1, 1}, Shape{1, 6}, Shape{2, 2}, Shape{7, 3}, Shape{5, 5}}) {
        const auto known = planted<TypeParam>(shape.rows, shape.cols, 2, 1, 3);
        const auto objective = completion_objective<TypeParam>(known, {"squared", {}}, {}, 1);
        const auto x = origin(known);
        Options options;
        options.tolerance = 1e-3;
        options.max_iterations = 200;
        for (const double radius : {0.1, 1000.0}) {
            const auto region = nuclear_ball<TypeParam>(radius);
            const auto found = solve<TypeParam>(*objective, *region, options, {}, &x);
            EXPECT_EQ(found.status, Status::converged) << shape.rows << " x " << shape.cols;
            if (radius > 1) {
                EXPECT_NEAR(found.metrics.objective, 0, 2e-3) << shape.rows << " x " << shape.cols;
            }
        }
    }
}

// f with biases is a minimum over them: no bias can be moved to gain, and the gradient is the slope of the minimum.
TYPED_TEST(Completes, BiasesAreBest) {
    for (const char* loss : {"squared", "huber", "logistic"}) {
        const bool signs = std::string_view(loss) == "logistic";
        const auto known = planted<TypeParam>(30, 20, 2, 0.5, 3, true, signs);
        const auto objective =
            completion_objective<TypeParam>(known, {loss, {}}, {true, signs ? 0.5 : 0.0, 0.1}, 1);
        const auto region = nuclear_ball<TypeParam>(10);
        Iterate<TypeParam> x = origin(known);
        Matrix<TypeParam> gradient;
        objective->evaluate(x, gradient);
        Vertex<TypeParam> vertex;
        region->minimize_at(known.pattern, gradient, 0, true, vertex);
        Move<TypeParam> move;
        move.towards() = vertex;
        x.make(move, 0.3);
        const double value = objective->evaluate(x, gradient);
        const double slope = direction(move, gradient, x).slope;
        const double step = std::is_same_v<TypeParam, float> ? 1e-2 : 1e-4;
        const double ahead = objective->value_after(x, move, step);
        Iterate<TypeParam> there = x;
        there.make(move, step);
        const double again = objective->value(there);
        const double rounding = std::is_same_v<TypeParam, float> ? 1e-5 : 1e-10;
        EXPECT_NEAR(ahead, again, rounding) << loss;
        EXPECT_NEAR((ahead - value) / step, slope, std::abs(slope) * 2e-2 + 1e-3) << loss;
        double sum = 0;
        for (const TypeParam entry : gradient.span()) sum += static_cast<double>(entry);
        if (!signs) {
            EXPECT_NEAR(sum, 0, 1e-4) << loss;
        }
    }
}

// All entries a share of the way to v; returns the square of the whole way.
template <class Real>
double blend(const Vertex<Real>& v, double step, Matrix<double>& dense) {
    double length = 0;
    for (Index i = 0; i < dense.rows(); ++i)
        for (Index j = 0; j < dense.cols(); ++j) {
            const double d = v.at(i, j) - dense(i, j);
            length += d * d;
            dense(i, j) += step * d;
        }
    return length;
}

template <class Real>
void expect_near(const Factors<Real>& x, const Matrix<double>& dense, double tolerance) {
    for (Index i = 0; i < dense.rows(); ++i)
        for (Index j = 0; j < dense.cols(); ++j) EXPECT_NEAR(x.at(i, j), dense(i, j), tolerance);
}

TYPED_TEST(Completes, FactorsAreWhatMovesMakeOfThem) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    const Shape shape{9, 7};
    Factors<TypeParam> x(shape);
    Matrix<double> dense(shape);
    for (int t = 0; t < 40; ++t) {
        Move<TypeParam> move;
        Vertex<TypeParam>& v = move.towards();
        v.kind = Vertex<TypeParam>::Kind::rank_one;
        v.shape = shape;
        v.scale = 2;
        v.left.resize(9);
        v.right.resize(7);
        for (auto& entry : v.left) entry = static_cast<TypeParam>(normal(random));
        for (auto& entry : v.right) entry = static_cast<TypeParam>(normal(random));
        const double step = t % 7 == 6 ? 1.0 : 0.3;
        const double length = blend(v, step, dense);
        const double rounding = std::is_same_v<TypeParam, float> ? 2e-5 : 1e-12;
        EXPECT_NEAR(x.length_squared(move), length, rounding * length);
        const double one = step;
        const Vertex<TypeParam>* atom = &v;
        x.combine(1 - step, {&one, 1}, {&atom, 1});
        expect_near(x, dense, rounding * 20);
        EXPECT_LE(x.width(), 16);
        Factors<TypeParam> turned = x;
        turned.compress();
        EXPECT_TRUE(turned.diagonal());
        expect_near(turned, dense, rounding * 20);
    }
}

// Moves along sums of many pairs, some of them alike, as if all entries were written out.
TYPED_TEST(Completes, FactorsTakeInManyPairs) {
    std::mt19937 random(6);
    std::normal_distribution<double> normal;
    const Shape shape{40, 30};
    constexpr Index pairs = 6;
    Factors<TypeParam> x(shape);
    Matrix<double> dense(shape);
    for (int t = 0; t < 12; ++t) {
        Move<TypeParam> move;
        Vertex<TypeParam>& v = move.towards();
        v.kind = Vertex<TypeParam>::Kind::low_rank;
        v.shape = shape;
        v.scales.assign(pairs, 1.5);
        v.scales[2] = 0;
        for (Index k = 0; k < pairs * shape.rows; ++k)
            v.left.push_back(static_cast<TypeParam>(normal(random)));
        for (Index k = 0; k < pairs * shape.cols; ++k)
            v.right.push_back(static_cast<TypeParam>(normal(random)));
        std::copy_n(v.left.begin(), shape.rows, v.left.begin() + shape.rows);  // one vector twice
        const double step = t % 5 == 4 ? 1.0 : 0.3;
        const double length = blend(v, step, dense);
        const double rounding = std::is_same_v<TypeParam, float> ? 2e-5 : 1e-11;
        EXPECT_NEAR(x.length_squared(move), length, rounding * length);
        const Vertex<TypeParam>* atom = &v;
        x.combine(1 - step, {&step, 1}, {&atom, 1});
        expect_near(x, dense, rounding * 20);
        double norm = 0;
        for (const double entry : dense.span()) norm += entry * entry;
        EXPECT_NEAR(x.norm(), std::sqrt(norm), rounding * std::sqrt(norm));
        EXPECT_LE(x.width(), shape.cols);
    }
}

// Batches of observations: SPIDER with all of them is the full gradient; others end no higher than they began.
TYPED_TEST(Completes, StochasticMethodsGoDown) {
    const auto known = planted<TypeParam>(50, 40, 2, 0.5, 7);
    for (const char* method : {"alfcg-fs", "alfcg-mvr1", "alfcg-mvr2", "saga-fw", "svfw", "spider-cg"}) {
        const auto objective = completion_objective<TypeParam>(known, {"squared", {}}, {}, 2);
        const auto region = nuclear_ball<TypeParam>(40);
        Options options;
        options.method = method;
        options.max_epochs = 20;
        const auto start = origin(known);
        const auto found = solve<TypeParam>(*objective, *region, options, {}, &start);
        EXPECT_LT(found.metrics.objective, objective->value(start)) << method;
        EXPECT_GE(found.metrics.gap, 0) << method;
    }
}

// The bound that no proof is cheap enough for: above the largest singular value, and near it.
TEST(SparseOracle, BoundsTheLargestSingularValueOfNoise) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<std::int32_t> place(0, 3499);
    Triples<double> triples;
    std::vector<std::pair<std::int32_t, std::int32_t>> places;
    for (int k = 0; k < 60000; ++k) places.emplace_back(place(random), place(random));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const auto& [i, j] : places) {
        triples.rows.push_back(i);
        triples.columns.push_back(j);
        triples.values.push_back(normal(random));
    }
    const auto known = observations(Shape{3500, 3500}, std::move(triples));
    Matrix<double> gradient(1, known.size());
    std::copy(known.values.begin(), known.values.end(), gradient.data());
    const auto region = nuclear_ball<double>(1);
    Vertex<double> vertex;
    const double slack = region->minimize_at(known.pattern, gradient, 0, true, vertex);
    // Power iteration, slow and sure: a lower bound that gets there.
    Eigen::VectorXd v = Eigen::VectorXd::Random(3500);
    double sigma = 0;
    for (int t = 0; t < 3000; ++t) {
        Eigen::VectorXd u = Eigen::VectorXd::Zero(3500);
        Eigen::VectorXd w = Eigen::VectorXd::Zero(3500);
        for (Index i = 0; i < 3500; ++i)
            for (Index k = known.pattern.begin(i); k < known.pattern.end(i); ++k)
                u(i) += gradient.data()[k] * v(known.pattern.columns[static_cast<std::size_t>(k)]);
        for (Index i = 0; i < 3500; ++i)
            for (Index k = known.pattern.begin(i); k < known.pattern.end(i); ++k)
                w(known.pattern.columns[static_cast<std::size_t>(k)]) += gradient.data()[k] * u(i);
        sigma = std::sqrt(w.norm() / v.norm());
        v = w.normalized();
    }
    Iterate<double> zero(Factors<double>(known.pattern.shape), known.pattern, 1);
    const double reached = -direction_to(vertex, gradient, zero).slope;
    EXPECT_NEAR(reached, sigma, 1e-3 * sigma);
    EXPECT_GE(reached + slack, sigma * (1 - 1e-9));
    EXPECT_LE(slack, 0.01 * sigma);
}

}  // namespace
}  // namespace alfcg

// Oracles against all corners of small regions, which are made here by counting.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "alfcg/core/error.hpp"
#include "alfcg/region/boxes.hpp"
#include "alfcg/region/norms.hpp"
#include "alfcg/region/spec.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using testing::dot;
using testing::entries;
using testing::infinity;
using testing::random_matrix;

using Point = std::vector<long double>;

/// {lower ≤ x ≤ upper, Σ cost |x| ≤ budget, or = budget}: every corner has all entries at a bound or at 0, but for one that may use up what
/// the others leave of the budget.
struct Bounded {
    std::vector<double> lower, upper, cost;
    double budget = 1;
    bool exactly = false;

    [[nodiscard]] std::vector<Point> corners() const {
        const std::size_t n = lower.size();
        std::vector<Point> all;
        std::vector<int> where(n, 0);
        for (;;) {
            Point x(n);
            double spent = 0;
            for (std::size_t i = 0; i < n; ++i) {
                x[i] = where[i] == 0 ? 0 : where[i] == 1 ? lower[i] : upper[i];
                spent += cost[i] * static_cast<double>(std::abs(x[i]));
            }
            if (spent <= budget * (1 + 1e-12) && (!exactly || spent >= budget * (1 - 1e-12)))
                all.push_back(x);
            for (std::size_t i = 0; i < n; ++i) {
                if (where[i] != 0) continue;
                const double left = (budget - spent) / cost[i];
                for (const double entry : {-left, left}) {
                    if (left <= 0 || entry < lower[i] || entry > upper[i]) continue;
                    all.push_back(x);
                    all.back()[i] = entry;
                }
            }
            std::size_t i = 0;
            while (i < n && where[i] == 2) where[i++] = 0;
            if (i == n) return all;
            ++where[i];
        }
    }
};

// Every corner of a box, with n entries from `values`.
std::vector<Point> grid(std::size_t n, const std::vector<double>& values) {
    std::vector<Point> all{{}};
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<Point> longer;
        for (const Point& x : all)
            for (const double value : values) {
                longer.push_back(x);
                longer.back().push_back(value);
            }
        all = std::move(longer);
    }
    return all;
}

long double cost_of(const Point& g, const Point& x, double l1) {
    long double value = dot(g, x);
    for (const long double entry : x) value += l1 * std::abs(entry);
    return value;
}

template <class Real>
class Corners : public ::testing::Test {
  protected:
    static constexpr double rounding = std::is_same_v<Real, float> ? 1e-5 : 1e-12;

    // The answer is as good as the best of the corners, and none of these is outside.
    static void expect_best(Region<Real>& region, Shape shape, const std::vector<Point>& corners,
                            double l1 = 0) {
        ASSERT_FALSE(corners.empty());
        region.check(shape);
        for (const Point& corner : corners) {
            Matrix<Real> x(shape);
            for (std::size_t i = 0; i < corner.size(); ++i) x.span()[i] = static_cast<Real>(corner[i]);
            ASSERT_LE(region.violation(x), rounding) << region.describe();
        }
        Vertex<Real> vertex;
        for (unsigned seed = 0; seed < 40; ++seed) {
            Matrix<Real> gradient = random_matrix<Real>(shape, seed);
            if (seed % 4 == 1)  // ties
                for (Real& entry : gradient.span()) entry = std::round(entry);
            if (seed % 4 == 2)
                for (Real& entry : gradient.span()) entry = std::abs(entry);
            region.minimize(gradient, 0, true, vertex);
            const Point g = entries(gradient);
            long double best = infinity;
            for (const Point& corner : corners) best = std::min(best, cost_of(g, corner, l1));
            EXPECT_NEAR(static_cast<double>(cost_of(g, entries(vertex.to_matrix()), l1)),
                        static_cast<double>(best), rounding * (1 + std::abs(static_cast<double>(best))))
                << region.describe();
        }
    }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Corners, Precisions);

TYPED_TEST(Corners, OfBudgetsWithSignsBoundsAndCosts) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform;
    constexpr std::size_t n = 5;
    const std::vector<double> none(n, -infinity);
    const std::vector<double> all(n, infinity);
    const std::vector<double> zero(n, 0.0);
    const std::vector<double> one(n, 1.0);
    for (int k = 0; k < 6; ++k) {
        std::vector<double> lower(n);
        std::vector<double> upper(n);
        std::vector<double> cost(n);
        for (std::size_t i = 0; i < n; ++i) {
            lower[i] = uniform(random) < 0.3 ? 0 : -uniform(random);
            upper[i] = uniform(random) < 0.3 ? 0 : uniform(random) < 0.3 ? infinity : uniform(random);
            cost[i] = 0.1 + uniform(random);
        }
        const Shape shape{1, n};
        const double l1 = k % 2 == 0 ? 0 : 0.4;
        const Composite h{l1, 0, 0};
        this->expect_best(*bounded_l1_ball<TypeParam>(1.3, lower, upper, h), shape,
                          Bounded{lower, upper, one, 1.3}.corners(), l1);
        this->expect_best(*weighted_l1_ball<TypeParam>(1.3, cost, h), shape,
                          Bounded{none, all, cost, 1.3}.corners(), l1);
        this->expect_best(*knapsack<TypeParam>(0.9, cost, upper, h), shape,
                          Bounded{zero, upper, cost, 0.9}.corners(), l1);
        this->expect_best(*nonnegative_l1_ball<TypeParam>(2, h), shape, Bounded{zero, all, one, 2}.corners(),
                          l1);
        this->expect_best(
            *k_sparse_polytope<TypeParam>(k + 1, 2, h), shape,
            Bounded{std::vector<double>(n, -2), std::vector<double>(n, 2), one, 2.0 * (k + 1)}.corners(), l1);
    }
    this->expect_best(*simplex<TypeParam>(3), {1, n}, Bounded{zero, all, one, 3, true}.corners());
    for (const double cap : {0.25, 0.3, 0.7, 2.0})
        this->expect_best(*capped_simplex<TypeParam>(1.1, cap), {1, n},
                          Bounded{zero, std::vector<double>(n, cap), one, 1.1, true}.corners());
    for (Index k = 1; k <= 5; ++k)
        this->expect_best(
            *hypersimplex<TypeParam>(k, 0.5), {1, n},
            Bounded{zero, std::vector<double>(n, 0.5), one, 0.5 * static_cast<double>(k), true}.corners());
}

TYPED_TEST(Corners, OfTheBallsOfTheLargestEntries) {
    constexpr std::size_t n = 5;
    for (const double l1 : {0.0, 0.3})
        for (std::size_t k = 1; k <= n; ++k) {
            const Composite h{l1, 0, 0};
            const auto count = static_cast<Index>(k);
            // The hull of both balls; 0 where a term makes it the best.
            auto corners = grid(n, {-2 / static_cast<double>(k), 0, 2 / static_cast<double>(k)});
            for (std::size_t i = 0; i < n; ++i)
                for (const double entry : {-2, 2}) {
                    corners.emplace_back(n);
                    corners.back()[i] = entry;
                }
            this->expect_best(*k_norm_ball<TypeParam>(count, 2, h), {1, n}, corners, l1);
        }
    for (const double slope : {0.0, 1.0, 7.0})
        for (const double l1 : {0.0, 0.3}) {
            // Signs on any set of entries, alike in size.
            auto corners = grid(n, {-1, 0, 1});
            for (Point& x : corners) {
                double weights = 0;
                for (std::size_t i = 0, place = 0; i < n; ++i)
                    if (x[i] != 0) weights += 1 + slope * static_cast<double>(n - 1 - place++) / (n - 1);
                for (long double& entry : x) entry *= weights > 0 ? 2 / weights : 0;
            }
            this->expect_best(*owl_ball<TypeParam>(slope, 2, {l1, 0, 0}), {1, n}, corners, l1);
        }
}

TYPED_TEST(Corners, OfBoxesAndSteps) {
    for (const double l1 : {0.0, 0.4}) {
        this->expect_best(*box<TypeParam>(-0.5, 2, {l1, 0, 0}), {2, 3}, grid(6, {-0.5, 0, 2}), l1);
        this->expect_best(*box<TypeParam>(0.5, 2, {l1, 0, 0}), {2, 3}, grid(6, {0.5, 2}), l1);
    }
    const std::vector<double> lower{-1, 0, 0.5};
    const std::vector<double> upper{-0.5, 0, 3};
    std::vector<Point> corners;
    for (Point& x : grid(3, {0, 1})) {
        for (std::size_t j = 0; j < 3; ++j) x[j] = x[j] == 0 ? lower[j] : upper[j];
        corners.push_back(x);
    }
    this->expect_best(*box<TypeParam>(lower, upper), {1, 3}, corners);
    std::vector<Point> steps;
    for (const Point& x : grid(6, {-1, 3}))
        if (std::is_sorted(x.begin(), x.begin() + 3) && std::is_sorted(x.begin() + 3, x.end()))
            steps.push_back(x);
    EXPECT_EQ(steps.size(), 16U);
    this->expect_best(*isotonic<TypeParam>(-1, 3), {2, 3}, steps);
}

// The dual norm of g is what the best point wins over the ball of radius 1: over all sets of k entries, the longest.
TYPED_TEST(Corners, OfTheKSupportBallAreTheLongestPartsOfTheGradient) {
    constexpr std::size_t n = 6;
    Vertex<TypeParam> vertex;
    for (const double l1 : {0.0, 0.3})
        for (std::size_t k = 1; k <= n; ++k) {
            const auto region = k_support_ball<TypeParam>(static_cast<Index>(k), 2, {l1, 0, 0});
            for (unsigned seed = 0; seed < 40; ++seed) {
                const auto gradient = random_matrix<TypeParam>({2, 3}, seed);
                region->minimize(gradient, 0, true, vertex);
                const auto t = testing::soft_threshold(entries(gradient), l1);
                long double longest = 0;
                for (const Point& chosen : grid(n, {0, 1})) {
                    if (std::accumulate(chosen.begin(), chosen.end(), 0.0L) != static_cast<long double>(k))
                        continue;
                    long double squares = 0;
                    for (std::size_t i = 0; i < n; ++i) squares += chosen[i] * t[i] * t[i];
                    longest = std::max(longest, std::sqrt(squares));
                }
                EXPECT_NEAR(static_cast<double>(cost_of(entries(gradient), entries(vertex.to_matrix()), l1)),
                            static_cast<double>(-2 * longest), 10 * this->rounding);
                EXPECT_LE(vertex.positions.size(), k);
            }
        }
}

// ‖x‖ is the largest <x, y> over the y whose dual norm is at most 1: many of them come near it, and none exceeds it.
TEST(OwnNorms, AreDualToTheOracles) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const std::vector<double> costs{0.5, 1, 3};
    std::vector<std::unique_ptr<Region<double>>> balls;
    for (Index k = 1; k <= 3; ++k) {
        balls.push_back(k_support_ball<double>(k, 1));
        balls.push_back(k_norm_ball<double>(k, 1));
        balls.push_back(k_sparse_polytope<double>(k, 1));
    }
    balls.push_back(owl_ball<double>(2, 1));
    balls.push_back(weighted_l1_ball<double>(1, costs));
    balls.push_back(ellipsoid<double>(1, costs));
    for (const auto& ball : balls)
        for (unsigned seed = 0; seed < 5; ++seed) {
            const auto x = random_matrix<double>({1, 3}, seed, seed == 4 ? 1e-200 : 1);
            const double norm = ball->norm(x).value();
            double largest = 0;
            Vertex<double> vertex;
            for (int k = 0; k < 20000; ++k) {
                Matrix<double> y(1, 3);
                for (double& entry : y.span()) entry = normal(random);
                if (k % 2 == 0)
                    for (double& entry : y.span()) entry = std::round(entry);
                if (k % 3 == 0)
                    for (std::size_t j = 0; j < 3; ++j) y.span()[j] *= costs[j];
                ball->minimize(y, 0, true, vertex);
                const long double dual = -dot(entries(y), entries(vertex.to_matrix()));
                if (dual > 0)
                    largest = std::max(largest, static_cast<double>(dot(entries(x), entries(y)) / dual));
            }
            EXPECT_LE(largest, norm * (1 + 1e-12)) << ball->describe();
            EXPECT_GE(largest, 0.98 * norm) << ball->describe();
        }
}

// At the answer the gradient is normal to the boundary: g = −c M v.
TEST(Ellipsoids, AnswerWhereTheGradientIsNormalToTheBoundary) {
    const Eigen::MatrixXd root = Eigen::MatrixXd::Random(4, 4);
    const Eigen::MatrixXd metric = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(4, 4);
    Matrix<double> entries_of_metric(4, 4);
    for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < 4; ++j) entries_of_metric(i, j) = metric(i, j);
    const auto region = ellipsoid<double>(3, entries_of_metric);
    Vertex<double> vertex;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const auto gradient = random_matrix<double>({2, 4}, seed);
        region->minimize(gradient, 0, true, vertex);
        EXPECT_NEAR(region->norm(vertex.dense).value(), 3, 1e-12);
        Eigen::MatrixXd g(2, 4);
        Eigen::MatrixXd v(2, 4);
        for (Index i = 0; i < 2; ++i)
            for (Index j = 0; j < 4; ++j) {
                g(i, j) = gradient(i, j);
                v(i, j) = vertex.dense(i, j);
            }
        const Eigen::MatrixXd normal = v * metric;
        EXPECT_LE((g.normalized() + normal.normalized()).norm(), 1e-10);
        EXPECT_LE(2 * v.norm(), region->diameter({2, 4}));
    }
    // So is what is taken off a point that is moved to its nearest one.
    Vertex<double> nearest;
    for (const double square : {0.0, 0.7})
        for (unsigned seed = 0; seed < 10; ++seed) {
            const auto ball = ellipsoid<double>(3, entries_of_metric, {.l2 = square});
            const auto point = random_matrix<double>({2, 4}, seed, seed % 2 == 0 ? 30 : 0.01);
            const double weight = 2;
            ASSERT_TRUE(ball->proximal(point, weight, nearest));
            const double norm = ball->norm(nearest.dense).value();
            Eigen::MatrixXd off(2, 4);
            Eigen::MatrixXd u(2, 4);
            for (Index i = 0; i < 2; ++i)
                for (Index j = 0; j < 4; ++j) {
                    u(i, j) = nearest.dense(i, j);
                    off(i, j) = weight * (point(i, j) - u(i, j)) - square * u(i, j);
                }
            if (seed % 2 != 0) {
                EXPECT_LE(off.norm(), 1e-13);
                continue;
            }
            EXPECT_NEAR(norm, 3, 1e-12);
            EXPECT_LE((off.normalized() - (u * metric).normalized()).norm(), 1e-10);
            EXPECT_NEAR(nearest.composite, square / 2 * u.squaredNorm(), 1e-12);
            // The oracle with a square is the map of a point.
            if (square == 0) continue;
            Matrix<double> gradient = point;
            for (double& entry : gradient.span()) entry *= -square;
            ball->minimize(gradient, 0, true, vertex);
            ASSERT_TRUE(region->proximal(point, 1, nearest));
            for (Index i = 0; i < 8; ++i) EXPECT_NEAR(vertex.dense.data()[i], nearest.dense.data()[i], 1e-12);
        }
    EXPECT_THROW(region->check({1, 5}), QuantityError);
    entries_of_metric(0, 1) += 1;
    EXPECT_THROW((ellipsoid<double>(3, entries_of_metric)), Error) << "not symmetric";
    EXPECT_THROW((ellipsoid<double>(3, Matrix<double>(2, 2))), Error) << "not positive definite";
}

TEST(Ties, GoToTheLowestIndex) {
    Matrix<double> gradient(2, 3);
    Vertex<double> vertex;
    for (double& entry : gradient.span()) entry = -1;
    const auto positions = [&](Region<double>& region) {
        region.minimize(gradient, 0, true, vertex);
        std::vector<Index> found;
        const auto x = vertex.to_matrix();
        for (Index i = 0; i < x.size(); ++i)
            if (x.data()[i] != 0) found.push_back(i);
        return found;
    };
    using Positions = std::vector<Index>;
    EXPECT_EQ(positions(*nonnegative_l1_ball<double>(2)), Positions{0});
    EXPECT_EQ(positions(*simplex<double>(2)), Positions{0});
    EXPECT_EQ(positions(*weighted_l1_ball<double>(2, {2, 1, 1})), Positions{1});
    EXPECT_EQ(positions(*k_sparse_polytope<double>(2, 1)), (Positions{0, 1}));
    EXPECT_EQ(positions(*k_support_ball<double>(4, 1)), (Positions{0, 1, 2, 3}));
    EXPECT_EQ(positions(*hypersimplex<double>(3)), (Positions{0, 1, 2}));
    EXPECT_EQ(positions(*capped_simplex<double>(1, 0.4)), (Positions{0, 1, 2}));
    EXPECT_EQ(positions(*k_norm_ball<double>(6, 1)), Positions{0});
    gradient.fill(0);
    EXPECT_EQ(positions(*hypersimplex<double>(3)), (Positions{0, 1, 2})) << "a sum that must be reached";
    EXPECT_EQ(positions(*k_sparse_polytope<double>(3, 1)), Positions{});
    EXPECT_EQ(positions(*box<double>(0, 1)), Positions{}) << "what has no slope stays near 0";
}

// Many entries are sorted out by their leading bits first: the answer is that of a full sort.
TEST(LargeCases, AreWhatSortingGives) {
    const Index n = 20000;
    for (unsigned seed = 0; seed < 4; ++seed) {
        auto gradient = random_matrix<double>({1, n}, seed, seed == 1 ? 1e-200 : 1);
        if (seed == 2)
            for (double& entry : gradient.span()) entry = std::round(3 * entry);
        std::vector<Index> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        const auto sorted_by = [&](const auto& key) {
            std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) > key(b); });
        };
        Vertex<double> vertex;
        const auto expect_first = [&](std::size_t count) {
            std::vector<Index> expected(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
            std::sort(expected.begin(), expected.end());
            const auto x = vertex.to_matrix();
            std::vector<Index> found;
            for (Index i = 0; i < n; ++i)
                if (x.data()[i] != 0) found.push_back(i);
            EXPECT_EQ(found, expected);
        };
        for (const Index k : {1, 7, 5000, 19999}) {
            sorted_by([&](Index i) { return -gradient.data()[i]; });
            hypersimplex<double>(k)->minimize(gradient, 0, true, vertex);
            expect_first(static_cast<std::size_t>(k));
            std::iota(order.begin(), order.end(), 0);
            sorted_by([&](Index i) { return std::abs(gradient.data()[i]); });
            k_support_ball<double>(k, 1)->minimize(gradient, 0, true, vertex);
            std::size_t count = static_cast<std::size_t>(k);
            while (gradient.data()[order[count - 1]] == 0) --count;
            expect_first(count);
            std::iota(order.begin(), order.end(), 0);
        }
    }
}

}  // namespace
}  // namespace alfcg

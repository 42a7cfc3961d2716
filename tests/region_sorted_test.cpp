// Balls of norms that look at sorted magnitudes: nearest points against slow ones and against their optimality conditions; oracles of many
// entries against full sorts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "alfcg/core/error.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/objective/objective.hpp"
#include "alfcg/region/norms.hpp"
#include "alfcg/region/spec.hpp"
#include "region_reference.hpp"

namespace alfcg {
namespace {

using testing::dot;
using testing::entries;
using testing::random_matrix;

using Point = std::vector<long double>;

Point sorted_magnitudes(Point x) {
    for (long double& entry : x) entry = std::abs(entry);
    std::sort(x.rbegin(), x.rend());
    return x;
}

/// Weights of owl, or k ones: from the largest entry on.
Point owl_weights(std::size_t n, long double slope) {
    Point weights;
    for (std::size_t i = 0; i < n; ++i)
        weights.push_back(
            1 + slope * (n == 1 ? 1 : 1 - static_cast<long double>(i) / static_cast<long double>(n - 1)));
    return weights;
}
Point top_weights(std::size_t n, std::size_t k) {
    Point weights(n, 0);
    std::fill_n(weights.begin(), std::min(k, n), 1);
    return weights;
}

long double sorted_norm(const Point& x, const Point& weights) {
    return dot(sorted_magnitudes(x), weights);
}

// Every entry of a decreasing regression is the least, over those before it, of the largest, over those after it, of the means between.
Point decreasing_regression(const Point& y) {
    Point fitted(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        long double least = HUGE_VALL;
        for (std::size_t first = 0; first <= i; ++first) {
            long double most = -HUGE_VALL;
            for (std::size_t last = i; last < y.size(); ++last) {
                const auto from = y.begin() + static_cast<std::ptrdiff_t>(first);
                const auto to = y.begin() + static_cast<std::ptrdiff_t>(last) + 1;
                most = std::max(most, std::accumulate(from, to, 0.0L) / static_cast<long double>(to - from));
            }
            least = std::min(least, most);
        }
        fitted[i] = least;
    }
    return fitted;
}

// Nearest to x in the ball of a sorted norm, by bisection for its multiplier.
Point nearest_by_bisection(const Point& x, const Point& weights, long double radius) {
    if (sorted_norm(x, weights) <= radius) return x;
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(x[a]) > std::abs(x[b]); });
    const auto shrunken = [&](long double multiplier) {
        Point y;
        for (std::size_t k = 0; k < x.size(); ++k)
            y.push_back(std::abs(x[order[k]]) - multiplier * weights[k]);
        y = decreasing_regression(y);
        Point u(x.size());
        for (std::size_t k = 0; k < x.size(); ++k)
            u[order[k]] = std::copysign(std::max(y[k], 0.0L), x[order[k]]);
        return u;
    };
    long double low = 0;
    long double high = 1e3L * sorted_magnitudes(x).front();
    for (int k = 0; k < 120; ++k) {
        const long double middle = (low + high) / 2;
        (sorted_norm(shrunken(middle), weights) > radius ? low : high) = middle;
    }
    return shrunken(high);
}

// The longest part of k entries.
long double top_length(const Point& x, std::size_t k) {
    Point top = sorted_magnitudes(x);
    top.resize(std::min(k, top.size()));
    return testing::norm(top, 2);
}

// Gradients and points with ties, zeros, and without.
template <class Real>
std::vector<Matrix<Real>> some_points(Shape shape, double size) {
    std::vector<Matrix<Real>> all;
    for (unsigned seed = 0; seed < 24; ++seed) {
        all.push_back(random_matrix<Real>(shape, seed, seed % 3 == 0 ? 0.3 : 2));
        for (Real& entry : all.back().span()) {
            if (seed % 4 == 1) entry = std::round(entry);
            if (seed % 4 == 2) entry = std::copysign(Real(1.5), entry);
            if (seed % 8 == 3 && std::abs(entry) < 1) entry = 0;
            entry = static_cast<Real>(size * static_cast<double>(entry));
        }
    }
    return all;
}

template <class Real>
class Sorted : public ::testing::Test {
  protected:
    static constexpr double accuracy = std::is_same_v<Real, float> ? 3e-6 : 1e-13;

    static Point nearest_of(Region<Real>& region, const Matrix<Real>& point, double weight = 1) {
        Vertex<Real> nearest;
        EXPECT_TRUE(region.has_proximal(point.shape()));
        EXPECT_TRUE(region.proximal(point, weight, nearest));
        EXPECT_LE(region.violation(nearest.to_matrix()), accuracy);
        return entries(nearest.to_matrix());
    }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Sorted, Precisions);

TYPED_TEST(Sorted, NearestPointsAreThoseOfSlowRegressions) {
    for (const double radius : {1e-3, 0.7, 4.0, 100.0})
        for (const auto& point : some_points<TypeParam>({1, 7}, 1)) {
            const Point x = entries(point);
            const auto expect_near = [&](Region<TypeParam>& region, const Point& weights) {
                const Point u = this->nearest_of(region, point);
                const Point expected = nearest_by_bisection(x, weights, static_cast<long double>(radius));
                for (std::size_t i = 0; i < u.size(); ++i)
                    EXPECT_NEAR(static_cast<double>(u[i]), static_cast<double>(expected[i]),
                                10 * this->accuracy)
                        << region.describe();
            };
            for (const double slope : {0.0, 1.0, 7.0})
                expect_near(*owl_ball<TypeParam>(slope, radius),
                            owl_weights(7, static_cast<long double>(slope)));
            for (const Index k : {1, 3, 7, 20})
                expect_near(*k_norm_ball<TypeParam>(k, radius), top_weights(7, static_cast<std::size_t>(k)));
        }
}

// u is nearest to x if and only if x − u supports the ball there: <x − u, u> = radius ‖x − u‖°.
TYPED_TEST(Sorted, NearestPointsOfTheKSupportBallFulfilTheirConditions) {
    for (const double size : {1e-18, 1.0, 1e18})
        for (const double share : {1e-4, 0.3, 2.0, 50.0})
            for (const Index k : {1, 2, 4, 11, 30})
                for (const auto& point : some_points<TypeParam>({3, 4}, size)) {
                    const double radius = share * size;
                    const auto region = k_support_ball<TypeParam>(k, radius);
                    const Point x = entries(point);
                    const Point u = this->nearest_of(*region, point);
                    Point off = x;
                    for (std::size_t i = 0; i < off.size(); ++i) off[i] -= u[i];
                    const long double gap =
                        static_cast<long double>(radius) * top_length(off, static_cast<std::size_t>(k)) -
                        dot(off, u);
                    EXPECT_LE(std::abs(static_cast<double>(gap / (size * size))),
                              4 * this->accuracy * (1 + share * share))
                        << region->describe();
                }
}

// With one entry it is the l_1 ball, with all of them the l_2 ball; so are the others where weights are equal, or only one is not 0.
TYPED_TEST(Sorted, NearestPointsAreThoseOfLpBallsWhereTheNormsAre) {
    for (const auto& point : some_points<TypeParam>({2, 6}, 1))
        for (const double radius : {0.2, 1.0, 6.0}) {
            const auto expect_same = [&](Region<TypeParam>& region, double p) {
                const Point u = this->nearest_of(region, point, 3);
                const Point expected = this->nearest_of(*lp_ball<TypeParam>(p, radius), point, 3);
                for (std::size_t i = 0; i < u.size(); ++i)
                    EXPECT_NEAR(static_cast<double>(u[i]), static_cast<double>(expected[i]),
                                10 * this->accuracy)
                        << region.describe();
            };
            expect_same(*k_support_ball<TypeParam>(1, radius), 1);
            expect_same(*k_support_ball<TypeParam>(12, radius), 2);
            expect_same(*owl_ball<TypeParam>(0, radius), 1);
            expect_same(*k_norm_ball<TypeParam>(12, radius), 1);
            expect_same(*k_norm_ball<TypeParam>(1, radius), testing::infinity);
        }
}

TYPED_TEST(Sorted, ScalesDoNotMatter) {
    const double far = std::is_same_v<TypeParam, float> ? 1e15 : 1e150;
    for (const RegionSpec& spec : {RegionSpec{"k-support", {{"k", 3}}, {}},
                                   RegionSpec{"k-norm", {{"k", 3}}, {}}, RegionSpec{"owl", {}, {}}}) {
        const auto ball = [&](double radius) {
            RegionSpec own = spec;
            own.parameters.set("radius", radius);
            return make_region<TypeParam>(own);
        };
        const auto point = random_matrix<TypeParam>({2, 5}, 4);
        const Point expected = this->nearest_of(*ball(0.8), point);
        for (const double scale : {1 / far, far}) {
            const Point u = this->nearest_of(*ball(0.8 * scale), random_matrix<TypeParam>({2, 5}, 4, scale));
            for (std::size_t i = 0; i < u.size(); ++i)
                EXPECT_NEAR(static_cast<double>(u[i] / static_cast<long double>(scale)),
                            static_cast<double>(expected[i]), 10 * this->accuracy);
        }
        // A point far away from a small ball is next to the vertex that it points to.
        const auto small = ball(1 / far);
        const Point u = this->nearest_of(*small, random_matrix<TypeParam>({2, 5}, 4, far));
        Vertex<TypeParam> vertex;
        small->minimize(random_matrix<TypeParam>({2, 5}, 4, -1), 0, true, vertex);
        const Point v = entries(vertex.to_matrix());
        for (std::size_t i = 0; i < u.size(); ++i)
            EXPECT_NEAR(static_cast<double>(u[i]) * far, static_cast<double>(v[i]) * far,
                        10 * this->accuracy);
        Matrix<TypeParam> broken = point;
        broken(1, 1) = std::numeric_limits<TypeParam>::quiet_NaN();
        Vertex<TypeParam> nearest;
        EXPECT_THROW(small->proximal(broken, 1, nearest), Error);
    }
}

// Of many entries most are sorted out by sums over ranges of sizes, or by a sample: the answers are those of a full sort.
TYPED_TEST(Sorted, OraclesOfManyEntriesReachTheDualNorm) {
    constexpr Index n = 50'000;
    for (unsigned seed = 0; seed < 5; ++seed) {
        auto gradient = random_matrix<TypeParam>({1, n}, seed);
        for (Index i = 0; i < n; ++i) {
            TypeParam& entry = gradient.data()[i];
            if (seed == 1) entry = std::round(entry);                                   // ties
            if (seed == 2) entry = static_cast<TypeParam>(std::exp(5 * entry));         // few that count
            if (seed == 3 && i % 64 >= 8) entry *= TypeParam(0.01);                     // a sample of others
            if (seed == 4) entry = static_cast<TypeParam>(1 + 1e-3 * std::abs(entry));  // all alike
        }
        const Point t = sorted_magnitudes(entries(gradient));
        Vertex<TypeParam> vertex;
        const auto expect_wins = [&](Region<TypeParam>& region, long double dual) {
            region.minimize(gradient, 0, true, vertex);
            const Matrix<TypeParam> v = vertex.to_matrix();
            EXPECT_NEAR(static_cast<double>(-dot(entries(gradient), entries(v)) / dual), 1, this->accuracy)
                << region.describe() << ' ' << seed;
            EXPECT_LE(region.violation(v), 30 * this->accuracy) << region.describe();
        };
        for (const double slope : {0.0, 1.0, 50.0}) {
            const Point weights = owl_weights(static_cast<std::size_t>(n), static_cast<long double>(slope));
            long double ratio = 0;
            long double sum = 0;
            long double below = 0;
            for (std::size_t k = 0; k < t.size(); ++k) {
                sum += t[k];
                below += weights[k];
                ratio = std::max(ratio, sum / below);
            }
            expect_wins(*owl_ball<TypeParam>(slope, 1), ratio);
        }
        const auto first = [&](std::size_t k) {
            return std::accumulate(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(k), 0.0L);
        };
        for (const std::size_t k : {1U, 20U, 1000U, 30'000U}) {
            const auto count = static_cast<Index>(k);
            expect_wins(*k_support_ball<TypeParam>(count, 1), top_length(t, k));
            expect_wins(*k_sparse_polytope<TypeParam>(count, 1), first(k));
            expect_wins(*k_norm_ball<TypeParam>(count, 1),
                        std::max(t.front(), first(t.size()) / static_cast<long double>(k)));
        }
    }
}

// The points that are nearest to a given one, by accelerated steps.
TEST(SortedBalls, AcceleratedStepsWorkInThem) {
    const auto centre = random_matrix<double>({2, 6}, 9, 2);
    for (const RegionSpec& spec : {RegionSpec{"k-support", {{"radius", 1.5}, {"k", 3}}, {}},
                                   RegionSpec{"k-norm", {{"radius", 1.5}, {"k", 3}}, {}},
                                   RegionSpec{"owl", {{"radius", 1.5}}, {.l1 = 0.1, .l2 = 0.2}}}) {
        const auto region = make_region<double>(spec);
        double reached = 0;
        for (const std::string method : {"accelerated", "alfcg-c", "fw-armijo"}) {
            Options options;
            options.method = method;
            // alfcg-c ends where values of f tell two points apart no more: over these balls at gaps of up to 4e-8, with an objective
            // that is exact.
            options.gap = method == "fw-armijo" ? 1e-4 : method == "alfcg-c" ? 1e-7 : 1e-9;
            options.max_iterations = 200'000;
            const auto objective = custom_objective<double>(centre.shape(), [&](auto x, auto gradient) {
                double value = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const double away = x[i] - centre.span()[i];
                    gradient[i] = static_cast<double>(1 + i % 3) * away;
                    value += gradient[i] * away / 2;
                }
                return value;
            });
            const auto solution = solve<double>(*objective, *region, options);
            EXPECT_EQ(solution.status, Status::converged) << method << ' ' << region->describe();
            if (method == "accelerated") reached = solution.metrics.objective;
            EXPECT_NEAR(solution.metrics.objective, reached, method == "fw-armijo" ? 2e-4 : 2e-9) << method;
        }
    }
}

}  // namespace
}  // namespace alfcg

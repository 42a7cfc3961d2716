// The defining property of each gradient estimator (spec 3), on small problems where it can be computed outright.
#include "estimator/estimator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "alfcg/core/error.hpp"
#include "alfcg/solve/solve.hpp"
#include "bridge.hpp"
#include "estimator/batches.hpp"
#include "method/sliding.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"

namespace alfcg {
namespace {

reference::Problem small_problem(Index rows = 6) {
    auto problem = reference::random_problem("multinomial", rows, 4);
    problem.radius = 1;
    return problem;
}

// A walk of points, as a run would make.
std::vector<reference::Matrix> walk(const reference::Problem& problem, int length) {
    std::vector<reference::Matrix> points{reference::Matrix::Zero(problem.outputs, problem.features())};
    for (int t = 1; t < length; ++t) {
        const auto seed = static_cast<unsigned>(50 + t);
        points.emplace_back(points.back() +
                            0.2 * reference::gaussian(problem.outputs, problem.features(), seed));
    }
    return points;
}

// Every batch of two rows out of N, in order, with replacement: the whole sample space of a draw.
std::vector<std::vector<Index>> all_pairs(Index rows) {
    std::vector<std::vector<Index>> pairs;
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < rows; ++j) pairs.push_back({i, j});
    return pairs;
}

using Maker = std::unique_ptr<Estimator<double>> (*)(const EstimatorParts<double>&);

// g at the last point of the walk after the estimator has seen all of it with these batches.
Matrix<double> last_estimate(Maker make, const reference::Problem& problem,
                             const std::vector<reference::Matrix>& points,
                             const std::vector<std::vector<Index>>& draws) {
    Bridge<double> bridge(problem);
    Batches batches(problem.rows(), 0, &draws, {});
    const auto estimator =
        make({.objective = *bridge.objective, .batches = batches, .batch = 2, .period = 50});
    Matrix<double> gradient(bridge.objective->shape());
    for (std::size_t t = 0; t < points.size(); ++t) {
        estimator->estimate(static_cast<Index>(t), to_matrix<double>(points[t]), std::nullopt, gradient);
    }
    return gradient;
}

TEST(Estimators, SvrgAndSagaAreUnbiased) {
    const auto problem = small_problem();
    const auto points = walk(problem, 4);
    for (const Maker make : {Maker{svrg_estimator<double>}, Maker{saga_estimator<double>}}) {
        // Two draws are made before the last one, which runs over its whole sample space.
        reference::Matrix mean = reference::Matrix::Zero(problem.outputs, problem.features());
        double spread = 0;
        const auto space = all_pairs(problem.rows());
        const reference::Matrix truth = reference::full_gradient(problem, points.back());
        for (const auto& batch : space) {
            const auto g = from_matrix(last_estimate(make, problem, points, {{0, 3}, {5, 5}, batch}));
            mean += g / static_cast<double>(space.size());
            spread = std::max(spread, (g - truth).norm());
        }
        EXPECT_LE((mean - truth).norm(), 1e-13);
        EXPECT_GT(spread, 1e-3) << "single answers do differ";
    }
}

TEST(Estimators, SpiderAndStormAreBiasedButFollowTheirRecursion) {
    const auto problem = small_problem();
    const auto points = walk(problem, 8);
    const std::vector<std::vector<Index>> draws{{0, 1}, {2, 2}, {5, 3}, {4, 0},
                                                {1, 1}, {3, 5}, {2, 4}, {0, 0}};
    Bridge<double> bridge(problem);
    Batches spider_batches(problem.rows(), 0, &draws, {});
    Batches storm_batches(problem.rows(), 0, &draws, {});
    const auto spider = spider_estimator<double>(
        {.objective = *bridge.objective, .batches = spider_batches, .batch = 2, .period = 4});
    const auto storm = storm_estimator<double>(
        {.objective = *bridge.objective, .batches = storm_batches, .batch = 2, .power = 0.5});
    Matrix<double> a(bridge.objective->shape());
    Matrix<double> b(bridge.objective->shape());
    reference::Matrix expected_spider;
    reference::Matrix expected_storm;
    std::size_t spider_draw = 0;
    for (std::size_t t = 0; t < points.size(); ++t) {
        const auto x = to_matrix<double>(points[t]);
        const auto at = [&](const std::vector<Index>& batch, std::size_t k) {
            return reference::batch_gradient(problem, points[k], {batch.begin(), batch.end()});
        };
        const Estimate spider_said = spider->estimate(static_cast<Index>(t), x, std::nullopt, a);
        const Estimate storm_said = storm->estimate(static_cast<Index>(t), x, std::nullopt, b);
        if (t % 4 == 0) {
            expected_spider = reference::full_gradient(problem, points[t]);
            EXPECT_EQ(spider_said.cost, problem.rows());
            ASSERT_TRUE(spider_said.value.has_value()) << "a full reset is exact";
            EXPECT_LE((from_matrix(a) - expected_spider).norm(), 1e-14);
        } else {
            const auto& batch = draws[spider_draw++];
            expected_spider += at(batch, t) - at(batch, t - 1);
            EXPECT_EQ(spider_said.cost, 4);
        }
        const double alpha = std::pow(static_cast<double>(t + 1), -0.5);
        EXPECT_DOUBLE_EQ(*storm_said.alpha, alpha);
        expected_storm =
            t == 0 ? at(draws[t], t) : (1 - alpha) * (expected_storm - at(draws[t], t - 1)) + at(draws[t], t);
        EXPECT_LE((from_matrix(a) - expected_spider).norm(), 1e-13);
        EXPECT_LE((from_matrix(b) - expected_storm).norm(), 1e-13);
    }
}

// The residual table of a linear model and the table of whole gradients are the same table.
TEST(Estimators, SagasResidualTableEqualsStoredGradients) {
    for (const Storage storage : {Storage::dense, Storage::sparse}) {
        const auto problem = small_problem(9);
        Bridge<double> bridge(problem, storage);
        const auto stored_sum = custom_sum<double>(
            bridge.objective->shape(), problem.rows(), [&](auto rows, auto x, auto gradient) {
                reference::Matrix point(problem.outputs, problem.features());
                for (Index i = 0; i < point.rows(); ++i)
                    for (Index j = 0; j < point.cols(); ++j)
                        point(i, j) = x[static_cast<std::size_t>(i * point.cols() + j)];
                const auto g = to_matrix<double>(
                    reference::batch_gradient(problem, point, reference::Draw(rows.begin(), rows.end())));
                std::copy(g.span().begin(), g.span().end(), gradient.begin());
                return reference::full_value(problem, point);
            });
        const auto residual_table = bridge.objective->gradient_table();
        const auto stored_table = stored_sum->gradient_table();
        const auto points = walk(problem, 5);
        Matrix<double> mean_a, mean_b, batch_a, batch_b, change_a, change_b;
        residual_table->fill(to_matrix<double>(points[0]), mean_a);
        stored_table->fill(to_matrix<double>(points[0]), mean_b);
        reference::Matrix mean = from_matrix(mean_a);
        EXPECT_LE((mean - from_matrix(mean_b)).norm(), 1e-14);
        std::vector<reference::Matrix> table;  // a_i, kept by hand
        for (Index i = 0; i < problem.rows(); ++i)
            table.push_back(reference::batch_gradient(problem, points[0], {i}));
        for (std::size_t t = 1; t < points.size(); ++t) {
            const std::vector<Index> rows{3, static_cast<Index>(t), 3, 8, static_cast<Index>(t), 3};
            const auto x = to_matrix<double>(points[t]);
            residual_table->exchange(rows, x, batch_a, change_a);
            stored_table->exchange(rows, x, batch_b, change_b);
            EXPECT_LE((from_matrix(batch_a) - from_matrix(batch_b)).norm(), 1e-14);
            EXPECT_LE((from_matrix(change_a) - from_matrix(change_b)).norm(), 1e-14);
            mean += from_matrix(change_a);
            for (const Index row : rows)
                table[static_cast<std::size_t>(row)] = reference::batch_gradient(problem, points[t], {row});
            reference::Matrix by_hand = reference::Matrix::Zero(problem.outputs, problem.features());
            for (const auto& a : table) by_hand += a / static_cast<double>(problem.rows());
            EXPECT_LE((mean - by_hand).norm(), 1e-14) << "the running mean is the mean of the table";
        }
    }
}

TEST(Estimators, MedianOfMeansSurvivesPlantedOutliers) {
    // Two of five groups are poisoned: every coordinate of the median stays within the range of the sound groups.
    auto problem = small_problem(10);
    problem.X.row(9) *= 1e9;
    const std::vector<std::vector<Index>> draws{{0, 1}, {9, 2}, {3, 4}, {9, 9}, {5, 6}};
    Bridge<double> bridge(problem);
    Batches batches(problem.rows(), 0, &draws, {});
    const auto median = median_estimator<double>(
        {.objective = *bridge.objective, .batches = batches, .batch = 2, .groups = 5});
    const auto point = walk(problem, 2).back();
    Matrix<double> g(bridge.objective->shape());
    const Estimate said = median->estimate(0, to_matrix<double>(point), std::nullopt, g);
    EXPECT_EQ(said.cost, 10);
    std::vector<reference::Matrix> sound;
    for (const std::size_t k : {0U, 2U, 4U}) {
        sound.push_back(reference::batch_gradient(problem, point, {draws[k].begin(), draws[k].end()}));
    }
    for (Index i = 0; i < g.rows(); ++i)
        for (Index j = 0; j < g.cols(); ++j) {
            const auto [low, high] = std::minmax({sound[0](i, j), sound[1](i, j), sound[2](i, j)});
            EXPECT_GE(g(i, j), low - 1e-12);
            EXPECT_LE(g(i, j), high + 1e-12);
        }
}

TEST(Estimators, GrowingBatchesAreTheIntegerPowerAndStopAtN) {
    for (Index t = 0; t < 100000; ++t) {
        const Index b = growing_batch_size(t);
        ASSERT_LE(b * b * b, (t + 1) * (t + 1));
        ASSERT_GT((b + 1) * (b + 1) * (b + 1), (t + 1) * (t + 1));
    }
    EXPECT_EQ(growing_batch_size(7), 4);   // 8^(2/3) = 4 exactly, where floating point gives 3.99…
    EXPECT_EQ(growing_batch_size(26), 9);  // 27^(2/3)
    EXPECT_EQ(growing_batch_size(999), 100);
    auto problem = small_problem(20);
    Bridge<double> bridge(problem);
    Options options;
    options.method = "sfw-gb";
    options.max_iterations = 120;
    std::size_t largest = 0;
    options.on_draw = [&](auto batch) { largest = std::max(largest, batch.size()); };
    const auto rows = run_rows(bridge, options);
    EXPECT_EQ(largest, 19U) << "N rows and more are no draw";
    for (const auto& row : rows)
        if (row.iteration > 100 && row.metrics.error) {
            EXPECT_EQ(*row.metrics.error, 0);
        }
    EXPECT_DOUBLE_EQ(rows[110].epochs - rows[109].epochs, 1);
}

TEST(Estimators, HeavyBallRemembersTheFullGradients) {
    const auto problem = small_problem();
    const auto points = walk(problem, 5);
    Bridge<double> bridge(problem);
    Batches batches(problem.rows(), 0, nullptr, {});
    const auto heavy =
        heavy_ball_estimator<double>({.objective = *bridge.objective, .batches = batches, .momentum = 0.75});
    Matrix<double> g(bridge.objective->shape());
    reference::Matrix expected = reference::full_gradient(problem, points[0]);
    for (std::size_t t = 0; t < points.size(); ++t) {
        heavy->estimate(static_cast<Index>(t), to_matrix<double>(points[t]), std::nullopt, g);
        if (t > 0) expected = 0.75 * expected + 0.25 * reference::full_gradient(problem, points[t]);
        EXPECT_LE((from_matrix(g) - expected).norm(), 1e-14);
    }
}

// <g,u> + (β/2)‖u − x‖² over a ball is least at the projection of x − g/β: many inner steps must come near it.
TEST(Sliding, SolvesItsInnerProblem) {
    const auto objective = custom_objective<double>({1, 2}, [](auto /*x*/, auto gradient) {
        gradient[0] = 0.3;
        gradient[1] = -4;
        return 0.0;
    });
    const auto ball = lp_ball<double>(2, 1);
    Sliding<double> sliding(2.0, 4000);
    Limits limits;
    limits.max_iterations = 1;  // γ = 1: the first y is the first x
    const auto result = solve(*objective, *ball, sliding, limits);
    // β = 3L/2 = 3 and x = 0: the point (−0.1, 4/3), projected.
    const double norm = std::hypot(0.1, 4.0 / 3);
    EXPECT_NEAR(result.x(0, 0), -0.1 / norm, 1e-6);
    EXPECT_NEAR(result.x(0, 1), 4.0 / 3 / norm, 1e-6);
}

TEST(Batches, LookingAheadDoesNotChangeTheDraws) {
    Batches plain(1000, 7, nullptr, {});
    std::vector<std::vector<Index>> reported;
    Batches ahead(1000, 7, nullptr,
                  [&](std::span<const Index> rows) { reported.emplace_back(rows.begin(), rows.end()); });
    std::size_t draws = 0;
    // Batches grow, shrink, and are not always of the size that was looked at.
    for (const Index size : {5, 5, 3, 9, 9, 1, 12}) {
        const auto expected = plain.draw(size);
        const auto seen = ahead.upcoming(size);
        EXPECT_TRUE(std::ranges::equal(seen, expected));
        if (draws % 2 == 1) ahead.upcoming(size + 4);
        EXPECT_EQ(reported.size(), draws) << "a batch is reported when it is drawn";
        EXPECT_TRUE(std::ranges::equal(ahead.draw(size), expected));
        ++draws;
        ASSERT_EQ(reported.size(), draws);
        EXPECT_TRUE(std::ranges::equal(reported.back(), expected));
    }
    const std::vector<std::vector<Index>> written{{1, 2}, {3}};
    Batches replay(10, 7, &written, {});
    for (const auto& batch : written) {
        EXPECT_TRUE(std::ranges::equal(replay.upcoming(4), batch));
        EXPECT_TRUE(std::ranges::equal(replay.draw(4), batch));
    }
    EXPECT_TRUE(replay.upcoming(4).empty());
}

TEST(Batches, RowsAreTheRemaindersOfTheRandomNumbers) {
    for (const Index samples : {Index{1}, Index{2}, Index{3}, Index{50000}, (Index{1} << 32) + 1,
                                (Index{1} << 62) + 1, std::numeric_limits<Index>::max()}) {
        Batches batches(samples, 7, nullptr, nullptr);
        std::mt19937_64 random(7);
        for (int round = 0; round < 3; ++round)
            for (const Index row : batches.draw(400))
                EXPECT_EQ(static_cast<std::uint64_t>(row), random() % static_cast<std::uint64_t>(samples));
    }
    EXPECT_THROW(Batches(0, 7, nullptr, nullptr), Error);
}

TEST(Batches, DrawsAreUniformWithReplacement) {
    Batches batches(7, 3, nullptr, {});
    std::map<Index, int> counts;
    constexpr int rounds = 70000;
    for (int k = 0; k < rounds / 10; ++k)
        for (const Index row : batches.draw(10)) ++counts[row];
    ASSERT_EQ(counts.size(), 7U);
    // Standard deviation of each count is sqrt(n p (1-p)) = 93; six of them.
    for (const auto& [row, count] : counts) EXPECT_NEAR(count, rounds / 7.0, 6 * 93) << row;
}

}  // namespace
}  // namespace alfcg

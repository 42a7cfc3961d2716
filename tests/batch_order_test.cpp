// Batches of rows that lie side by side: every row once an epoch, and as likely as any other at every place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "alfcg/method/solve.hpp"
#include "bridge.hpp"
#include "estimator/batches.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"

namespace alfcg {
namespace {

std::vector<Index> drawn(Index samples, Index block, std::uint64_t seed, const std::vector<Index>& sizes) {
    Batches batches(samples, seed, nullptr, {}, block);
    std::vector<Index> rows;
    for (const Index size : sizes) {
        const auto coming = batches.upcoming(size);
        const std::vector<Index> promised(coming.begin(), coming.end());
        const auto batch = batches.draw(size);
        EXPECT_TRUE(std::equal(batch.begin(), batch.end(), promised.begin(), promised.end()));
        rows.insert(rows.end(), batch.begin(), batch.end());
    }
    return rows;
}

TEST(BlockOrder, EveryRowComesOnceAnEpochWhateverTheBatches) {
    for (const Index samples : {1, 2, 7, 60, 61, 1000})
        for (const Index block : {1, 3, 16, 60, 5000})
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                std::vector<Index> sizes;
                Index total = 0;
                for (Index k = 0; total < 3 * samples; ++k) {
                    sizes.push_back(std::min<Index>(1 + (k * 7) % 11, 3 * samples - total));
                    total += sizes.back();
                }
                std::vector<Index> rows = drawn(samples, block, seed, sizes);
                for (int epoch = 0; epoch < 3; ++epoch) {
                    const auto first = rows.begin() + epoch * samples;
                    std::sort(first, first + samples);
                    for (Index i = 0; i < samples; ++i) ASSERT_EQ(first[i], i);
                }
            }
}

TEST(BlockOrder, RowsOfABlockLieSideBySide) {
    const Index samples = 1000;
    const Index block = 16;
    const std::vector<Index> rows = drawn(samples, block, 4, {samples});
    Index jumps = 0;
    for (Index i = 1; i < samples; ++i)
        jumps += rows[static_cast<std::size_t>(i)] != (rows[static_cast<std::size_t>(i - 1)] + 1) % samples;
    EXPECT_LE(jumps, samples / block);
    EXPECT_GE(jumps, samples / block / 2) << "blocks come in another order";
}

// Over many seeds every row is at a place as often as any other: five standard deviations of a fair draw.
TEST(BlockOrder, EveryRowIsAsLikelyAtEveryPlace) {
    const Index samples = 13;
    const int seeds = 20000;
    std::vector<std::vector<int>> seen(13, std::vector<int>(13));
    for (int seed = 0; seed < seeds; ++seed) {
        const std::vector<Index> rows = drawn(samples, 5, static_cast<std::uint64_t>(seed), {samples});
        for (std::size_t place = 0; place < rows.size(); ++place)
            ++seen[place][static_cast<std::size_t>(rows[place])];
    }
    const double share = 1.0 / 13;
    const double deviation = std::sqrt(seeds * share * (1 - share));
    for (const auto& place : seen)
        for (const int count : place) EXPECT_NEAR(count, seeds * share, 5 * deviation);
}

// The batch gradients of an epoch have the full gradient for their mean.
TEST(BlockOrder, AnEpochOfBatchesIsTheFullGradient) {
    const auto problem = reference::random_problem("multinomial", 60, 4);
    Bridge<double> bridge(problem);
    const reference::Matrix at = 0.3 * reference::gaussian(problem.outputs, problem.features(), 7);
    const reference::Matrix truth = reference::full_gradient(problem, at);
    Batches batches(60, 3, nullptr, {}, 8);
    const auto x = to_matrix<double>(at);
    reference::Matrix mean = reference::Matrix::Zero(problem.outputs, problem.features());
    for (int k = 0; k < 6; ++k) {
        Matrix<double> gradient(bridge.objective->shape());
        bridge.objective->batch_gradient(batches.draw(10), x, gradient);
        mean += from_matrix(gradient) / 6;
    }
    EXPECT_LE((mean - truth).norm(), 1e-13);
}

TEST(BlockOrder, RunsDrawByItAndAreTheSameAgain) {
    const auto problem = reference::random_problem("multinomial", 500, 6);
    Bridge<double> bridge(problem);
    const auto drawn_by = [&](BatchOrder order) {
        Options options;
        options.method = "alfcg-fs";
        options.max_iterations = 20;
        options.batch_order = order;
        std::vector<std::vector<Index>> all;
        options.on_draw = [&](auto batch) { all.emplace_back(batch.begin(), batch.end()); };
        solve(*bridge.objective, *bridge.region, options, Observer<double>{},
              static_cast<const Matrix<double>*>(nullptr));
        return all;
    };
    const auto blocks = drawn_by(BatchOrder::blocks);
    EXPECT_EQ(blocks, drawn_by(BatchOrder::blocks));
    EXPECT_NE(blocks, drawn_by(BatchOrder::random));
    ASSERT_FALSE(blocks.empty());
    const auto& batch = blocks.front();
    std::set<Index> different(batch.begin(), batch.end());
    EXPECT_EQ(different.size(), batch.size());
}

}  // namespace
}  // namespace alfcg

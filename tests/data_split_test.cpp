// Holding out: the two parts are a partition of the rows, in order, dense and sparse, labels with them.

#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "data_files.hpp"

namespace alfcg {
namespace {

constexpr Index d = 4;

// Row i of N: every entry tells its row; every third row is empty in the sparse form. Labels tell the row as
// well.
Dataset<double> numbered(Index n, bool sparse, bool named) {
    std::vector<double> values;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < d; ++j)
            values.push_back(i % 3 == 2 ? 0 : static_cast<double>(1000 * (i + 1) + j));
    Dataset<double> data;
    data.name = "numbered";
    if (sparse)
        data.features = sparse_features<double>(values, n, d);
    else
        data.features = dense_features<double>(values, n, d);
    for (Index i = 0; i < n; ++i) data.labels.push((named ? "row " : "") + std::to_string(i));
    return data;
}

std::vector<double> row_of(const Dataset<double>& data, Index i) {
    const auto all = entries(data.features);
    return {all.begin() + i * d, all.begin() + (i + 1) * d};
}

TEST(HoldOut, SplitsTheRowsIntoTwoPartsInOrder) {
    for (const bool sparse : {false, true})
        for (const bool named : {false, true})
            for (const auto& [n, fraction] :
                 {std::pair<Index, double>{2, 0.5}, {3, 0.1}, {3, 0.99}, {50, 0.25}, {101, 0.7}}) {
                const auto whole = numbered(n, sparse, named);
                auto rest = numbered(n, sparse, named);
                const auto held = hold_out(rest, fraction, 5);
                const Index expected =
                    std::clamp<Index>(std::llround(fraction * static_cast<double>(n)), 1, n - 1);
                EXPECT_EQ(rows(held.features), expected);
                EXPECT_EQ(rows(rest.features), n - expected);
                EXPECT_EQ(cols(held.features), d);
                EXPECT_EQ(held.name, "numbered");
                std::set<Index> seen;
                for (const Dataset<double>* part : {&std::as_const(rest), &held}) {
                    ASSERT_EQ(part->labels.size(), rows(part->features));
                    Index previous = -1;
                    for (Index i = 0; i < rows(part->features); ++i) {
                        const std::string label = part->labels.text(i);
                        const Index row = std::stoll(named ? label.substr(4) : label);
                        EXPECT_GT(row, previous);
                        previous = row;
                        seen.insert(row);
                        EXPECT_EQ(row_of(*part, i), row_of(whole, row));
                    }
                }
                EXPECT_EQ(seen.size(), static_cast<std::size_t>(n));
            }
}

TEST(HoldOut, TheSeedDecidesWhichRows) {
    const auto labels = [](std::uint64_t seed) {
        auto data = numbered(60, false, false);
        return texts(hold_out(data, 0.5, seed).labels);
    };
    EXPECT_EQ(labels(1), labels(1));
    EXPECT_NE(labels(1), labels(2));
}

TEST(HoldOut, EveryRowIsEquallyLikely) {
    constexpr int draws = 4000;
    std::vector<double> count(10);
    for (int seed = 0; seed < draws; ++seed) {
        auto data = numbered(10, true, false);
        const auto held = hold_out(data, 0.3, static_cast<std::uint64_t>(seed));
        for (Index i = 0; i < held.labels.size(); ++i)
            count[static_cast<std::size_t>(held.labels.number(i))] += 1;
    }
    for (const double c : count) EXPECT_NEAR(c, 0.3 * draws, 5 * std::sqrt(0.3 * 0.7 * draws));
}

TEST(HoldOut, TheRestStaysWhereItWas) {
    auto data = numbered(30, false, false);
    const double* before = std::get<DenseFeatures<double>>(data.features).data();
    hold_out(data, 0.4, 1);
    EXPECT_EQ(std::get<DenseFeatures<double>>(data.features).data(), before);
}

TEST(HoldOut, DataWithoutLabelsCanBeSplit) {
    auto data = numbered(9, true, false);
    data.labels = {};
    const auto held = hold_out(data, 0.4, 1);
    EXPECT_TRUE(held.labels.empty());
    EXPECT_EQ(rows(held.features) + rows(data.features), 9);
}

TEST(HoldOut, ImpossibleFractionsAndTooFewRowsAreRefused) {
    auto data = numbered(9, false, false);
    for (const double fraction : {0.0, 1.0, -0.5, 2.0, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THROW(hold_out(data, fraction, 1), Error) << fraction;
    EXPECT_EQ(rows(data.features), 9);
    auto one = numbered(1, false, false);
    EXPECT_EQ(message_of<Error>([&] { hold_out(one, 0.5, 1); }),
              "numbered: at least 2 rows are needed to hold some out, not 1");
}

}  // namespace
}  // namespace alfcg

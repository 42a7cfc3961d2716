// Several ranks compute what one process does: on ranks that are threads, every method, loss and form of data.
#include "alfcg/core/ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include "alfcg/alfcg.hpp"
#include "temporary_folder.hpp"
#include "thread_ranks.hpp"

namespace alfcg {
namespace {

TEST(Ranks, AddUpInOrderAndGetTheSameBits) {
    // Numbers whose sum depends on the order; short and long, with some that come along.
    for (const std::size_t count : {0U, 1U, 5U, 256U, 257U, 1000U, 5003U}) {
        for (const int size : {1, 2, 3, 4, 7}) {
            std::vector<std::vector<double>> given(static_cast<std::size_t>(size));
            std::mt19937 random(7);
            for (auto& numbers : given)
                for (std::size_t i = 0; i < count + 2; ++i)
                    numbers.push_back(std::ldexp(std::normal_distribution<double>()(random),
                                                 static_cast<int>(random() % 60)));
            std::vector<double> expected(count + 2, 0.0);
            for (const auto& numbers : given)
                for (std::size_t i = 0; i < numbers.size(); ++i) expected[i] += numbers[i];
            on_ranks(size, [&](Ranks& ranks) {
                std::vector<double> numbers = given[static_cast<std::size_t>(ranks.rank())];
                std::vector<double> few{numbers[count], numbers[count + 1]};
                numbers.resize(count);
                const std::int64_t before = ranks.bytes_sent();
                ranks.sum(std::span(numbers), few);
                for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(numbers[i], expected[i]);
                EXPECT_EQ(few[0], expected[count]);
                EXPECT_EQ(few[1], expected[count + 1]);
                const auto n = static_cast<std::int64_t>(count);
                const std::int64_t each =
                    8 * count <= Ranks::small ? 8 * n + 16 : 16 * ((n + size - 1) / size) + 16;
                EXPECT_EQ(ranks.bytes_sent() - before, each * (size - 1));
            });
        }
    }
}

TEST(Ranks, AddUpSinglePrecision) {
    for (const std::size_t count : {3U, 1001U}) {
        on_ranks(3, [&](Ranks& ranks) {
            std::vector<float> numbers(count, 0.5F + static_cast<float>(ranks.rank()));
            std::vector<double> few{1, 2, 3};
            ranks.sum(std::span(numbers), few);
            for (const float number : numbers) EXPECT_EQ(number, 4.5F);
            EXPECT_EQ(few, (std::vector<double>{3, 6, 9}));
        });
    }
}

TEST(Ranks, TellGatherAndAgree) {
    on_ranks(4, [](Ranks& ranks) {
        EXPECT_EQ(ranks.told(10 + ranks.rank()), 10);
        EXPECT_EQ(ranks.gather(ranks.rank()), (std::vector<int>{0, 1, 2, 3}));
        EXPECT_EQ(ranks.gather(std::string(static_cast<std::size_t>(ranks.rank()), 'a')),
                  (std::vector<std::string>{"", "a", "aa", "aaa"}));
        std::vector<double> most{static_cast<double>(ranks.rank()), -static_cast<double>(ranks.rank())};
        ranks.largest(most);
        EXPECT_EQ(most, (std::vector<double>{3, 0}));
        EXPECT_FALSE(ranks.all(ranks.rank() != 2));
        EXPECT_TRUE(ranks.all(true));
    });
}

// Of different lengths, shorter and longer than what goes at a time; and empty.
TEST(Ranks, CollectAndDeal) {
    on_ranks(4, [](Ranks& ranks) {
        const auto part = [](int rank) {
            const auto k = static_cast<std::size_t>(rank);
            std::string text(k == 1 ? 0 : (std::size_t{3} << 19U) * k + 5, 'a');
            for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * (k + 3) >> 8U);
            return text;
        };
        const std::vector<std::string> parts = ranks.collect(part(ranks.rank()));
        ASSERT_EQ(parts.size(), ranks.rank() == 0 ? 4U : 0U);
        for (std::size_t k = 0; k < parts.size(); ++k)
            EXPECT_TRUE(parts[k] == part(static_cast<int>(k))) << k;
        EXPECT_TRUE(ranks.deal(parts) == part(ranks.rank()));
        EXPECT_EQ(ranks.deal(std::vector<std::string>(parts.size())), "");
    });
}

TEST(Ranks, WhatIsWrongOnOneIsThrownOnAll) {
    on_ranks(3, [](Ranks& ranks) {
        try {
            agree(&ranks, [&] {
                agree(&ranks, [] {});
                agree(&ranks, [&] {
                    if (ranks.rank() == 1) throw QuantityError("radius", "must be round");
                });
                FAIL() << "went on";
            });
            FAIL() << "did not throw";
        } catch (const QuantityError& error) {
            EXPECT_EQ(error.quantity(), "radius");
            EXPECT_EQ(error.complaint(), "must be round");
        }
        // One that fails where the others do not look meets them later.
        EXPECT_THROW(agree(&ranks,
                           [&] {
                               if (ranks.rank() == 2) throw Error("no file");
                               agree(&ranks, [] {});
                           }),
                     Error);
    });
}

struct Made {
    Matrix<double> rows;
    Targets targets;
    LossSpec loss;
};

// Rows of numbers, half of them zeros, with classes or values that depend on them.
Made make(const std::string& loss, Index count, Index cols) {
    Made made;
    made.loss.name = loss;
    made.rows.reshape({count, cols});
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    const TargetKind kind = loss_info(loss).target;
    made.targets.outputs = kind == TargetKind::classes ? 3 : 1;
    for (Index i = 0; i < count; ++i) {
        double sum = 0.3 * normal(random);
        for (Index j = 0; j < cols; ++j) {
            made.rows(i, j) = random() % 2 == 0 ? 0 : normal(random);
            sum += made.rows(i, j) * (static_cast<double>(j % 3) - 0.9);
        }
        if (kind == TargetKind::classes) made.targets.classes.push_back(sum < -1 ? 0 : sum < 1 ? 1 : 2);
        if (kind == TargetKind::two_classes) made.targets.values.push_back(sum < 0 ? -1 : 1);
        if (kind == TargetKind::numbers) made.targets.values.push_back(7 + sum);
    }
    return made;
}

Features<double> features_of(const Made& made, Index first, Index last, bool sparse) {
    const Index cols = made.rows.cols();
    if (!sparse) {
        Buffer<double> entries;
        double* to = entries.extend(static_cast<std::size_t>((last - first) * cols));
        std::copy_n(made.rows.data() + first * cols, (last - first) * cols, to);
        return DenseFeatures<double>(std::move(entries), last - first, cols);
    }
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<double> value;
    start.push_back(0);
    for (Index i = first; i < last; ++i) {
        for (Index j = 0; j < cols; ++j) {
            if (made.rows(i, j) == 0) continue;
            column.push_back(static_cast<std::int32_t>(j));
            value.push_back(made.rows(i, j));
        }
        start.push_back(static_cast<Index>(value.size()));
    }
    return SparseFeatures<double>{std::move(start), std::move(column), std::move(value), last - first, cols};
}

Targets some_of(const Targets& all, Index first, Index last) {
    Targets some;
    some.outputs = all.outputs;
    const auto cut = [&](const auto& from, auto& to) {
        if (!from.empty()) to.assign(from.begin() + first, from.begin() + last);
    };
    cut(all.classes, some.classes);
    cut(all.values, some.values);
    cut(all.weights, some.weights);
    return some;
}

struct Course {
    std::vector<Matrix<double>> x;
    std::vector<double> objective;
    std::vector<double> gap;
    std::vector<double> intercept;
    double epochs = 0;
    std::int64_t bytes = 0;
};

struct Setting {
    std::string method;
    std::string region = "l1";
    double radius = 2;
    bool sparse = false;
    bool intercept = false;
    Index iterations = 25;
};

Course course_of(const Made& made, const Setting& setting, Index first, Index last, Ranks* ranks,
                 const Checkpoints& checkpoints = {}) {
    const Features<double> features = features_of(made, first, last, setting.sparse);
    const auto objective = linear_objective(features, some_of(made.targets, first, last), made.loss, 1,
                                            setting.intercept, std::nullopt, ranks);
    const auto region = make_region<double>({setting.region, {{"radius", setting.radius}}, {}});
    Options options;
    options.method = setting.method;
    options.max_iterations = setting.iterations;
    options.seed = 3;
    options.checkpoints = checkpoints;
    Course course;
    const Observer<double> watch = [&](const Snapshot<double>& now) {
        course.x.push_back(now.x());
        course.objective.push_back(now.metrics().objective);
        course.gap.push_back(now.metrics().gap);
    };
    const std::int64_t before = ranks == nullptr ? 0 : ranks->bytes_sent();
    const auto result = solve<double>(*objective, *region, options, watch);
    course.intercept = result.intercept;
    course.epochs = result.epochs;
    course.bytes = ranks == nullptr ? 0 : ranks->bytes_sent() - before;
    return course;
}

// Where a gap is next to nothing rounding decides where a run goes, and when it ends (which of two atoms as good as each other is taken):
// there objectives alone are compared.
constexpr double next_to_nothing = 1e-6;
// An intercept is the best to where its derivatives are 1e-10 of what they are made from.
constexpr double by_intercepts = 1e-8;

void expect_same(const Course& one, const Course& other, double close, const std::string& what) {
    bool ended = false;
    for (std::size_t t = 0; t < std::min(one.x.size(), other.x.size()) && !ended; ++t) {
        ended = one.gap[t] < next_to_nothing;
        for (Index i = 0; i < one.x[t].size(); ++i)
            ASSERT_NEAR(one.x[t].data()[i], other.x[t].data()[i], close) << what << ", iterate " << t;
        ASSERT_NEAR(one.objective[t], other.objective[t], close) << what << ", iterate " << t;
    }
    if (!ended) {
        ASSERT_EQ(one.x.size(), other.x.size()) << what;
        EXPECT_EQ(one.epochs, other.epochs) << what;
    }
    EXPECT_NEAR(one.objective.back(), other.objective.back(), next_to_nothing) << what;
    if (ended) return;
    ASSERT_EQ(one.intercept.size(), other.intercept.size());
    for (std::size_t l = 0; l < one.intercept.size(); ++l)
        EXPECT_NEAR(one.intercept[l], other.intercept[l], 10 * close) << what;
}

// Where the rows of each rank end.
const std::vector<std::vector<Index>> splits{{90}, {40, 90}, {25, 25, 90}, {13, 50, 90, 90}, {0, 61, 62, 90}};

void expect_same_on_ranks(const Made& made, const Setting& setting, std::optional<double> closeness = {}) {
    const double close = closeness.value_or(setting.intercept ? by_intercepts : 1e-10);
    const Index count = made.rows.rows();
    const Course alone = course_of(made, setting, 0, count, nullptr);
    for (const std::vector<Index>& ends : splits) {
        std::vector<Course> courses(ends.size());
        on_ranks(static_cast<int>(ends.size()), [&](Ranks& ranks) {
            const auto k = static_cast<std::size_t>(ranks.rank());
            courses[k] = course_of(made, setting, k == 0 ? 0 : ends[k - 1], ends[k], &ranks);
        });
        const std::string what = setting.method + " on " + std::to_string(ends.size()) + " ranks, " +
                                 (setting.sparse ? "sparse, " : "dense, ") + setting.region;
        for (const Course& course : courses) {
            expect_same(alone, course, close, what);
            // The same bits everywhere.
            for (std::size_t t = 0; t < course.x.size(); ++t)
                ASSERT_TRUE(std::equal(course.x[t].span().begin(), course.x[t].span().end(),
                                       courses.front().x[t].span().begin()))
                    << what;
        }
    }
}

class OnRanks : public testing::TestWithParam<std::string> {};

std::vector<std::string> all_methods() {
    std::vector<std::string> names;
    for (const MethodInfo& method : methods()) names.emplace_back(method.name);
    return names;
}

TEST_P(OnRanks, IteratesOverTheSimplestBalls) {
    const Made made = make("logistic", 90, 12);
    for (const bool sparse : {false, true}) {
        expect_same_on_ranks(made, {GetParam(), "l1", 2, sparse});
        expect_same_on_ranks(made, {GetParam(), "l2", 2, sparse});
    }
}

TEST_P(OnRanks, IteratesOverTheNuclearBall) {
    const Made made = make("multinomial", 90, 12);
    for (const bool sparse : {false, true}) expect_same_on_ranks(made, {GetParam(), "nuclear", 2, sparse});
}

// Steps to the least along a line leave the slopes of two atoms equal, so that what is left of the intercept's slope decides which of them is
// next: later iterates of the methods with an active set may differ.
Index comparable(const std::string& method) {
    return method == "fw-pairwise" || method == "fw-blended" ? 15 : 25;
}

TEST_P(OnRanks, WithAnIntercept) {
    expect_same_on_ranks(make("multinomial", 90, 6),
                         {GetParam(), "nuclear", 3, false, true, comparable(GetParam())});
    expect_same_on_ranks(make("huber", 90, 6), {GetParam(), "l1", 2, true, true, comparable(GetParam())});
}

// The best intercept of squares is their mean, which a search finds to rounding: nothing but its tolerance sets the others apart.
TEST_P(OnRanks, WithAnInterceptThatIsExact) {
    // At iterate 22 of fw-blended two moves are as good as each other: one process takes the other one (9.8e-6 apart, as on ranks) when
    // an entry of its data changes by 1e-15 of itself.
    const Index iterations = GetParam() == "fw-blended" ? 21 : 25;
    for (const bool sparse : {false, true}) {
        const Setting setting{
            .method = GetParam(), .radius = 2, .sparse = sparse, .intercept = true, .iterations = iterations};
        expect_same_on_ranks(make("squared", 90, 8), setting, 1e-10);
    }
}

TEST_P(OnRanks, WithWeights) {
    Made made = make("squared", 90, 8);
    for (Index i = 0; i < 90; ++i) made.targets.weights.push_back(1 + static_cast<double>(i % 4));
    expect_same_on_ranks(made, {GetParam(), "l1", 2, false, true, comparable(GetParam())});
}

Checkpoints kept_in(const std::string& file) {
    Checkpoints checkpoints;
    checkpoints.file = file;
    return checkpoints;
}
Checkpoints resumed_from(const std::string& file) {
    Checkpoints checkpoints;
    checkpoints.resume = file;
    return checkpoints;
}

// From a checkpoint on, to the last bit on all ranks, one of which has no rows.
TEST_P(OnRanks, GoOnFromACheckpoint) {
    const TemporaryFolder folder;
    const std::vector<Index> ends{25, 25, 90};
    const std::vector<std::pair<std::string, Setting>> problems{
        {"multinomial", {.method = GetParam(), .region = "nuclear", .intercept = true}},
        {"squared", {.method = GetParam(), .sparse = true}}};
    for (const auto& [loss, setting] : problems) {
        const Made made = make(loss, 90, 12);
        const auto courses_of = [&](Index iterations, const Checkpoints& checkpoints) {
            std::vector<Course> courses(ends.size());
            on_ranks(static_cast<int>(ends.size()), [&](Ranks& ranks) {
                const auto k = static_cast<std::size_t>(ranks.rank());
                Setting own = setting;
                own.iterations = iterations;
                courses[k] = course_of(made, own, k == 0 ? 0 : ends[k - 1], ends[k], &ranks, checkpoints);
            });
            return courses;
        };
        const std::string file = folder.file("state");
        const auto whole = courses_of(25, {});
        const auto part = courses_of(9, kept_in(file));
        if (part[0].x.size() < 10) continue;  // it had ended before
        const auto rest = courses_of(25, resumed_from(file));
        for (std::size_t k = 0; k < ends.size(); ++k) {
            ASSERT_EQ(9 + rest[k].x.size(), whole[k].x.size());
            for (std::size_t t = 0; t < rest[k].x.size(); ++t)
                EXPECT_TRUE(std::equal(rest[k].x[t].span().begin(), rest[k].x[t].span().end(),
                                       whole[k].x[9 + t].span().begin()))
                    << loss << ", iterate " << 9 + t << " on rank " << k;
            EXPECT_EQ(rest[k].intercept, whole[k].intercept);
            EXPECT_EQ(rest[k].objective.back(), whole[k].objective.back());
            EXPECT_EQ(rest[k].epochs, whole[k].epochs);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, OnRanks, testing::ValuesIn(all_methods()), [](const auto& method) {
    std::string name = method.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

// All ranks refuse it, with the same line.
TEST(RanksCheckpoint, OfOtherRanksIsRefused) {
    const TemporaryFolder folder;
    const std::string file = folder.file("state");
    const Made made = make("logistic", 90, 12);
    const auto run = [&](Ranks* ranks, Index first, Index last, const Checkpoints& checkpoints) {
        return course_of(made, {.method = "alfcg-d", .iterations = 5}, first, last, ranks, checkpoints);
    };
    const auto message_of = [&](const auto& body) {
        try {
            body();
        } catch (const Error& error) {
            return std::string(error.what()).substr(file.size());
        }
        return std::string("none");
    };
    on_ranks(2,
             [&](Ranks& ranks) { run(&ranks, 45 * ranks.rank(), 45 * (ranks.rank() + 1), kept_in(file)); });
    EXPECT_EQ(message_of([&] { run(nullptr, 0, 90, resumed_from(file)); }),
              ": cannot go on from this checkpoint: it was made on 2 ranks, here is 1 rank");
    on_ranks(3, [&](Ranks& ranks) {
        EXPECT_EQ(
            message_of([&] { run(&ranks, 30 * ranks.rank(), 30 * (ranks.rank() + 1), resumed_from(file)); }),
            ": cannot go on from this checkpoint: it was made on 2 ranks, here are 3 ranks");
    });
    on_ranks(2, [&](Ranks& ranks) {
        EXPECT_EQ(message_of([&] {
                      Checkpoints other = resumed_from(file);
                      other.facts = {{"data", ranks.rank() == 1 ? "8" : "", true}};
                      run(&ranks, 45 * ranks.rank(), 45 * (ranks.rank() + 1), other);
                  }),
                  ": cannot go on from this checkpoint: it was made with other data");
    });
}

// Gradients of n numbers, and one of the loss, once an iteration.
TEST(RanksTraffic, IsThatOfTheFormula) {
    const Made made = make("multinomial", 90, 200);  // 3 x 200 numbers of 8 bytes are not few
    for (const int size : {2, 3, 4}) {
        on_ranks(size, [&](Ranks& ranks) {
            const auto [first, last] =
                std::pair{Index{90} * ranks.rank() / size, Index{90} * (ranks.rank() + 1) / size};
            const auto bytes = [&](Index iterations) {
                const Setting setting{.method = "fw-openloop", .region = "l1", .iterations = iterations};
                return course_of(made, setting, first, last, &ranks).bytes;
            };
            const std::int64_t n = 600;
            const std::int64_t each = (2 * 8 * ((n + size - 1) / size) + 8) * (size - 1);
            EXPECT_EQ(bytes(30) - bytes(10), 20 * each);
        });
    }
}

// A matrix with both sides too long for anything but products: its leading values 3, 1.5, 1 and noise, as shares of so many ranks.
Matrix<double> share_of(Shape shape, int rank, int size) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    Matrix<double> share(shape);
    for (int k = 0; k < size; ++k)
        for (double& entry : share.span()) {
            const double number = normal(random);
            if (k == rank) entry = number / 100;
        }
    for (int pair = 0; pair < 3; ++pair)
        for (Index i = 0; i < shape.rows; ++i)
            for (Index j = 0; j < shape.cols; ++j)
                share(i, j) += 3.0 / (pair + 1) / size * std::cos(0.1 * (pair + 1) * static_cast<double>(i)) *
                               std::sin(0.2 * (pair + 1) * static_cast<double>(j)) * 2 /
                               std::sqrt(static_cast<double>(shape.size()));
    return share;
}

// Every product with four vectors and back adds up 4 (rows + cols) numbers, the last one with a vector those of one side; all in two calls.
TEST(RanksTraffic, OfTheNuclearOracleIsProductsAndNotTheGradient) {
    for (const Shape shape : {Shape{500, 400}, Shape{400, 1700}}) {
        for (const int size : {2, 3, 4}) {
            on_ranks(size, [&](Ranks& ranks) {
                const auto region = nuclear_ball<double>(2, {}, 1);
                ASSERT_TRUE(region->takes_shares(shape, ranks));
                Matrix<double> share = share_of(shape, ranks.rank(), size);
                Matrix<double> whole = share;
                ranks.sum(whole.span());
                share.share_by(&ranks);
                Vertex<double> vertex;
                std::int64_t sent = ranks.bytes_sent();
                std::int64_t calls = ranks.calls();
                const double estimate = region->minimize(share, 1e-3, false, vertex);
                sent = ranks.bytes_sent() - sent;
                calls = ranks.calls() - calls;
                const auto sum_of = [&](Index numbers) {
                    return (2 * 8 * ((numbers + size - 1) / size)) * (size - 1);
                };
                const Index other_side = shape.cols > 4 * shape.rows ? shape.cols : shape.rows;
                const std::int64_t products = (calls - 2) / 4;
                EXPECT_EQ(calls, 4 * products + 2);
                EXPECT_EQ(sent,
                          products * (sum_of(4 * shape.rows) + sum_of(4 * shape.cols)) + sum_of(other_side));
                EXPECT_LT(sent, sum_of(shape.size()) / 2);

                // The same answer, and slopes, as with all entries at hand.
                Vertex<double> expected;
                const auto alone = nuclear_ball<double>(2, {}, 1);
                const double slack = alone->minimize(whole, 1e-3, true, expected);
                const Matrix<double> origin(shape);
                const double slope = direction_to(vertex, share, origin).slope;
                EXPECT_NEAR(slope, direction_to(vertex, whole, origin).slope, 1e-12);
                EXPECT_NEAR(slope, direction_to(expected, whole, origin).slope, slack + 2e-3);
                EXPECT_LE(estimate, 1e-3);

                // A proof takes all entries, once, and is one.
                sent = ranks.bytes_sent();
                const double proven = region->minimize(share, 1e-6, true, vertex);
                EXPECT_EQ(ranks.bytes_sent() - sent, sum_of(shape.size()));
                EXPECT_LE(proven, 1e-6);
                if (ranks.rank() > 0) return;
                const double least = -2 * singular_values(whole).front();
                EXPECT_GE(least, direction_to(vertex, whole, origin).slope - proven);
            });
        }
    }
    // Small ones, and the same on many ranks, are added up: messages would cost more than they spare.
    on_ranks(2, [](Ranks& ranks) {
        const auto region = nuclear_ball<double>(2);
        EXPECT_FALSE(region->takes_shares({200, 5000}, ranks));  // by its Gram matrix
        EXPECT_FALSE(nuclear_ball<double>(2, {.l2 = 1})->takes_shares({400, 300}, ranks));
    });
    on_ranks(12, [](Ranks& ranks) {
        EXPECT_FALSE(nuclear_ball<double>(2)->takes_shares({300, 260}, ranks));
    });
}

// A spectrum that is flat takes many products: as soon as they have cost what the gradient does, that is added up.
TEST(RanksTraffic, OfManyProductsIsNoMoreThanTwiceThatOfTheGradient) {
    on_ranks(2, [&](Ranks& ranks) {
        const Shape shape{400, 300};
        Matrix<double> share(shape);
        std::mt19937 random(17 + static_cast<unsigned>(ranks.rank()));
        for (double& entry : share.span()) entry = std::normal_distribution<double>()(random);
        Matrix<double> whole = share;
        ranks.sum(whole.span());
        share.share_by(&ranks);
        const auto region = nuclear_ball<double>(2, {}, 1);
        Vertex<double> vertex;
        const std::int64_t all = 8 * shape.size();
        for (const std::int64_t most : {2 * all, all}) {  // the second time it is known beforehand
            const std::int64_t before = ranks.bytes_sent();
            region->minimize(share, 0, false, vertex);
            EXPECT_LE(ranks.bytes_sent() - before, most);
            EXPECT_GE(ranks.bytes_sent() - before, all);
            const Matrix<double> origin(shape);
            EXPECT_NEAR(direction_to(vertex, share, origin).slope, -2 * singular_values(whole).front(), 1e-9);
        }
    });
}

// Methods whose gradients stay shares, over a nuclear ball of matrices with two long sides.
class OnShares : public testing::TestWithParam<std::string> {};

TEST_P(OnShares, IteratesOverALargeNuclearBall) {
    constexpr Index classes = 270;
    Made made = make("multinomial", 360, 280);
    made.targets.outputs = classes;
    for (std::size_t i = 0; i < made.targets.classes.size(); ++i)
        made.targets.classes[i] = static_cast<std::int32_t>(i % classes);
    const Setting setting{.method = GetParam(), .region = "nuclear", .radius = 30, .iterations = 25};
    const Course alone = course_of(made, setting, 0, 360, nullptr);
    for (const int size : {2, 3}) {
        on_ranks(size, [&](Ranks& ranks) {
            const Index first = size == 3 && ranks.rank() == 1 ? 200 : 360 * ranks.rank() / size;
            const Index last = size == 3 && ranks.rank() == 0 ? 200 : 360 * (ranks.rank() + 1) / size;
            expect_same(alone, course_of(made, setting, first, last, &ranks), 1e-10, GetParam());
        });
    }
}

TEST_P(OnShares, GoOnFromACheckpoint) {
    const TemporaryFolder folder;
    Made made = make("multinomial", 360, 280);
    made.targets.outputs = 270;
    const auto course = [&](Ranks& ranks, Index iterations, const Checkpoints& checkpoints) {
        const Setting setting{
            .method = GetParam(), .region = "nuclear", .radius = 30, .iterations = iterations};
        return course_of(made, setting, 180 * ranks.rank(), 180 * (ranks.rank() + 1), &ranks, checkpoints);
    };
    const std::string file = folder.file("state");
    on_ranks(2, [&](Ranks& ranks) {
        const Course whole = course(ranks, 8, {});
        course(ranks, 3, kept_in(file));
        const Course rest = course(ranks, 8, resumed_from(file));
        ASSERT_EQ(rest.x.size() + 3, whole.x.size());
        for (std::size_t t = 0; t < rest.x.size(); ++t)
            EXPECT_TRUE(
                std::equal(rest.x[t].span().begin(), rest.x[t].span().end(), whole.x[3 + t].span().begin()))
                << "iterate " << 3 + t;
    });
}

INSTANTIATE_TEST_SUITE_P(Methods, OnShares,
                         testing::Values("fw-openloop", "fw-momentum", "fw-armijo", "fw-secant", "alfcg-d",
                                         "svfw", "saga-fw", "spider-cg", "alfcg-fs", "srfw", "alfcg-mvr1",
                                         "alfcg-mvr2"),
                         [](const auto& method) {
                             std::string name = method.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace alfcg

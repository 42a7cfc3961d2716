// alfcg-c within a bound on what it may keep: parts stay below it, and runs end at the same optimum.
#include <gtest/gtest.h>

#include <algorithm>

#include "bridge.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

/// Another objective, and the bytes of the largest part that it was asked for.
class Counted final : public Objective<double> {
  public:
    explicit Counted(Objective<double>& own) : own_(own) {}

    [[nodiscard]] Index largest() const { return largest_; }
    [[nodiscard]] Index parts() const { return parts_; }

    [[nodiscard]] Shape shape() const override { return own_.shape(); }
    [[nodiscard]] Index samples() const override { return own_.samples(); }
    [[nodiscard]] Index entries() const override { return own_.entries(); }
    double evaluate(const Iterate<double>& x, Matrix<double>& gradient) override {
        return own_.evaluate(x, gradient);
    }
    double value(const Iterate<double>& x) override { return own_.value(x); }
    double value_after(const Iterate<double>& x, const Move<double>& move, double step) override {
        return own_.value_after(x, move, step);
    }
    [[nodiscard]] Index column_bytes(Index column) override { return own_.column_bytes(column); }
    std::unique_ptr<Part<double>> part(std::span<const Index> columns) override {
        Index bytes = 0;
        for (const Index column : columns) bytes += own_.column_bytes(column);
        note(2 * bytes);  // by rows and by columns
        return own_.part(columns);
    }
    std::unique_ptr<Part<double>> part(const Matrix<double>& directions) override {
        note(directions.rows() * samples() * 8);
        return own_.part(directions);
    }
    std::unique_ptr<Part<double>> sample(const Iterate<double>& x, Index rows, std::uint64_t seed) override {
        note(3 * rows * shape().rows * 8);  // scores, those of a direction, second derivatives
        return own_.sample(x, rows, seed);
    }
    std::optional<SecondMoments<double>> second_moments() override { return own_.second_moments(); }

  private:
    void note(Index bytes) {
        largest_ = std::max(largest_, bytes);
        ++parts_;
    }

    Objective<double>& own_;
    Index largest_ = 0;
    Index parts_ = 0;
};

Options bounded(double gap, std::optional<Index> memory) {
    Options options;
    options.method = "alfcg-c";
    options.gap = gap;
    options.max_iterations = 5000;
    options.memory = memory;
    return options;
}

void expect_same_within(Bridge<double>& bridge, Index memory, bool has_parts = true) {
    Counted free(*bridge.objective);
    const auto best = solve<double>(free, *bridge.region, bounded(1e-7, std::nullopt));
    ASSERT_EQ(best.status, Status::converged);
    EXPECT_GT(free.largest(), memory);  // or there would be nothing to see
    Counted tight(*bridge.objective);
    const auto result = solve<double>(tight, *bridge.region, bounded(1e-6, memory));
    EXPECT_EQ(result.status, Status::converged) << to_text(result.status) << " at " << result.metrics.gap;
    EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 2e-6);
    EXPECT_LE(tight.largest(), memory);
    EXPECT_EQ(tight.parts() > 0, has_parts);
}

TEST(Memory, ColumnsOfTheL1Ball) {
    for (const auto storage : {Storage::dense, Storage::sparse}) {
        auto problem = sized_problem("logistic", 300, 500, 1);
        problem.region = "l1";
        problem.radius = 5;
        Bridge<double> bridge(problem, storage);
        const Index column = bridge.objective->column_bytes(0);
        expect_same_within(bridge, 150 * column);
    }
}

// Not even the columns that x has: steps that keep none.
TEST(Memory, NoRoomForColumns) {
    auto problem = sized_problem("logistic", 300, 400, 1);
    problem.region = "l1";
    problem.radius = 3;
    Bridge<double> bridge(problem);
    expect_same_within(bridge, bridge.objective->column_bytes(0), false);
}

TEST(Memory, DirectionsOfTheNuclearBall) {
    auto problem = sized_problem("multinomial", 60, 300, 6);
    problem.region = "nuclear";
    problem.radius = 3;
    Bridge<double> bridge(problem);
    expect_same_within(bridge, 10 * 60 * 8);
}

TEST(Memory, SamplesOfTheNuclearBall) {
    auto problem = sized_problem("multinomial", 4000, 20, 3);
    problem.region = "nuclear";
    problem.radius = 0.3;
    Bridge<double> bridge(problem);
    expect_same_within(bridge, 300 * 3 * 3 * 8);
}

TEST(Memory, StepsOfAQuadraticModel) {
    auto problem = sized_problem("logistic", 400, 30, 1);
    problem.region = "l2";
    problem.radius = 2;
    Bridge<double> bridge(problem);
    const auto best = solve<double>(*bridge.objective, *bridge.region, bounded(1e-8, std::nullopt));
    const auto result = solve<double>(*bridge.objective, *bridge.region, bounded(1e-7, 1000));
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.metrics.objective, best.metrics.objective, 2e-7);
}

TEST(Memory, MustBeSome) {
    Bridge<double> bridge(sized_problem("logistic", 30, 5, 1));
    EXPECT_THROW(solve<double>(*bridge.objective, *bridge.region, bounded(1e-6, 0)), Error);
}

}  // namespace
}  // namespace alfcg

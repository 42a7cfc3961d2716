// No run of `--rho auto` on a convex problem ends above its start, whatever the scale and however short the
// budget.
#include <gtest/gtest.h>

#include "calibration_cases.hpp"

namespace alfcg {
namespace {

constexpr unsigned drawn_runs = 20000;

// One run with everything about it drawn.
class DrawnRun {
  public:
    explicit DrawnRun(unsigned seed) : random_(seed) {
        loss_ = pick<std::string>({"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"});
        const Index rows = pick<Index>({1, 5, 40, 90});
        const Index features = pick<Index>({1, 4, 9});
        problem_.loss = loss_;
        problem_.loss_parameter = pick<double>({0.1, 1, 10});
        problem_.X = reference::gaussian(rows, features, static_cast<unsigned>(random_()));
        draw_labels(rows);
        spoil(pick<int>({0, 1, 2, 3}));
        problem_.X *= pick<double>({1e-6, 1, 1e6});
        auto balls = ball_cases();
        balls.push_back({.region = "linf"});
        balls.push_back({.region = "linf", .l2 = 0.1});
        balls[random_() % balls.size()].put(problem_);
        problem_.radius = pick<double>({1e-2, 0.1, 1, 10, 100, 1e4});
        storage_ = pick<Storage>({Storage::dense, Storage::sparse});

        options_.method = alfcg_methods()[random_() % 4];
        options_.seed = random_() % 1000;
        options_.max_epochs = pick<double>({1, 2, 3, 7, 30});
        options_.max_iterations = 400;
        const double batch = pick<double>({0, 1, 1000});
        if (batch > 0 && options_.method != "alfcg-d") options_.parameters.set("batch", batch);
    }

    [[nodiscard]] bool convex() const { return loss_ != "sigmoid" && loss_ != "welsch"; }

    // F at the end and at the start.
    std::pair<double, double> run() {
        Bridge<double> bridge(problem_, storage_);
        const Matrix<double> origin(bridge.objective->shape());
        const double start = bridge.objective->value(origin) + bridge.region->composite(origin);
        const auto result = solve(*bridge.objective, *bridge.region, options_);
        EXPECT_LE(bridge.region->violation(result.x), 1e-10);
        return {result.metrics.objective, start};
    }

    [[nodiscard]] std::string text() const {
        return loss_ + " " + std::to_string(problem_.rows()) + "x" + std::to_string(problem_.features()) +
               " largest entry " + std::to_string(problem_.X.cwiseAbs().maxCoeff()) + " over " +
               BallCase{problem_.region, problem_.p, problem_.l1, problem_.l2, problem_.nuclear}.text() +
               " radius " + std::to_string(problem_.radius) + ", " + options_.method + " batch " +
               std::to_string(options_.parameters.number("batch").value_or(0)) + " epochs " +
               std::to_string(options_.max_epochs) + (spoilt_ ? " with a huge feature" : "");
    }

  private:
    template <class T>
    T pick(std::initializer_list<T> from) {
        return *(from.begin() + random_() % from.size());
    }

    void draw_labels(Index rows) {
        const bool at_random = random_() % 2 == 0;
        const reference::Matrix noise = reference::gaussian(rows, 1, static_cast<unsigned>(random_()));
        for (Index i = 0; i < rows; ++i) {
            const double score = (at_random ? 0 : problem_.X.row(i).sum()) + noise(i, 0);
            if (loss_ == "multinomial") {
                problem_.outputs = 4;
                problem_.classes.push_back((score > 0 ? 2 : 0) + (noise(i, 0) > 0 ? 1 : 0));
            } else if (loss_ == "logistic" || loss_ == "sigmoid") {
                problem_.targets.push_back(score > 0 ? 1 : -1);
            } else {
                problem_.targets.push_back(score);
            }
        }
    }

    void spoil(int kind) {
        spoilt_ = kind == 1;
        if (kind == 1) problem_.X.col(0) *= 1e3;
        if (kind == 2)  // duplicated rows
            for (Index i = 0; i < problem_.rows(); ++i) problem_.X.row(i) = problem_.X.row(i / 3);
    }

    std::mt19937_64 random_;
    std::string loss_;
    reference::Problem problem_;
    Storage storage_ = Storage::dense;
    Options options_;
    bool spoilt_ = false;
};

TEST(Descent, HoldsForEveryConvexLoss) {
    for (unsigned seed = 0; seed < drawn_runs; ++seed) {
        DrawnRun drawn(seed);
        if (!drawn.convex()) continue;
        const auto [end, start] = drawn.run();
        EXPECT_LE(end, start * (1 + 1e-12)) << "seed " << seed << ": " << drawn.text();
    }
}

// Slopes bound nothing there: what is left is that a run ends, inside the region, with a number.
TEST(Descent, IsNotPromisedForTheOthersButAFiniteEndIs) {
    for (unsigned seed = 0; seed < drawn_runs; ++seed) {
        DrawnRun drawn(seed);
        if (drawn.convex()) continue;
        EXPECT_TRUE(std::isfinite(drawn.run().first)) << "seed " << seed << ": " << drawn.text();
    }
}

}  // namespace
}  // namespace alfcg

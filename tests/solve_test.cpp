#include "alfcg/method/solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "bridge.hpp"
#include "counted_allocations.hpp"
#include "reference/samples.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

// min ½‖x − c‖² over a ball: the projection of c, which is known.
std::unique_ptr<Objective<double>> distance_to(std::vector<double> c) {
    const auto n = static_cast<Index>(c.size());
    return custom_objective<double>({1, n}, [c = std::move(c)](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < c.size(); ++i) {
            gradient[i] = x[i] - c[i];
            value += 0.5 * gradient[i] * gradient[i];
        }
        return value;
    });
}

Options iterations(Index count) {
    Options options;
    options.max_iterations = count;
    return options;
}

TEST(Solve, FindsTheProjectionOntoTheL1Ball) {
    // The projection of (3, 1, 0) onto the unit l1 ball is (1, 0, 0).
    const auto objective = distance_to({3, 1, 0});
    const auto ball = lp_ball<double>(1, 1);
    const auto result = solve(*objective, *ball, iterations(500));
    EXPECT_NEAR(result.x(0, 0), 1, 1e-9);
    EXPECT_NEAR(result.x(0, 1), 0, 1e-9);
    EXPECT_NEAR(result.metrics.objective, 0.5 * (4 + 1), 1e-9);
    EXPECT_LE(result.metrics.gap, 1e-9);
}

TEST(Solve, TakesTheCallersOracle) {
    // The box [0, 1]^2 by its own oracle; the answer is the clipped point (1, 0.25).
    const auto objective = distance_to({2, 0.25});
    const auto box = custom_region<double>({.oracle =
                                                [](auto g, auto v) {
                                                    for (std::size_t i = 0; i < g.size(); ++i)
                                                        v[i] = g[i] < 0 ? 1 : 0;
                                                },
                                            .diameter = std::sqrt(2.0),
                                            .composite = {},
                                            .violation = {},
                                            .start = {},
                                            .name = "unit box"});
    const auto result = solve(*objective, *box, iterations(20000));
    EXPECT_NEAR(result.x(0, 0), 1, 1e-3);
    EXPECT_NEAR(result.x(0, 1), 0.25, 1e-2);
    EXPECT_EQ(box->describe(), "unit box");
}

TEST(Solve, NeverOverwritesTheStartingPoint) {
    const auto objective = distance_to({3, 1});
    const auto ball = lp_ball<double>(2, 1);
    Matrix<double> start(1, 2);
    start(0, 1) = -0.5;
    const Matrix<double> copy = start;
    std::vector<double> first;
    const Observer<double> observer = [&](const Snapshot<double>& now) {
        if (now.iteration == 0) first.assign(now.x().span().begin(), now.x().span().end());
        return Action::proceed;
    };
    solve(*objective, *ball, iterations(10), observer, &start);
    EXPECT_EQ(first, (std::vector<double>{0, -0.5}));
    EXPECT_TRUE(std::equal(start.span().begin(), start.span().end(), copy.span().begin()));
    start(0, 0) = 2;
    EXPECT_THROW(solve(*objective, *ball, iterations(10), {}, &start), Error);
    const Matrix<double> wrong(2, 2);
    EXPECT_THROW(solve(*objective, *ball, iterations(10), {}, &wrong), Error);
}

TEST(Solve, StopsForTheReasonItGives) {
    const auto objective = distance_to({3, 1});
    const auto ball = lp_ball<double>(2, 1);
    const auto status = [&](const Options& options) { return solve(*objective, *ball, options).status; };
    EXPECT_EQ(status(iterations(7)), Status::max_iterations);
    Options options;
    options.max_epochs = 3;
    EXPECT_EQ(status(options), Status::max_epochs);
    options = {};
    options.max_seconds = 1e-9;
    EXPECT_EQ(status(options), Status::max_seconds);
    options = iterations(100000);
    options.gap = 1e-3;
    const auto result = solve(*objective, *ball, options);
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_LE(result.metrics.gap, 1e-3);
    EXPECT_EQ(to_text(result.status), "converged");
    Index calls = 0;
    const auto stopped = solve<double>(*objective, *ball, iterations(1000), [&](const Snapshot<double>& now) {
        ++calls;
        return now.iteration == 4 ? Action::stop : Action::proceed;
    });
    EXPECT_EQ(stopped.status, Status::interrupted);
    EXPECT_EQ(stopped.iterations, 5) << "the iteration under way is finished";
    EXPECT_EQ(calls, 6) << "and the last iterate is shown";
}

TEST(Solve, BudgetOfEpochsEndsAtTheFirstIterateThatSpentIt) {
    auto problem = reference::random_problem("multinomial", 100, 5);
    Bridge<double> bridge(problem);
    Options options;
    options.method = "alfcg-mvr1";
    options.parameters.set("rho", 0.3);
    options.parameters.set("batch", 30);
    options.max_epochs = 1;
    const auto rows = run_rows(bridge, options);
    EXPECT_EQ(rows.size(), 5U);  // 30, 60, 90 < 100 <= 120
    EXPECT_DOUBLE_EQ(rows[3].epochs, 0.9);
    EXPECT_DOUBLE_EQ(rows[4].epochs, 1.2);
    EXPECT_EQ(rows.front().epochs, 0);
}

TEST(Solve, CountsWhatItUses) {
    auto problem = reference::random_problem("multinomial", 100, 5);
    Bridge<double> bridge(problem);
    Options options = iterations(25);
    options.method = "alfcg-fs";  // batch = period = 10: resets at 0, 10, 20
    options.parameters.set("rho", 0.3);
    Solution<double> result;
    run_rows(bridge, options, &result);
    EXPECT_EQ(result.counters.component_gradients, 3 * 100 + 22 * 2 * 10);
    EXPECT_EQ(result.counters.oracle_calls, 25);
    EXPECT_EQ(result.counters.function_evaluations, 0);
    EXPECT_EQ(result.parameters.number("batch"), 10);
    EXPECT_EQ(result.parameters.number("period"), 10);
    EXPECT_FALSE(result.parameters.has("beta"));
    EXPECT_GT(result.seconds.gradient, 0);
    EXPECT_GT(result.seconds.metrics, 0);
}

TEST(Solve, GivesTheSameBitsForTheSameSeedAndThreads) {
    auto problem = reference::random_problem("multinomial", 3000, 60);
    for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"})
        for (const int threads : {1, 2, 3}) {
            Options options = iterations(30);
            options.method = method;
            if (method != "alfcg-d") options.parameters.set("batch", 1500);
            options.seed = 17;
            const auto run = [&] {
                Bridge<float> bridge(problem, Storage::dense, threads);
                return solve(*bridge.objective, *bridge.region, options);
            };
            const auto a = run();
            const auto b = run();
            EXPECT_TRUE(std::equal(a.x.span().begin(), a.x.span().end(), b.x.span().begin())) << method;
            EXPECT_EQ(a.metrics.objective, b.metrics.objective);
            if (method == "alfcg-d") continue;
            options.seed = 18;
            const auto c = run();
            EXPECT_FALSE(std::equal(a.x.span().begin(), a.x.span().end(), c.x.span().begin())) << method;
        }
}

TEST(Solve, MetricsDoNotChangeTheRun) {
    auto problem = reference::random_problem("multinomial", 200, 12);
    problem.region = "nuclear";
    for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"}) {
        Options options = iterations(40);
        options.method = method;
        Bridge<double> watched(problem);
        const auto rows = run_rows(watched, options);
        Bridge<double> alone(problem);
        const auto result = solve(*alone.objective, *alone.region, options);
        EXPECT_TRUE(std::equal(result.x.span().begin(), result.x.span().end(), rows.back().x.span().begin()))
            << method;
    }
}

TEST(Solve, AllocatesNothingPerIteration) {
    auto problem = reference::random_problem("multinomial", 400, 30);
    for (const auto& [region, p] : {std::pair{"nuclear", 0.0}, {"lp", 3.0}, {"lp", 1.0}})
        for (const Storage storage : {Storage::dense, Storage::sparse})
            for (const MethodInfo& row : methods()) {
                const std::string method(row.name);
                if (method == "sfw-gb") continue;   // its batches grow, and the memory for them with them
                if (method == "alfcg-c") continue;  // its parts come and go
                const auto is_step = [](const Parameter& parameter) { return parameter.info.name == "step"; };
                if (std::ranges::any_of(row.parameters, is_step)) continue;  // atoms come and go
                problem.region = region;
                problem.p = p;
                Bridge<float> bridge(problem, storage, 2);
                Options options = iterations(200);
                options.method = method;
                long after_start = 0;
                long at_end = 0;
                solve<float>(*bridge.objective, *bridge.region, options, [&](const Snapshot<float>& now) {
                    if (now.iteration == 20) after_start = allocations;
                    if (now.iteration >= 20 && !now.last) at_end = allocations;  // the end may come early
                    return Action::proceed;
                });
                EXPECT_EQ(at_end - after_start, 0) << method << " over " << region << " p=" << p;
            }
}

TEST(Solve, RefusesWhatMakesNoSense) {
    const auto objective = distance_to({3, 1});
    const auto ball = lp_ball<double>(2, 1);
    const auto message = [&](const Options& options) {
        return message_of<Error>([&] { solve(*objective, *ball, options); });
    };
    Options options;
    EXPECT_NE(message(options).find("never stop"), std::string::npos);
    options = iterations(5);
    options.method = "alfcg-x";
    EXPECT_NE(message(options).find("alfcg-d, svfw"), std::string::npos);
    options = iterations(5);
    options.parameters.set("beta", 1);
    EXPECT_NE(message(options).find("beta is not a parameter of alfcg-d"), std::string::npos);
    for (const double rho : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        options = iterations(5);
        options.parameters.set("rho", rho);
        EXPECT_NE(message(options).find("rho must be "), std::string::npos);
    }
    options = iterations(5);
    options.method = "alfcg-mvr1";
    options.parameters.set("batch", 2.5);
    EXPECT_NE(message(options).find("whole number"), std::string::npos);
    options.parameters.set("batch", 1);
    options.batches = {{{0}, {7}}};
    EXPECT_NE(message(options).find("row 7"), std::string::npos);
    options = iterations(-1);
    EXPECT_NE(message(options).find("must not be negative"), std::string::npos);
}

TEST(Solve, SaysWhenTheObjectiveStopsBeingFinite) {
    const auto objective = custom_objective<double>({1, 1}, [](auto /*x*/, auto gradient) {
        gradient[0] = std::nan("");
        return 0.0;
    });
    const auto ball = lp_ball<double>(2, 1);
    EXPECT_NE(message_of<Error>([&] { solve(*objective, *ball, iterations(3)); }).find("finite"),
              std::string::npos);
}

TEST(Solve, RunningOutOfReplayedBatchesIsAnError) {
    auto problem = reference::random_problem("multinomial", 20, 3);
    Bridge<double> bridge(problem);
    Options options = iterations(5);
    options.method = "alfcg-mvr1";
    options.batches = {{{0, 1}, {2, 3}}};
    EXPECT_NE(
        message_of<Error>([&] { solve(*bridge.objective, *bridge.region, options); }).find("after 2 draws"),
        std::string::npos);
}

TEST(Solve, ReplayingTheDrawsOfARunRepeatsIt) {
    auto problem = reference::random_problem("multinomial", 90, 6);
    for (const std::string method : {"alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"}) {
        Options options = iterations(30);
        options.method = method;
        std::vector<std::vector<Index>> drawn;
        options.on_draw = [&](auto batch) { drawn.emplace_back(batch.begin(), batch.end()); };
        Bridge<double> first(problem);
        const auto a = solve(*first.objective, *first.region, options);
        for (const auto& batch : drawn) EXPECT_EQ(batch.size(), 9U);
        options.on_draw = {};
        options.batches = drawn;
        options.seed = 99;
        Bridge<double> second(problem);
        const auto b = solve(*second.objective, *second.region, options);
        EXPECT_TRUE(std::equal(a.x.span().begin(), a.x.span().end(), b.x.span().begin())) << method;
    }
}

// min ½‖x − c‖² over the probability simplex, which the origin does not belong to.
CustomRegion<double> simplex() {
    CustomRegion<double> set;
    set.oracle = [](auto g, auto v) {
        v[static_cast<std::size_t>(std::min_element(g.begin(), g.end()) - g.begin())] = 1;
    };
    set.diameter = std::sqrt(2.0);
    set.name = "simplex";
    return set;
}

TEST(Certificate, ARunOverASetWithoutTheOriginStartsInTheSet) {
    // The projection of (−1, −2, −3) onto the simplex is (1, 0, 0).
    const auto objective = distance_to({-1, -2, -3});
    const auto set = custom_region<double>(simplex());
    auto options = iterations(200000);
    options.gap = 1e-4;
    for (const std::string method : {"alfcg-d", "fw-armijo", "fw-openloop"}) {
        options.method = method;
        const auto result = solve(*objective, *set, options);
        EXPECT_EQ(result.status, Status::converged) << method;
        EXPECT_NEAR(result.x(0, 0) + result.x(0, 1) + result.x(0, 2), 1, 1e-12);
        EXPECT_NEAR(result.x(0, 0), 1, 1e-2);
        EXPECT_GE(result.metrics.objective, 0.5 * (4 + 4 + 9) - 1e-12) << "not below the true minimum";
        EXPECT_LE(result.metrics.objective, 0.5 * (4 + 4 + 9) + 1e-4);
    }
}

TEST(Certificate, AGapBelowZeroIsAnErrorThatSaysSo) {
    const auto objective = distance_to({-1, -2, -3});
    const auto set = custom_region<double>(simplex());
    const Matrix<double> outside(1, 3);  // the origin: nothing tells that it is no point of the set
    for (const std::string method : {"fw-openloop", "alfcg-d"}) {
        auto options = iterations(10);
        options.method = method;
        options.gap = 1e-3;
        const auto message = message_of<Error>([&] { solve(*objective, *set, options, {}, &outside); });
        EXPECT_NE(message.find("the gap is -1 at iteration 0, below zero by more than rounding"),
                  std::string::npos)
            << message;
    }
    // An oracle that does not minimise.
    auto wrong = simplex();
    wrong.oracle = [](auto g, auto v) {
        v[static_cast<std::size_t>(std::max_element(g.begin(), g.end()) - g.begin())] = 1;
    };
    auto options = iterations(10);
    options.gap = 1e-3;
    options.method = "fw-openloop";
    Matrix<double> start(1, 3);
    start(0, 0) = start(0, 1) = 0.5;
    EXPECT_THROW(solve(*objective, *custom_region<double>(wrong), options, {}, &start), Error);
}

TEST(Solve, TakesLambdasThatReturnNothingAndShowsTheEstimatedGap) {
    auto problem = reference::random_problem("multinomial", 90, 6);
    Bridge<double> bridge(problem);
    for (const std::string method : {"alfcg-d", "fw-openloop", "sfw", "alfcg-fs"}) {
        Options options = iterations(12);
        options.method = method;
        int seen = 0;
        solve(*bridge.objective, *bridge.region, options, [&](const Snapshot<double>& now) {
            EXPECT_EQ(now.estimated_gap.has_value(), !now.last);
            if (now.estimated_gap && method == "fw-openloop") {
                EXPECT_NEAR(*now.estimated_gap, now.metrics().gap, 1e-12);
            }
            ++seen;
        });
        EXPECT_EQ(seen, 13);
    }
}

// A method of one's own: Frank-Wolfe with the exact line search of a quadratic.
class ExactSearch final : public Method<double> {
  public:
    void propose(Run<double>& run, Proposal<double>& proposal) override {
        proposal.value = run.full_gradient(proposal.gradient);
        run.aim(proposal);
        proposal.step = proposal.direction.length_squared > 0
                            ? std::clamp(proposal.gap / proposal.direction.length_squared, 0.0, 1.0)
                            : 0.0;
    }
};

TEST(Solve, RunsAMethodOfTheCallers) {
    const auto objective = distance_to({0.3, 0.2, 0.1});
    const auto ball = lp_ball<double>(2, 1);
    ExactSearch method;
    Limits limits;
    limits.max_iterations = 100000;
    limits.gap = 1e-6;
    const auto result = solve(*objective, *ball, method, limits);
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.x(0, 0), 0.3, 2e-3);
    EXPECT_LE(result.metrics.gap, 1e-6);
    EXPECT_EQ(result.counters.component_gradients, result.iterations + 1);
    EXPECT_EQ(result.counters.oracle_calls, result.iterations + 1);
    EXPECT_GT(result.seconds.gradient, 0);
    // The short step with L = 1 is the same method.
    Options options;
    options.method = "fw-shortstep";
    options.parameters.set("lipschitz", 1);
    options.max_iterations = limits.max_iterations;
    options.gap = limits.gap;
    EXPECT_EQ(solve(*objective, *ball, options).iterations, result.iterations);
}

TEST(Solve, TheThreadsClockStandsStillWhileOthersRun) {
    constexpr auto pause = std::chrono::milliseconds(50);
    const auto objective = custom_objective<double>({1, 2}, [&](auto x, auto gradient) {
        std::this_thread::sleep_for(pause);
        std::copy(x.begin(), x.end(), gradient.begin());
        return (x[0] * x[0] + x[1] * x[1]) / 2;
    });
    const auto ball = lp_ball<double>(2, 1);
    Options options = iterations(3);
    options.method = "fw-openloop";
    const double slept = 3 * std::chrono::duration<double>(pause).count();
    EXPECT_GE(solve(*objective, *ball, options).seconds.gradient, slept);
    options.clock = Clock::thread;
    EXPECT_LT(solve(*objective, *ball, options).seconds.method(), slept);
}

TEST(Methods, TableListsThemInTheirSettings) {
    std::map<std::string, int> count;
    for (const MethodInfo& method : methods()) ++count[std::string(method.setting)];
    EXPECT_EQ(count, (std::map<std::string, int>{
                         {"deterministic", 7}, {"finite-sum", 6}, {"expectation", 7}, {"corrective", 6}}));
    EXPECT_EQ(describe(method_info("alfcg-mvr2").parameters), "rho = auto, beta = auto, batch = sqrt(N)");
}

}  // namespace
}  // namespace alfcg

// The library against the slow reference, row by row: every loss x region x composite term, dense and sparse.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bridge.hpp"
#include "reference/samples.hpp"
#include "reference/solve.hpp"

namespace alfcg {
namespace {

constexpr Index iterations = 25;
constexpr double relative = 1e-8;

const std::vector<std::string> all_losses{"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"};

struct Set {
    std::string region;
    double p;
    Composite composite;
};

std::vector<Set> all_sets() {
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<Set> sets;
    for (const double p : {1.0, 1.5, 2.0, 3.0, 5.0, inf})
        for (const Composite& h :
             {Composite{}, Composite{0.02, 0, 0}, Composite{0, 0.3, 0}, Composite{0.02, 0.3, 0}})
            sets.push_back({"lp", p, h});
    for (const Composite& h :
         {Composite{}, Composite{0, 0, 0.02}, Composite{0, 0.3, 0}, Composite{0, 0.3, 0.02}})
        sets.push_back({"nuclear", 0, h});
    return sets;
}

void expect_close(double ours, double theirs, double floor, const char* what, Index row) {
    EXPECT_LE(std::abs(ours - theirs), relative * std::max(std::abs(ours), std::abs(theirs)) + floor)
        << what << " in row " << row << ": " << ours << " against " << theirs;
}

void expect_same(const std::optional<double>& ours, const std::optional<double>& theirs, double floor,
                 const char* what, Index row) {
    ASSERT_EQ(ours.has_value(), theirs.has_value()) << what << " in row " << row;
    if (ours) expect_close(*ours, *theirs, floor, what, row);
}

void expect_agreement(const reference::Problem& problem, const reference::MethodOptions& settings,
                      Storage storage) {
    const auto theirs = reference::run_drawing(problem, settings, iterations, 11);
    Options options;
    options.method = settings.method;
    const std::vector<std::pair<const char*, std::optional<double>>> given{
        {"rho", settings.rho},
        {"beta", settings.beta},
        {"batch", settings.batch},
        {"period", settings.period},
        {"reset", settings.reset},
        {"groups", settings.groups},
        {"lipschitz", settings.lipschitz},
        {"momentum", settings.momentum},
        {"inner-steps", settings.inner_steps},
        {"contraction", settings.contraction},
        {"descent", settings.descent},
        {"increase", settings.increase},
        {"decrease", settings.decrease}};
    for (const auto& [name, value] : given)
        if (value) options.parameters.set(name, *value);
    options.max_iterations = iterations;
    options.batches.emplace(theirs.draws.begin(), theirs.draws.end());
    Bridge<double> bridge(problem, storage);
    Solution<double> result;
    const auto ours = run_rows(bridge, options, &result);

    ASSERT_EQ(ours.size(), theirs.rows.size());
    EXPECT_EQ(result.status, Status::max_iterations);
    const double scale = std::abs(theirs.rows.front().objective);
    // Once the gap is down to rounding noise, the step is noise over noise: it moves x by up to the square
    // root of that noise, and the objective not at all.
    bool settled = false;
    for (std::size_t k = 0; k < ours.size(); ++k) {
        const auto& a = ours[k];
        const auto& b = theirs.rows[k];
        const Index t = a.iteration;
        EXPECT_EQ(t, b.iteration);
        EXPECT_NEAR(a.epochs, b.epochs, 1e-12);
        expect_close(a.metrics.objective, b.objective, 1e-13 * scale, "objective", t);
        // A gap follows x, with a slope that the first gap gives the size of.
        const double distance = (from_matrix(a.x) - b.x).norm() / (1e-3 + b.x.norm());
        expect_close(a.metrics.gap, b.gap, 1e-12 * scale + distance * theirs.rows.front().gap, "gap", t);
        // ‖e‖² moves by 2‖e‖ times what rounding does to e.
        expect_same(a.metrics.error, b.error, 1e-14 + 1e-9 * std::sqrt(b.error.value_or(0)), "error", t);
        expect_same(a.curvature, b.curvature, 0, "curvature", t);
        expect_same(a.alpha, b.alpha, 0, "alpha", t);
        ASSERT_EQ(a.step.has_value(), b.step.has_value());
        EXPECT_LE(distance, settled ? 1e-6 : relative) << "x in row " << t;
        if (b.step) {
            settled = settled || b.gap < 1e-7 * scale;
            // What a rule with a curvature takes for the gap: η L ‖d‖² with d = (x_{t+1} − x_t)/η.
            const double moved = (theirs.rows[k + 1].x - b.x).squaredNorm();
            if (b.curvature && *b.step > 0)
                settled = settled || *b.curvature * moved / *b.step < 1e-7 * scale;
        }
        if (a.step && !settled) expect_close(*a.step, *b.step, 0, "step", t);
    }
}

class TraceAgreement : public testing::TestWithParam<std::string> {};

TEST_P(TraceAgreement, HoldsForEveryRegionAndCompositeTerm) {
    for (const std::string& method : reference::method_names())
        for (const Set& set : all_sets())
            for (const double radius : {0.5, 2.0}) {
                auto problem = reference::random_problem(GetParam());
                problem.region = set.region;
                problem.p = set.p;
                problem.radius = radius;
                problem.l1 = set.composite.l1;
                problem.l2 = set.composite.l2;
                problem.nuclear = set.composite.nuclear;
                SCOPED_TRACE(method + " " + set.region + " p=" + std::to_string(set.p) +
                             " r=" + std::to_string(radius) + " l1=" + std::to_string(set.composite.l1) +
                             " l2=" + std::to_string(set.composite.l2) +
                             " nuclear=" + std::to_string(set.composite.nuclear));
                reference::MethodOptions settings{.method = method};
                if (method.starts_with("alfcg")) settings.rho = 1.5;
                expect_agreement(problem, settings, radius > 1 ? Storage::dense : Storage::sparse);
                if (HasFailure()) return;
            }
}

INSTANTIATE_TEST_SUITE_P(Losses, TraceAgreement, testing::ValuesIn(all_losses),
                         [](const auto& chosen) { return chosen.param; });

TEST(TraceAgreement, HoldsForOtherParameters) {
    auto problem = reference::random_problem("multinomial");
    problem.region = "nuclear";
    problem.radius = 2;
    for (const double rho : {1e-5, 0.1, 30.0}) {
        expect_agreement(problem, {.method = "alfcg-d", .rho = rho}, Storage::dense);
        expect_agreement(problem, {.method = "alfcg-fs", .rho = rho, .batch = 2, .period = 7},
                         Storage::dense);
        expect_agreement(problem, {.method = "alfcg-mvr1", .rho = rho, .beta = 0.0, .batch = 1},
                         Storage::dense);
        expect_agreement(problem, {.method = "alfcg-mvr2", .rho = rho, .beta = 3.0, .batch = 22},
                         Storage::dense);
        // A batch of N or more means every row once, and nothing is drawn.
        expect_agreement(problem, {.method = "alfcg-mvr2", .rho = rho, .batch = 23}, Storage::dense);
        expect_agreement(problem, {.method = "alfcg-fs", .rho = rho, .batch = 1000}, Storage::dense);
    }
    expect_agreement(problem, {.method = "fw-shortstep", .lipschitz = 0.7}, Storage::dense);
    expect_agreement(problem, {.method = "fw-momentum", .momentum = 0.4}, Storage::dense);
    expect_agreement(problem, {.method = "fw-sliding", .lipschitz = 2.0, .inner_steps = 12}, Storage::dense);
    expect_agreement(problem, {.method = "fw-armijo", .contraction = 0.7, .descent = 0.3}, Storage::dense);
    expect_agreement(problem, {.method = "fw-parafree", .lipschitz = 1e-3, .increase = 3.0, .decrease = 0.9},
                     Storage::dense);
    for (const Storage storage : {Storage::dense, Storage::sparse}) {
        expect_agreement(problem, {.method = "svfw", .batch = 3, .period = 4}, storage);
        expect_agreement(problem, {.method = "saga-fw", .batch = 9}, storage);  // repeats within a batch
        expect_agreement(problem, {.method = "saga-fw", .batch = 23}, storage);
        expect_agreement(problem, {.method = "spider-cg", .batch = 2, .period = 5, .reset = 7}, storage);
        expect_agreement(problem, {.method = "spider-cg", .batch = 2, .period = 5, .reset = 23}, storage);
        expect_agreement(problem, {.method = "onesample-fw", .batch = 2, .period = 6}, storage);
        expect_agreement(problem, {.method = "sarah-fw", .batch = 4, .period = 3}, storage);
        expect_agreement(problem, {.method = "srfw", .batch = 3, .groups = 4}, storage);
    }
}

}  // namespace
}  // namespace alfcg

// Methods over an active set: linear convergence on polytopes, what x is made of, and the searches that they may use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "active/active_moves.hpp"
#include "alfcg/core/error.hpp"
#include "bridge.hpp"
#include "reference/samples.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

const std::vector<std::string> active_methods{"fw-away", "fw-pairwise", "fw-blended"};
const std::vector<std::string> steps{"alf", "search", "secant"};

// ½ <x − c, H (x − c)> with eigenvalues of H between 1 and about 5.
struct Quadratic {
    reference::Matrix h;
    reference::Matrix c;

    Quadratic(Index n, unsigned seed, double size) {
        const reference::Matrix a = reference::gaussian(3 * n, n, seed);
        h = reference::Matrix::Identity(n, n) + a.transpose() * a / static_cast<double>(3 * n);
        c = size * reference::gaussian(n, 1, seed + 1);
    }
    template <class Real>
    [[nodiscard]] std::unique_ptr<Objective<Real>> objective() const {
        return custom_objective<Real>({1, h.rows()}, [this](auto x, auto gradient) {
            reference::Matrix d(h.rows(), 1);
            for (Index i = 0; i < h.rows(); ++i)
                d(i) = static_cast<double>(x[static_cast<std::size_t>(i)]) - c(i);
            const reference::Matrix g = h * d;
            for (Index i = 0; i < h.rows(); ++i)
                gradient[static_cast<std::size_t>(i)] = static_cast<Real>(g(i));
            return 0.5 * d.cwiseProduct(g).sum();
        });
    }
};

template <class Real>
std::unique_ptr<Region<Real>> simplex() {
    CustomRegion<Real> custom;
    custom.oracle = [](std::span<const Real> g, std::span<Real> v) {
        v[static_cast<std::size_t>(std::min_element(g.begin(), g.end()) - g.begin())] = 1;
    };
    custom.diameter = std::sqrt(2.0);
    custom.violation = [](std::span<const Real> x) {
        const double sum = std::accumulate(x.begin(), x.end(), 0.0);
        return std::max(std::abs(sum - 1), -static_cast<double>(*std::min_element(x.begin(), x.end())));
    };
    custom.name = "simplex";
    return custom_region<Real>(std::move(custom));
}

// The two polytopes, and a quadratic whose minimum over each lies on a face of it.
template <class Real>
std::vector<std::pair<Quadratic, std::unique_ptr<Region<Real>>>> polytopes() {
    std::vector<std::pair<Quadratic, std::unique_ptr<Region<Real>>>> all;
    all.emplace_back(Quadratic(30, 1, 1), lp_ball<Real>(1, 10));
    all.emplace_back(Quadratic(30, 3, 0.3), simplex<Real>());
    return all;
}

Options method_with(const std::string& method, const std::string& step) {
    Options options;
    options.method = method;
    options.parameters.set("step", step);
    options.max_iterations = 5000;
    return options;
}

TEST(Active, GapsOnPolytopesFallByAConstantFactorDownToRounding) {
    constexpr double wanted = 1e-12;
    for (const std::string& method : active_methods)
        for (const std::string& step : steps)
            for (const auto& [quadratic, region] : polytopes<double>()) {
                SCOPED_TRACE(method + " " + step + " " + region->describe());
                const auto objective = quadratic.objective<double>();
                Options options = method_with(method, step);
                options.gap = wanted;
                std::vector<double> least;  // gap so far
                const auto result =
                    solve<double>(*objective, *region, options, [&](const Snapshot<double>& now) {
                        const double gap = now.metrics().gap;
                        least.push_back(least.empty() ? gap : std::min(least.back(), gap));
                    });
                EXPECT_EQ(result.status, Status::converged);
                EXPECT_LE(result.metrics.gap, wanted);
                // One factor for all of the way: every 100 iterations a tenth is left, or less.
                constexpr std::size_t stretch = 100;
                for (std::size_t t = stretch; t < least.size(); ++t)
                    EXPECT_LE(least[t], 0.1 * least[t - stretch]) << t;
                // Without an active set, the same steps have come nowhere near.
                Options plain;
                plain.method = "fw-secant";
                plain.max_iterations = result.iterations;
                EXPECT_GE(solve(*objective, *region, plain).metrics.gap, 1e-5);
            }
}

TEST(Active, TheAtomsThatAreLeftSpanTheFaceOfTheMinimum) {
    for (const auto moves : {ActiveMoves::away, ActiveMoves::pairwise, ActiveMoves::blended})
        for (const auto& [quadratic, region] : polytopes<double>()) {
            const auto objective = quadratic.objective<double>();
            ActiveMethod<double> method(*objective, moves, nullptr);
            Limits limits;
            limits.gap = 1e-12;
            limits.max_iterations = 5000;
            const auto result = solve<double>(*objective, *region, method, limits);
            const auto nonzeros = result.x.size() - std::ranges::count(result.x.span(), 0.0);
            EXPECT_LT(nonzeros, result.x.size());
            EXPECT_EQ(static_cast<Index>(method.set().size()), nonzeros);
        }
}

template <class Real>
void check_atoms(double rounding) {
    const auto problem = reference::random_problem("multinomial", 150, 12);
    for (const auto& spec : {ball("l1", 0, 4), ball("nuclear", 0, 4), ball("lp", 3, 2), ball("linf", 0, 0.2),
                             ball("l1", 0, 4, {0.01, 0, 0}), ball("nuclear", 0, 4, {0, 0.1, 0.01})})
        for (const auto moves : {ActiveMoves::away, ActiveMoves::pairwise, ActiveMoves::blended})
            for (const bool searches : {false, true}) {
                Bridge<Real> bridge(problem);
                const auto region = make_region<Real>(spec);
                SCOPED_TRACE(region->describe() + (searches ? " secant" : " alf"));
                ActiveMethod<Real> method(*bridge.objective, moves, searches ? secant_step() : nullptr);
                Limits limits;
                limits.max_iterations = 300;
                limits.gap = sizeof(Real) == sizeof(double) ? 1e-9 : 1e-4;
                Matrix<Real> expected;  // x as the atoms have it
                solve<Real>(*bridge.objective, *region, method, limits, [&](const Snapshot<Real>& now) {
                    if (expected.size() > 0 && !now.last) {
                        EXPECT_LE((from_matrix(now.x()) - from_matrix(expected)).norm(), rounding);
                    }
                    const ActiveSet<Real>& set = method.set();
                    double sum = 0;
                    for (std::size_t k = 0; k < set.size(); ++k) {
                        EXPECT_GE(set.weight(k), 0);
                        sum += set.weight(k);
                    }
                    EXPECT_NEAR(sum, 1, 1e-12);
                    set.write_point(expected);
                    EXPECT_LE(region->violation(expected), rounding);
                    EXPECT_GE(set.composite(), region->composite(expected) - rounding);
                });
            }
}

TEST(Active, WeightsSumToOneAndTheAtomsToX) {
    check_atoms<double>(1e-12);
    check_atoms<float>(3e-5);
}

TEST(Active, EveryStepOfASearchGoesDown) {
    const auto problem = reference::random_problem("logistic", 200, 15);
    for (const std::string& method : active_methods)
        for (const auto& spec : {ball("l1", 0, 5), ball("lp", 3, 3), ball("linf", 0, 0.4)}) {
            SCOPED_TRACE(method + " " + spec.name);
            Bridge<double> bridge(problem);
            bridge.region = make_region<double>(spec);
            Options options = method_with(method, "search");
            options.max_iterations = 300;
            options.gap = 1e-11;
            const auto rows = run_rows(bridge, options);
            for (std::size_t t = 0; t + 1 < rows.size(); ++t)
                EXPECT_LE(rows[t + 1].metrics.objective, rows[t].metrics.objective + 4e-16);
        }
}

TEST(Active, ARunWithTheCalibratedStepDoesNotEndAboveItsStart) {
    for (const std::string loss : {"multinomial", "logistic", "squared", "huber"}) {
        auto problem = reference::random_problem(loss, 120, 9);
        problem.region = "l1";
        problem.radius = 20;
        for (const std::string& method : active_methods)
            for (const Index iterations : {1, 2, 3, 7, 40}) {
                Bridge<double> bridge(problem);
                Options options = method_with(method, "alf");
                options.max_iterations = iterations;
                const auto rows = run_rows(bridge, options);
                EXPECT_LE(rows.back().metrics.objective, rows.front().metrics.objective);
            }
    }
}

TEST(Active, AnyStartLeadsToTheSameMinimum) {
    const Quadratic quadratic(12, 5, 0.5);
    const auto objective = quadratic.objective<double>();
    const auto region = simplex<double>();
    Matrix<double> middle(1, 12);
    middle.fill(1.0 / 12);
    Matrix<double> corner(1, 12);
    corner(0, 4) = 1;
    for (const std::string& method : active_methods)
        for (const std::string& step : steps) {
            Options options = method_with(method, step);
            options.gap = 1e-13;
            const auto from_middle = solve<double>(*objective, *region, options, {}, &middle);
            const auto from_corner = solve<double>(*objective, *region, options, {}, &corner);
            EXPECT_EQ(from_middle.status, Status::converged);
            EXPECT_EQ(from_corner.status, Status::converged);
            // H is at least the identity: ‖x − x*‖² ≤ 2 (f − f*) ≤ 2 gap.
            EXPECT_LE((from_matrix(from_middle.x) - from_matrix(from_corner.x)).norm(), 1e-6);
        }
}

TEST(Active, ATermIsPartOfWhatIsMinimised) {
    const auto problem = reference::random_problem("multinomial", 150, 12);
    for (const auto& [spec, wanted] : {std::pair{ball("l1", 0, 4, {0.01, 0, 0}), 1e-10},
                                       {ball("l2", 0, 4, {0, 0.1, 0}), 1e-10},
                                       {ball("lp", 3, 2, {0.01, 0.1, 0}), 1e-10},
                                       {ball("nuclear", 0, 4, {0, 0.1, 0.01}), 1e-6}})
        for (const std::string& method : active_methods)
            for (const std::string& step : steps) {
                Bridge<double> bridge(problem);
                const auto region = make_region<double>(spec);
                SCOPED_TRACE(method + " " + step + " " + region->describe());
                Options options = method_with(method, step);
                options.gap = wanted;
                const auto result = solve(*bridge.objective, *region, options);
                EXPECT_EQ(result.status, Status::converged);
            }
}

TEST(Active, NoBetterPointIsPrecision) {
    // The minimum over the ball is the vertex that the first step leads to exactly.
    const auto objective = custom_objective<double>({1, 3}, [](auto x, auto gradient) {
        gradient[0] = -8;
        gradient[1] = gradient[2] = 1;
        return -8 * x[0] + x[1] + x[2];
    });
    const auto region = lp_ball<double>(1, 1);
    for (const std::string& method : active_methods) {
        const auto result = solve(*objective, *region, method_with(method, "alf"));
        EXPECT_EQ(result.status, Status::precision);
        EXPECT_EQ(result.x(0, 0), 1);
        EXPECT_EQ(result.metrics.gap, 0);
    }
}

TEST(Active, StepsAreGivenInWords) {
    const Quadratic quadratic(4, 1, 1);
    const auto objective = quadratic.objective<double>();
    const auto region = lp_ball<double>(1, 1);
    Options options = method_with("fw-away", "bold");
    const auto message = [&] { return message_of<Error>([&] { solve(*objective, *region, options); }); };
    EXPECT_NE(message().find("step must be alf, search or secant, not 'bold'"), std::string::npos);
    options.parameters.set("step", 0.5);
    EXPECT_NE(message().find("step must be alf, search or secant, not a number"), std::string::npos);
}

TEST(Secant, IsTheExactLineSearchOnAQuadratic) {
    for (const auto& [quadratic, region] : polytopes<double>()) {
        const auto objective = quadratic.objective<double>();
        Options options;
        options.method = "fw-secant";
        options.max_iterations = 60;
        Vertex<double> vertex;
        Matrix<double> gradient;
        solve<double>(*objective, *region, options, [&](const Snapshot<double>& now) {
            if (now.last) return;
            objective->evaluate(now.x(), gradient);
            region->minimize(gradient, 0, true, vertex);
            const reference::Matrix d = from_matrix(vertex.to_matrix()) - from_matrix(now.x());
            const double slope = from_matrix(gradient).cwiseProduct(d).sum();
            const double bend = (d * quadratic.h * d.transpose())(0, 0);
            EXPECT_NEAR(*now.step, std::min(1.0, -slope / bend), 1e-9);
        });
    }
}

TEST(Secant, EndsWhereTheSlopeIsNearlyFlatOnALossThatIsNone) {
    auto problem = reference::random_problem("multinomial", 200, 10);
    for (const std::string region : {"l1", "nuclear", "l2"}) {
        problem.region = region;
        problem.radius = 30;
        Bridge<double> bridge(problem);
        Options options;
        options.method = "fw-secant";
        options.max_iterations = 80;
        options.gap = 1e-9;  // below, slopes are rounding
        Matrix<double> gradient;
        Vertex<double> vertex;
        Move<double> move;
        const auto rows = run_rows(bridge, options);
        for (std::size_t t = 0; t + 1 < rows.size(); ++t) {
            bridge.objective->evaluate(rows[t].x, gradient);
            bridge.region->minimize(gradient, 0, true, move.towards());
            const double before = direction(move, gradient, rows[t].x).slope;
            bridge.objective->evaluate(rows[t + 1].x, gradient);
            const double after = direction(move, gradient, rows[t].x).slope;
            if (*rows[t].step < 1) {
                EXPECT_LE(std::abs(after), 1e-3 * std::abs(before)) << t;
            }
            EXPECT_LE(rows[t + 1].metrics.objective, rows[t].metrics.objective + 1e-15);
        }
    }
}

// ---- the set itself --------------------------------------------------------------------------------------------

Vertex<double> corner_of(Index index, Index n, double scale) {
    Vertex<double> vertex;
    vertex.kind = Vertex<double>::Kind::one_hot;
    vertex.shape = {1, n};
    vertex.index = index;
    vertex.scale = scale;
    return vertex;
}

TEST(ActiveSet, AStepThatIsTakenBackLeavesNoTrace) {
    ActiveSet<double> set;
    const auto region = lp_ball<double>(1, 1);
    set.start(Matrix<double>(1, 5), 0);
    set.step_towards(set.find_or_add(corner_of(1, 5, 1)), 0.5);
    set.settle(*region);
    set.step_towards(set.find_or_add(corner_of(3, 5, -1)), 0.25);
    set.settle(*region);
    Matrix<double> before;
    set.write_point(before);
    EXPECT_EQ(before(0, 1), 0.375);
    EXPECT_EQ(before(0, 3), -0.25);
    Matrix<double> after;
    const auto expect_back = [&] {
        set.step_back(1);
        set.write_point(after);
        for (Index i = 0; i < 5; ++i) EXPECT_NEAR(after(0, i), before(0, i), 1e-15);
    };
    set.step_towards(set.find_or_add(corner_of(4, 5, 1)), 1);  // all of the others are gone
    expect_back();
    set.step_away(0, set.weight(0) / (1 - set.weight(0)), true);
    EXPECT_EQ(set.weight(0), 0);
    expect_back();
    set.step_across(2, 1, set.weight(1), true);
    EXPECT_EQ(set.weight(1), 0);
    expect_back();
    set.settle(*region);
    EXPECT_EQ(set.size(), 3u) << "the corner that was come to and left is forgotten";
}

TEST(ActiveSet, OnePointIsOneAtom) {
    ActiveSet<double> set;
    set.start(Matrix<double>(1, 5), 0);
    EXPECT_EQ(set.atom(0).kind, Vertex<double>::Kind::zero);
    const std::size_t at = set.find_or_add(corner_of(2, 5, 1));
    EXPECT_EQ(set.find_or_add(corner_of(2, 5, 1)), at);
    EXPECT_NE(set.find_or_add(corner_of(2, 5, -1)), at);
    EXPECT_EQ(set.size(), 3u);
}

TEST(ActiveSet, WhatIsTooMuchForItsMemoryIsMergedWhereItWeighsLeast) {
    constexpr Index n = 40;
    const auto region = lp_ball<double>(2, 1, {0, 0.3, 0});
    ActiveSet<double> set(0);  // sixteen dense atoms have room
    set.start(Matrix<double>(1, n), 0);
    const auto points = reference::gaussian(200, n, 3);
    Matrix<double> before;
    Matrix<double> after;
    std::size_t most = 0;
    for (Index t = 0; t < 200; ++t) {
        Vertex<double> vertex;
        vertex.kind = Vertex<double>::Kind::dense;
        vertex.shape = {1, n};
        vertex.dense = to_matrix<double>(points.row(t) / points.row(t).norm());
        vertex.composite = region->composite(vertex.dense);
        set.step_towards(set.find_or_add(vertex), 2.0 / static_cast<double>(t + 3));
        set.write_point(before);
        const double composite = set.composite();
        set.settle(*region);
        set.write_point(after);
        EXPECT_LE((from_matrix(after) - from_matrix(before)).norm(), 1e-14);
        EXPECT_LE(set.composite(), composite + 1e-15) << "h is convex";
        EXPECT_GE(set.composite(), region->composite(after) - 1e-15);
        most = std::max(most, set.size());
    }
    EXPECT_LE(most, 16u);
    EXPECT_GE(most, 8u);
}

}  // namespace
}  // namespace alfcg

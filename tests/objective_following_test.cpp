#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "alfcg/alfcg.hpp"
#include "bridge.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

reference::Problem problem_of(const std::string& loss, Index rows, Index features, int outputs) {
    reference::Problem problem;
    problem.loss = loss;
    problem.loss_parameter = 1.3;
    problem.X = reference::gaussian(rows, features, 3);
    problem.outputs = loss == "multinomial" ? outputs : 1;
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < features; ++j)
            if ((i + 2 * j) % 3 == 0) problem.X(i, j) = 0;
        if (loss == "multinomial") {
            problem.classes.push_back(static_cast<int>((i * i + 3 * i) % outputs));
        } else {
            problem.targets.push_back(i % 3 == 0 ? -1 : 1);
        }
    }
    return problem;
}

// The same function without a memory.
template <class Real>
std::unique_ptr<Objective<Real>> forgetful(Objective<Real>& objective) {
    return custom_sum<Real>(
        objective.shape(), objective.samples(),
        [&objective](std::span<const Index> rows, std::span<const Real> x, std::span<Real> gradient) {
            Matrix<Real> point(objective.shape());
            std::copy(x.begin(), x.end(), point.data());
            Matrix<Real> result;
            double value = 0;
            if (static_cast<Index>(rows.size()) == objective.samples()) {
                value = objective.evaluate(point, result);
            } else {
                objective.batch_gradient(rows, point, result);
            }
            std::copy(result.data(), result.data() + result.size(), gradient.begin());
            return value;
        });
}

template <class Real>
double distance(const Matrix<Real>& a, const Matrix<Real>& b) {
    return (from_matrix(a) - from_matrix(b)).norm();
}

// Every kind of vertex: rank one, one-hot, dense, and (with a term that makes small gradients stay at the
// origin) zero.
const std::vector<std::pair<std::string, RegionSpec>> balls{
    {"nuclear", ball("nuclear", 0, 4)},
    {"l1", ball("l1", 0, 6)},
    {"l3", ball("lp", 3, 2)},
    {"l1 with a term", ball("l1", 0, 6, {0.05, 0, 0})},
};

template <class Real>
void check_methods(const std::vector<std::string>& methods, std::optional<double> rho, double tolerance) {
    for (const auto& [loss, outputs] : {std::pair{"multinomial", 4}, {"multinomial", 17}, {"logistic", 1}})
        for (const Storage storage : {Storage::dense, Storage::sparse})
            for (const auto& [name, spec] : balls)
                for (const std::string& method : methods)
                    for (const int threads : {1, 2}) {
                        SCOPED_TRACE(std::string(loss) + " " + std::to_string(outputs) + " " + name + " " +
                                     method + (storage == Storage::dense ? " dense" : " sparse"));
                        const auto problem = problem_of(loss, 300, 41, outputs);
                        Bridge<Real> bridge(problem, storage, threads);
                        const auto region = make_region<Real>(spec);
                        Options options;
                        options.method = method;
                        if (rho) options.parameters.set("rho", *rho);
                        // More than the moves after which scores are renewed; a mean of gradients multiplies any
                        // rounding error tenfold every ten steps, with or without a memory.
                        const bool mean = method == "fw-momentum" || (method == "alfcg-d" && !rho);
                        options.max_iterations = mean ? 30 : 90;
                        options.gap = 1e-3;  // below, a search comes to decide on rounding errors
                        const auto with = solve<Real>(*bridge.objective, *region, options);
                        const auto plain = forgetful(*bridge.objective);
                        const auto without = solve<Real>(*plain, *region, options);
                        const double scale = 1 + from_matrix(without.x).norm();
                        EXPECT_LE(distance(with.x, without.x), tolerance * scale);
                        EXPECT_NEAR(with.metrics.objective, without.metrics.objective,
                                    tolerance * (1 + std::abs(without.metrics.objective)));
                        EXPECT_EQ(with.counters.function_evaluations, without.counters.function_evaluations);
                    }
}

TEST(Following, ChangesARunByNoMoreThanRounding) {
    check_methods<double>({"alfcg-d"}, 0.3, 1e-9);
    check_methods<double>({"fw-openloop", "fw-armijo", "fw-parafree", "fw-momentum"}, std::nullopt, 1e-9);
}

TEST(Following, ChangesACalibratedRunByWhatDifferenceQuotientsMakeOfRounding) {
    check_methods<double>({"alfcg-d"}, std::nullopt, 1e-6);
}

template <class Real>
void check_values(Entries entries, double tolerance) {
    for (const Storage storage : {Storage::dense, Storage::sparse})
        for (const auto& [name, spec] : balls)
            for (const int outputs : {4, 17}) {
                const auto problem = problem_with(entries, "multinomial", 300, 41, outputs);
                Bridge<Real> bridge(problem, storage, 2);
                const auto region = make_region<Real>(spec);
                Objective<Real>& objective = *bridge.objective;
                Iterate<Real> x(objective.shape());
                Matrix<Real> gradient;
                Matrix<Real> exact;
                Move<Real> move;
                for (int t = 0; t < 70; ++t) {
                    SCOPED_TRACE(name + " step " + std::to_string(t));
                    const double value = objective.evaluate(x, gradient);
                    const Matrix<Real> here =
                        x.matrix();  // a point that nothing leads to: computed from the data
                    EXPECT_NEAR(value, objective.evaluate(here, exact), tolerance);
                    EXPECT_LE(distance(gradient, exact), tolerance * (1 + from_matrix(exact).norm()));
                    EXPECT_NEAR(objective.value(x), value, tolerance);
                    region->minimize(gradient, 0, false, move.towards());
                    const auto towards = move.atom().to_matrix();
                    const auto at = [&](double step) {
                        Matrix<Real> point = here;
                        for (Index i = 0; i < point.size(); ++i)
                            point.data()[i] +=
                                static_cast<Real>(step) * (towards.data()[i] - point.data()[i]);
                        return point;
                    };
                    if (t % 3 != 0) {  // now and then a step without a search
                        for (const double step : {0.0, 0.3, 1.0}) {
                            const double along = objective.value_after(x, move, step);
                            EXPECT_NEAR(along, objective.value(at(step)), tolerance * (1 + along));
                        }
                    }
                    x.make(move, t == 40 ? 1.0 : 2.0 / (t + 3));
                    // Two moves without a look in between are one too many for the memory, and still right.
                    if (t == 50) x.make(move, 0.5);
                }
            }
}

TEST(Following, ValuesAndGradientsAreThoseOfTheDataInDouble) {
    for (const Entries entries : all_entries) check_values<double>(entries, 1e-12);
}

TEST(Following, ValuesAndGradientsAreThoseOfTheDataInFloat) {
    for (const Entries entries : all_entries) check_values<float>(entries, 2e-5);
}

// Values and slopes along moves of every form, and what is remembered after them, against points that nothing leads to.
template <class Real>
void check_lines(const std::string& loss, int outputs, bool intercept, double tolerance) {
    for (const Storage storage : {Storage::dense, Storage::sparse})
        for (const auto& [name, spec] : balls) {
            const auto problem = problem_of(loss, 300, 41, outputs);
            const Bridge<Real> bridge(problem, storage, 2);
            const auto objective =
                linear_objective(bridge.features, bridge.targets, bridge.loss, 2, intercept);
            const auto region = make_region<Real>(spec);
            Iterate<Real> x(objective->shape());
            Matrix<Real> gradient;
            Matrix<Real> exact;
            Move<Real> move;
            Vertex<Real> before;
            before.shape = objective->shape();
            for (int t = 0; t < 70; ++t) {
                SCOPED_TRACE(loss + " " + name + " step " + std::to_string(t));
                const double value = objective->evaluate(x, gradient);
                const Iterate<Real> here = x.matrix();
                EXPECT_NEAR(value, objective->evaluate(here, exact), tolerance);
                EXPECT_LE(distance(gradient, exact), tolerance * (1 + from_matrix(exact).norm()));
                Vertex<Real> vertex;
                region->minimize(gradient, 0, false, vertex);
                switch (t % 3) {
                    case 0:
                        move.towards() = vertex;
                        break;
                    case 1:
                        move.away(0.1) = before;
                        break;
                    default:
                        auto& atoms = move.pairwise(0.2);
                        atoms[0] = vertex;
                        atoms[1] = before;
                }
                before = vertex;
                if (t % 4 != 3) {  // now and then a step without a search
                    for (const double step : {0.05, 0.3}) {
                        Matrix<Real> point = x.matrix();
                        apply(move, step, point);
                        const double at_point = objective->evaluate(point, exact);
                        const double slope = direction(move, exact, x.matrix()).slope;
                        EXPECT_NEAR(objective->value_after(x, move, step), at_point,
                                    tolerance * (1 + at_point));
                        EXPECT_NEAR(objective->slope_after(x, move, step), slope,
                                    10 * tolerance * (1 + std::abs(slope)));
                    }
                }
                x.make(move, t % 3 == 0 ? 0.3 : 0.05);
            }
        }
}

TEST(Following, ValuesAndSlopesAlongMovesOfEveryFormAreThoseOfTheData) {
    for (const auto& [loss, outputs] : {std::pair{"multinomial", 4}, {"multinomial", 17}, {"logistic", 1}}) {
        check_lines<double>(loss, outputs, false, 1e-12);
        check_lines<float>(loss, outputs, false, 2e-5);
        check_lines<double>(loss, outputs, true, 1e-6);
        check_lines<float>(loss, outputs, true, 2e-4);
    }
}

// Batch gradients at an iterate that moves, and where it comes from: as those at points that nothing leads to, whatever
// comes in between.
template <class Real>
void check_batches(Entries entries, Storage storage, const RegionSpec& spec, bool two_points,
                   double tolerance) {
    constexpr int outputs = 8;
    const Index features = entries == Entries::drawings ? 250 : 70;  // zeros that are passed over are no work
    const auto problem = problem_with(entries, "multinomial", 900, features, outputs);
    const int threads = two_points ? 2 : 3;
    Bridge<Real> moving(problem, storage, threads);
    Bridge<Real> plain(problem, storage, threads);
    const auto region = make_region<Real>(spec);
    Iterate<Real> x(Shape{outputs, features});
    Iterate<Real> previous;
    Matrix<Real> gradient(outputs, features);
    Matrix<Real> expected(outputs, features);
    Matrix<Real> scratch;
    Matrix<Real> other;
    Move<Real> move;
    const auto table = moving.objective->gradient_table();
    table->fill(x, scratch);
    std::mt19937_64 random(3);
    const auto draw = [&](int t) {
        std::vector<Index> batch(t % 7 == 3 ? 20 : 700);  // now and then too few to wake a thread for
        for (Index& row : batch) row = static_cast<Index>(random() % 900);
        return batch;
    };
    std::vector<Index> batch = draw(0);
    for (int t = 0; t < 200; ++t) {
        SCOPED_TRACE(t);
        const std::vector<Index> next = draw(t + 1);
        Blend<Real> blend{.keep = 0.5, .at_x = 0.8, .x = &x};
        if (t > 0 && two_points) {
            blend.at_y = -0.3;
            blend.y = &previous;
        }
        Slopes slopes;
        Slopes exact;
        if (blend.y != nullptr && t % 5 == 0) blend.slopes = &exact;
        expected = gradient;
        const Iterate<Real> here = x.matrix();
        const Iterate<Real> before = previous.matrix();
        Blend<Real> unled = blend;
        unled.x = &here;
        if (blend.y != nullptr) unled.y = &before;
        plain.objective->blend(batch, unled, expected, scratch);
        if (blend.slopes != nullptr) blend.slopes = &slopes;
        if (t % 13 != 5) moving.objective->expect(next);
        moving.objective->blend(batch, blend, gradient, scratch);
        EXPECT_LE(distance(gradient, expected), tolerance * (1 + from_matrix(expected).norm()));
        EXPECT_NEAR(slopes.at_x, exact.at_x, tolerance * (1 + std::abs(exact.at_x)));
        EXPECT_NEAR(slopes.at_y, exact.at_y, tolerance * (1 + std::abs(exact.at_y)));
        if (t % 31 == 17) moving.objective->evaluate(x, scratch);
        if (t % 29 == 13) table->exchange(batch, previous, scratch, other);
        previous.stand_at(x);
        // A batch that does not look: the next one is two moves on.
        const int moves = t % 23 == 11 ? 2 : 1;
        for (int made = 0; made < moves; ++made) {
            previous.stand_at(x);
            Vertex<Real>& vertex = move.towards();
            region->minimize(gradient, 0, false, vertex);
            if (t % 41 == 40) {  // a way back
                vertex.dense = vertex.to_matrix();
                vertex.kind = Vertex<Real>::Kind::dense;
            } else if (t % 37 == 36) {
                vertex.kind = Vertex<Real>::Kind::zero;
            }
            x.make(move, t == 60 ? 1.0 : t == 90 ? 0.0 : 2.0 / (t + 3));
        }
        if (t == 150) x.jump_to(x.matrix());
        batch =
            t % 17 == 8 ? draw(t + 1) : next;  // once in a while it is another than the one that was expected
    }
}

TEST(Following, MovesChangeBatchGradientsByNoMoreThanRounding) {
    for (const auto& [name, spec] : balls)
        for (const Entries entries : all_entries)
            for (const Storage storage : {Storage::dense, Storage::sparse})
                for (const bool two_points : {false, true}) {
                    SCOPED_TRACE(name + (two_points ? ", two points" : ", one point"));
                    check_batches<double>(entries, storage, spec, two_points, 1e-12);
                    check_batches<float>(entries, storage, spec, two_points, 2e-5);
                }
}

// Looks at the whole objective between two batches change no bit of the second.
template <class Real>
void check_undisturbed(bool two_points) {
    constexpr int outputs = 8;
    constexpr Index features = 250;
    const auto problem = problem_with(Entries::drawings, "multinomial", 900, features, outputs);
    const auto region = make_region<Real>(ball("nuclear", 0, 4));
    const auto run = [&](bool looked_at) {
        Bridge<Real> bridge(problem, Storage::dense, 2);
        auto& objective = bridge.objective;
        Iterate<Real> x(Shape{outputs, features});
        Iterate<Real> previous;
        previous.stand_at(x);
        Matrix<Real> gradient(outputs, features);
        Matrix<Real> scratch;
        Move<Real> move;
        std::mt19937_64 random(7);
        const auto draw = [&] {
            std::vector<Index> batch(700);
            for (Index& row : batch) row = static_cast<Index>(random() % 900);
            return batch;
        };
        std::vector<Index> batch = draw();
        for (int t = 0; t < 150; ++t) {
            const std::vector<Index> next = draw();
            objective->expect(next);
            Blend<Real> blend{.keep = 0.5, .at_x = 0.5, .x = &x};
            if (two_points) {
                blend.at_y = -0.3;
                blend.y = &previous;
            }
            objective->blend(batch, blend, gradient, scratch);
            if (looked_at && t % 3 == 1) objective->evaluate(x, scratch);
            region->minimize(gradient, 0, false, move.towards());
            previous.stand_at(x);
            x.make(move, 1.0 / (t + 2));
            batch = next;
        }
        return gradient;
    };
    const Matrix<Real> undisturbed = run(false);
    const Matrix<Real> looked_at = run(true);
    EXPECT_TRUE(std::equal(undisturbed.data(), undisturbed.data() + undisturbed.size(), looked_at.data()));
}

TEST(Following, BatchGradientsDependOnNothingInBetween) {
    for (const bool two_points : {false, true}) {
        check_undisturbed<float>(two_points);
        check_undisturbed<double>(two_points);
    }
}

// ‖∇ in float − ∇ in double‖ / ‖∇ in double‖ on real data.
double precision_lost(const std::string& name, const std::string& folder) {
    ReadOptions options;
    options.data_dir = folder;
    const auto narrow = load_dataset<float>(name, options);
    const auto wide = load_dataset<double>(name, options);
    LossSpec loss;
    loss.name = "multinomial";
    Classes classes;
    const auto f = linear_objective(narrow.features, make_targets(narrow.labels, loss.name, classes), loss);
    const auto g = linear_objective(wide.features, make_targets(wide.labels, loss.name, classes), loss);
    const reference::Matrix x = 0.003 * reference::gaussian(g->shape().rows, g->shape().cols, 2);
    Matrix<float> narrow_gradient;
    Matrix<double> wide_gradient;
    f->evaluate(to_matrix<float>(x), narrow_gradient);
    g->evaluate(to_matrix<double>(x), wide_gradient);
    return (from_matrix(narrow_gradient) - from_matrix(wide_gradient)).norm() /
           from_matrix(wide_gradient).norm();
}

TEST(Precision, FloatGradientsOnRealDataAreWithinAHundredThousandth) {
    const std::string folder = std::string(ALFCG_SOURCE_DIR) + "/../shared/data";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs the data sets in " << folder;
    EXPECT_LE(precision_lost("mnist-5000-768", folder), 1e-5);
    EXPECT_LE(precision_lost(folder + "/libsvm/news20.bz2", folder), 1e-5);
    EXPECT_LE(precision_lost(folder + "/libsvm/letter.scale.gz", folder), 1e-5);
}

}  // namespace
}  // namespace alfcg

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "alfcg/alfcg.hpp"
#include "bridge.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"
#include "solve/iterate.hpp"

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
const std::vector<std::pair<std::string, RegionSpec>> regions{
    {"nuclear", {"nuclear", 0, 4, {}}},
    {"l1", {"l1", 0, 6, {}}},
    {"l3", {"lp", 3, 2, {}}},
    {"l1 with a term", {"l1", 0, 6, {0.05, 0, 0}}},
};

template <class Real>
void check_methods(const std::vector<std::string>& methods, std::optional<double> rho, double tolerance) {
    for (const auto& [loss, outputs] : {std::pair{"multinomial", 4}, {"multinomial", 17}, {"logistic", 1}})
        for (const Storage storage : {Storage::dense, Storage::sparse})
            for (const auto& [name, spec] : regions)
                for (const std::string& method : methods)
                    for (const int threads : {1, 2}) {
                        SCOPED_TRACE(std::string(loss) + " " + std::to_string(outputs) + " " + name + " " +
                                     method + (storage == Storage::dense ? " dense" : " sparse"));
                        const auto problem = problem_of(loss, 300, 41, outputs);
                        Bridge<Real> bridge(problem, storage, threads);
                        const auto region = make_region<Real>(spec);
                        Options options;
                        options.method = method;
                        options.parameters.rho = rho;
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
        for (const auto& [name, spec] : regions)
            for (const int outputs : {4, 17}) {
                const auto problem = problem_with(entries, "multinomial", 300, 41, outputs);
                Bridge<Real> bridge(problem, storage, 2);
                const auto region = make_region<Real>(spec);
                Objective<Real>& objective = *bridge.objective;
                Matrix<Real> x(objective.shape());
                Matrix<Real> gradient;
                Matrix<Real> exact;
                Vertex<Real> vertex;
                objective.follow(&x);
                for (int t = 0; t < 70; ++t) {
                    SCOPED_TRACE(name + " step " + std::to_string(t));
                    const double value = objective.evaluate(x, gradient);
                    const Matrix<Real> copy = x;  // another matrix: not followed, so computed from the data
                    EXPECT_NEAR(value, objective.evaluate(copy, exact), tolerance);
                    EXPECT_LE(distance(gradient, exact), tolerance * (1 + from_matrix(exact).norm()));
                    EXPECT_NEAR(objective.value(x), value, tolerance);
                    region->minimize(gradient, 0, false, vertex);
                    const auto towards = vertex.to_matrix();
                    const auto at = [&](double step) {
                        Matrix<Real> point = x;
                        for (Index i = 0; i < x.size(); ++i)
                            point.data()[i] += static_cast<Real>(step) * (towards.data()[i] - x.data()[i]);
                        return point;
                    };
                    if (t % 3 != 0) {  // now and then a step without a search
                        objective.aim(vertex);
                        for (const double step : {0.0, 0.3, 1.0}) {
                            const auto along = objective.value_along(step);
                            ASSERT_TRUE(along.has_value());
                            EXPECT_NEAR(*along, objective.value(at(step)), tolerance * (1 + *along));
                        }
                    }
                    const double step = t == 40 ? 1.0 : 2.0 / (t + 3);
                    x = at(step);
                    objective.moved(vertex, step);
                    // Two moves without a look in between are one too many for the memory, and still right.
                    if (t == 50) {
                        x = at(0.5);
                        objective.moved(vertex, 0.5);
                    }
                }
                objective.follow(nullptr);
                EXPECT_FALSE(objective.value_along(0.5).has_value());
            }
}

TEST(Following, ValuesAndGradientsAreThoseOfTheDataInDouble) {
    for (const Entries entries : all_entries) check_values<double>(entries, 1e-12);
}

TEST(Following, ValuesAndGradientsAreThoseOfTheDataInFloat) {
    for (const Entries entries : all_entries) check_values<float>(entries, 2e-5);
}

// Batch gradients at an iterate whose moves are announced, and where it comes from: as those of an objective that is told
// nothing, whatever comes in between.
template <class Real>
void check_announced(Entries entries, Storage storage, const RegionSpec& spec, bool two_points,
                     double tolerance) {
    constexpr int outputs = 8;
    const Index features = entries == Entries::drawings ? 250 : 70;  // zeros that are passed over are no work
    const auto problem = problem_with(entries, "multinomial", 900, features, outputs);
    const int threads = two_points ? 2 : 3;
    Bridge<Real> told(problem, storage, threads);
    Bridge<Real> plain(problem, storage, threads);
    const auto region = make_region<Real>(spec);
    Matrix<Real> x(outputs, features);
    Matrix<Real> previous;
    Matrix<Real> gradient(outputs, features);
    Matrix<Real> expected(outputs, features);
    Matrix<Real> scratch;
    Matrix<Real> other;
    Vertex<Real> vertex;
    const auto table = told.objective->gradient_table();
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
        plain.objective->blend(batch, blend, expected, scratch);
        if (blend.slopes != nullptr) blend.slopes = &slopes;
        blend.announced = true;
        if (t % 13 != 5) told.objective->expect(next);
        told.objective->blend(batch, blend, gradient, scratch);
        EXPECT_LE(distance(gradient, expected), tolerance * (1 + from_matrix(expected).norm()));
        EXPECT_NEAR(slopes.at_x, exact.at_x, tolerance * (1 + std::abs(exact.at_x)));
        EXPECT_NEAR(slopes.at_y, exact.at_y, tolerance * (1 + std::abs(exact.at_y)));
        if (t % 31 == 17) told.objective->evaluate(x, scratch);
        if (t % 29 == 13) table->exchange(batch, previous, scratch, other);
        previous = x;
        // A batch that does not look: the next one is two moves on.
        const int moves = t % 23 == 11 ? 2 : 1;
        for (int move = 0; move < moves; ++move) {
            previous = x;
            region->minimize(gradient, 0, false, vertex);
            if (t % 41 == 40) {  // a way back
                vertex.dense = vertex.to_matrix();
                vertex.kind = Vertex<Real>::Kind::dense;
            } else if (t % 37 == 36) {
                vertex.kind = Vertex<Real>::Kind::zero;
            }
            const double step = t == 60 ? 1.0 : t == 90 ? 0.0 : 2.0 / (t + 3);
            move_towards(vertex, step, x);
            told.objective->moved(vertex, step);
        }
        if (t == 150) told.objective->follow(nullptr);
        batch =
            t % 17 == 8 ? draw(t + 1) : next;  // once in a while it is another than the one that was expected
    }
}

TEST(Following, AnnouncedMovesChangeBatchGradientsByNoMoreThanRounding) {
    for (const auto& [name, spec] : regions)
        for (const Entries entries : all_entries)
            for (const Storage storage : {Storage::dense, Storage::sparse})
                for (const bool two_points : {false, true}) {
                    SCOPED_TRACE(name + (two_points ? ", two points" : ", one point"));
                    check_announced<double>(entries, storage, spec, two_points, 1e-12);
                    check_announced<float>(entries, storage, spec, two_points, 2e-5);
                }
}

// Looks at the whole objective between two batches change no bit of the second.
template <class Real>
void check_undisturbed(bool two_points) {
    constexpr int outputs = 8;
    constexpr Index features = 250;
    const auto problem = problem_with(Entries::drawings, "multinomial", 900, features, outputs);
    const auto region = make_region<Real>({"nuclear", 0, 4, {}});
    const auto run = [&](bool looked_at) {
        Bridge<Real> bridge(problem, Storage::dense, 2);
        auto& objective = bridge.objective;
        Matrix<Real> x(outputs, features);
        Matrix<Real> previous = x;
        Matrix<Real> gradient(outputs, features);
        Matrix<Real> scratch;
        Vertex<Real> vertex;
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
            Blend<Real> blend{.keep = 0.5, .at_x = 0.5, .x = &x, .announced = true};
            if (two_points) {
                blend.at_y = -0.3;
                blend.y = &previous;
            }
            objective->blend(batch, blend, gradient, scratch);
            if (looked_at && t % 3 == 1) objective->evaluate(x, scratch);
            region->minimize(gradient, 0, false, vertex);
            previous = x;
            move_towards(vertex, 1.0 / (t + 2), x);
            objective->moved(vertex, 1.0 / (t + 2));
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
    LossOptions loss;
    loss.kind = Loss::multinomial;
    Classes classes;
    const auto f = linear_objective(narrow.features, make_targets(narrow.labels, loss.kind, classes), loss);
    const auto g = linear_objective(wide.features, make_targets(wide.labels, loss.kind, classes), loss);
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

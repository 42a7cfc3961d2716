// A blend at two points says how the batch slopes along the way between them.
#include <gtest/gtest.h>

#include "bridge.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

using reference::inner;

struct Points {
    reference::Matrix x;
    reference::Matrix y;
    reference::Matrix held;  // the gradient so far
};

// The momentum methods, and SPIDER: what becomes of the two gradients.
struct Weights {
    double keep, at_x, at_y;
};
const std::vector<Weights> all_weights{{1, 1, -1}, {0.7, 0.3, 0}, {0.7, 1, -0.7}, {0, 1, -1}, {0, 0.4, 0}};

template <class Real>
void expect_slopes(Objective<Real>& objective, const Points& points, const std::vector<Index>& batch,
                   const reference::Matrix& at_x, const reference::Matrix& at_y, double tolerance) {
    const Iterate<Real> x = to_matrix<Real>(points.x);
    const Iterate<Real> y = to_matrix<Real>(points.y);
    const reference::Matrix way = from_matrix(x.matrix()) - from_matrix(y.matrix());
    // The points may be close: what is lost in the scores' difference is relative to the points themselves.
    const double size = points.x.norm() + points.y.norm();
    for (const Weights& weights : all_weights) {
        SCOPED_TRACE("at_y " + std::to_string(weights.at_y) + " keep " + std::to_string(weights.keep));
        Slopes slopes{1e30, 1e30};
        Blend<Real> blend{.keep = weights.keep,
                          .at_x = weights.at_x,
                          .x = &x,
                          .at_y = weights.at_y,
                          .y = &y,
                          .slopes = &slopes};
        Matrix<Real> with = to_matrix<Real>(points.held);
        Matrix<Real> scratch;
        objective.blend(batch, blend, with, scratch);
        EXPECT_NEAR(slopes.at_x, inner(at_x, way), tolerance * at_x.norm() * size);
        EXPECT_NEAR(slopes.at_y, inner(at_y, way), tolerance * at_y.norm() * size);

        blend.slopes = nullptr;
        Matrix<Real> without = to_matrix<Real>(points.held);
        objective.blend(batch, blend, without, scratch);
        const double scale = weights.keep * points.held.norm() + std::abs(weights.at_x) * at_x.norm() +
                             std::abs(weights.at_y) * at_y.norm();
        EXPECT_LE((from_matrix(with) - from_matrix(without)).norm(), tolerance * scale);
        const reference::Matrix expected =
            weights.keep * points.held + weights.at_x * at_x + weights.at_y * at_y;
        EXPECT_LE((from_matrix(with) - expected).norm(), tolerance * scale);
    }
}

std::vector<Index> drawn_rows(Index size, Index samples) {
    std::vector<Index> batch;
    std::mt19937_64 random(7);
    for (Index k = 0; k < size; ++k)
        batch.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(samples)));
    batch.push_back(batch.front());  // a row twice, whatever was drawn
    return batch;
}

template <class Real>
void check_linear(Entries entries, double tolerance) {
    const std::vector<std::pair<std::string, int>> losses{
        {"multinomial", 2}, {"multinomial", 3}, {"multinomial", 10}, {"multinomial", 17}, {"multinomial", 40},
        {"logistic", 1},    {"squared", 1},     {"huber", 1},        {"sigmoid", 1},      {"welsch", 1}};
    for (const auto& [loss, outputs] : losses) {
        const auto problem = problem_with(entries, loss, 150, 37, outputs);
        for (const Index size : {1, 12, 700})
            for (const double apart : {1.0, 1e-3}) {
                const auto batch = drawn_rows(size, problem.rows());
                Points points;
                points.x = 0.5 * reference::gaussian(outputs, 37, 9);
                points.y = points.x + apart * reference::gaussian(outputs, 37, 10);
                points.held = reference::gaussian(outputs, 37, 11);
                const reference::Draw draw(batch.begin(), batch.end());
                const auto at_x = reference::batch_gradient(problem, points.x, draw);
                const auto at_y = reference::batch_gradient(problem, points.y, draw);
                for (const Storage storage : {Storage::dense, Storage::sparse})
                    for (const int threads : {1, 2, 3}) {
                        SCOPED_TRACE(loss + " c=" + std::to_string(outputs) + " b=" + std::to_string(size) +
                                     (storage == Storage::dense ? " dense " : " sparse ") +
                                     std::to_string(threads) + " threads, apart " + std::to_string(apart));
                        Bridge<Real> bridge(problem, storage, threads);
                        expect_slopes<Real>(*bridge.objective, points, batch, at_x, at_y, tolerance);
                        // The general way, which knows nothing of linear models.
                        struct General final : Objective<Real> {
                            explicit General(Objective<Real>& given) : inner_objective(given) {}
                            [[nodiscard]] Shape shape() const override { return inner_objective.shape(); }
                            [[nodiscard]] Index samples() const override { return inner_objective.samples(); }
                            double evaluate(const Iterate<Real>& x, Matrix<Real>& g) override {
                                return inner_objective.evaluate(x, g);
                            }
                            double value(const Iterate<Real>& x) override { return inner_objective.value(x); }
                            void batch_gradient(std::span<const Index> rows, const Iterate<Real>& x,
                                                Matrix<Real>& g) override {
                                inner_objective.batch_gradient(rows, x, g);
                            }
                            Objective<Real>& inner_objective;
                        } general(*bridge.objective);
                        expect_slopes<Real>(general, points, batch, at_x, at_y, tolerance);
                    }
            }
    }
}

TEST(Slopes, OfALinearModelAreThoseOfItsBatchGradientsInDouble) {
    for (const Entries entries : {Entries::numbers, Entries::drawings}) check_linear<double>(entries, 1e-12);
}

TEST(Slopes, OfALinearModelAreThoseOfItsBatchGradientsInFloat) {
    for (const Entries entries : {Entries::numbers, Entries::drawings}) check_linear<float>(entries, 2e-5);
}

TEST(Slopes, OfACallersSumAreThoseOfItsBatchGradients) {
    // f_i(x) = ½ (i + 1) ‖x − i‖².
    constexpr Index samples = 9;
    constexpr Index size = 5;
    const auto sum = custom_sum<double>({1, size}, samples, [](auto rows, auto x, auto gradient) {
        double value = 0;
        const double share = 1 / static_cast<double>(rows.size());
        for (const Index i : rows)
            for (std::size_t k = 0; k < x.size(); ++k) {
                const auto weight = static_cast<double>(i + 1) * share;
                const double apart = x[k] - static_cast<double>(i);
                value += 0.5 * weight * apart * apart;
                gradient[k] += weight * apart;
            }
        return value;
    });
    const Points points{reference::gaussian(1, size, 1), reference::gaussian(1, size, 2),
                        reference::gaussian(1, size, 3)};
    const std::vector<Index> batch{8, 0, 3, 3, 3};
    const auto gradient = [&](const reference::Matrix& at) {
        reference::Matrix total = reference::Matrix::Zero(1, size);
        for (const Index i : batch)
            total.array() += static_cast<double>(i + 1) * (at.array() - static_cast<double>(i)) / 5.0;
        return total;
    };
    expect_slopes<double>(*sum, points, batch, gradient(points.x), gradient(points.y), 1e-13);
}

}  // namespace
}  // namespace alfcg

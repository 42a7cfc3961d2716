#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "bridge.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

const std::vector<std::string> all_losses{"multinomial", "logistic", "squared", "huber", "sigmoid", "welsch"};

template <class Real>
void expect_gradient(const Matrix<Real>& ours, const reference::Matrix& theirs, double tolerance) {
    const double scale = theirs.norm() + 1e-12;
    EXPECT_LE((from_matrix(ours) - theirs).norm() / scale, tolerance);
}

template <class Real>
void check_against_reference(double tolerance) {
    struct Size {
        Index rows, features;
        int outputs;
    };
    for (const std::string& loss : all_losses)
        for (const Size size :
             {Size{1, 1, 2}, Size{7, 3, 3}, Size{13, 16, 5}, Size{40, 17, 7}, Size{70, 123, 11},
              Size{300, 50, 26}, Size{37, 64, 10}, Size{29, 131, 4}, Size{61, 33, 13}, Size{100, 300, 20},
              Size{45, 19, 70}, Size{23, 270, 150}, Size{150, 35, 2}, Size{210, 16, 3}, Size{700, 21, 9}})
            for (const Storage storage : {Storage::dense, Storage::sparse})
                for (const int threads : {1, 2, 3}) {
                    SCOPED_TRACE(loss + " " + std::to_string(size.rows) + "x" +
                                 std::to_string(size.features) + " c=" + std::to_string(size.outputs) +
                                 (storage == Storage::dense ? " dense" : " sparse"));
                    auto problem = sized_problem(loss, size.rows, size.features, size.outputs);
                    const reference::Matrix x = reference::gaussian(problem.outputs, size.features, 9);
                    Bridge<Real> bridge(problem, storage, threads);
                    Matrix<Real> gradient;
                    const double value = bridge.objective->evaluate(to_matrix<Real>(x), gradient);
                    const double expected = reference::full_value(problem, x);
                    EXPECT_NEAR(value, expected, tolerance * (1 + std::abs(expected)));
                    EXPECT_NEAR(bridge.objective->value(to_matrix<Real>(x)), value,
                                tolerance * (1 + std::abs(expected)));
                    expect_gradient(gradient, reference::full_gradient(problem, x), tolerance);

                    std::vector<Index> batch;  // with repeats
                    reference::Draw draw;
                    std::mt19937_64 random(7);
                    for (int k = 0; k < 9; ++k) {
                        batch.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(size.rows)));
                        draw.push_back(batch.back());
                    }
                    bridge.objective->batch_gradient(batch, to_matrix<Real>(x), gradient);
                    expect_gradient(gradient, reference::batch_gradient(problem, x, draw), tolerance);
                }
}

TEST(Objective, ValueAndGradientAgreeWithTheReferenceInDouble) {
    check_against_reference<double>(1e-13);
}

TEST(Objective, ValueAndGradientAgreeWithTheReferenceInFloat) {
    check_against_reference<float>(2e-5);
}

// Rows that end in every part of a vector, over several blocks.
template <class Real>
void check_widths(double tolerance) {
    for (const int outputs : {3, 5, 12, 13, 26, 49})
        for (Index features = 1; features <= 33; ++features) {
            SCOPED_TRACE("c=" + std::to_string(outputs) + " d=" + std::to_string(features));
            const auto problem = sized_problem("multinomial", 500, features, outputs);
            const reference::Matrix x = reference::gaussian(outputs, features, 9);
            Bridge<Real> bridge(problem, Storage::dense, 1);
            Matrix<Real> gradient;
            bridge.objective->evaluate(to_matrix<Real>(x), gradient);
            expect_gradient(gradient, reference::full_gradient(problem, x), tolerance);
        }
}

TEST(Objective, RowsMayEndInAnyPartOfAVector) {
    check_widths<double>(1e-13);
    check_widths<float>(2e-5);
}

// Large enough that the work is shared out between threads and the sparse pass transposes its weights; with many rows it
// comes in more pieces than there are threads, and who takes which differs from pass to pass.
template <class Real>
void check_parallel(Entries entries, Index rows, double tolerance) {
    const auto problem = problem_with(entries, "multinomial", rows, 150, 10);
    const reference::Matrix x = reference::gaussian(10, 150, 9);
    const reference::Matrix expected = reference::full_gradient(problem, x);
    const double expected_value = reference::full_value(problem, x);
    for (const Storage storage : {Storage::dense, Storage::sparse})
        for (const int threads : {1, 2, 3, 5}) {
            Bridge<Real> bridge(problem, storage, threads);
            Matrix<Real> gradient;
            const double value = bridge.objective->evaluate(to_matrix<Real>(x), gradient);
            EXPECT_NEAR(value, expected_value, tolerance);
            expect_gradient(gradient, expected, tolerance);
            for (int again = 0; again < 10; ++again) {
                Matrix<Real> same;
                EXPECT_EQ(bridge.objective->evaluate(to_matrix<Real>(x), same), value);
                EXPECT_TRUE(std::equal(same.span().begin(), same.span().end(), gradient.span().begin()))
                    << "the same thread count must give the same bits";
            }
        }
}

TEST(Objective, ThreadsShareTheWorkAndKeepTheBits) {
    for (const Entries entries : all_entries)
        for (const Index rows : {3000, 30000}) {
            check_parallel<double>(entries, rows, 1e-12);
            check_parallel<float>(entries, rows, 1e-5);
        }
}

template <class Real>
void check_blend(Entries entries, double tolerance) {
    for (const int outputs : {2, 3, 10, 12, 20})
        for (const Storage storage : {Storage::dense, Storage::sparse})
            for (const Index size : {40, 900})  // small batches go without a table of the weights
                for (const int threads : {1, 2}) {
                    const auto problem = problem_with(entries, "multinomial", 400, 60, outputs);
                    Bridge<Real> bridge(problem, storage, threads);
                    const reference::Matrix x = reference::gaussian(outputs, 60, 9);
                    const reference::Matrix y = reference::gaussian(outputs, 60, 10);
                    const reference::Matrix held = reference::gaussian(outputs, 60, 11);
                    std::vector<Index> batch;
                    reference::Draw draw;
                    std::mt19937_64 random(7);
                    for (Index k = 0; k < size; ++k) {
                        batch.push_back(static_cast<Index>(random() % 400));
                        draw.push_back(batch.back());
                    }
                    const Iterate<Real> x_ours = to_matrix<Real>(x);
                    const Iterate<Real> y_ours = to_matrix<Real>(y);
                    for (const double keep : {0.0, 0.3, 1.0}) {
                        Matrix<Real> gradient = to_matrix<Real>(held);
                        Matrix<Real> scratch;
                        bridge.objective->blend(
                            batch, {.keep = keep, .at_x = 0.7, .x = &x_ours, .at_y = -0.4, .y = &y_ours},
                            gradient, scratch);
                        const reference::Matrix expected = keep * held +
                                                           0.7 * reference::batch_gradient(problem, x, draw) -
                                                           0.4 * reference::batch_gradient(problem, y, draw);
                        expect_gradient(gradient, expected, tolerance);
                        // The general way, which knows nothing of linear models, says the same.
                        gradient = to_matrix<Real>(held);
                        bridge.objective->Objective<Real>::blend(
                            batch, {.keep = keep, .at_x = 0.7, .x = &x_ours, .at_y = -0.4, .y = &y_ours},
                            gradient, scratch);
                        expect_gradient(gradient, expected, tolerance);
                    }
                }
}

TEST(Objective, BlendsABatchAtTwoPointsIntoAGradient) {
    for (const Entries entries : all_entries) {
        check_blend<double>(entries, 1e-12);
        check_blend<float>(entries, 2e-5);
    }
}

// Scores may be computed as differences to one class: never to one whose own are so large that they swallow the
// digits of the others.
TEST(Objective, AClassWithHugeWeightsCostsTheOthersNoDigits) {
    constexpr int outputs = 4;
    for (int huge = 0; huge < outputs; ++huge) {
        auto problem = sized_problem("multinomial", 400, 40, outputs);
        for (Index i = 0; i < 400; ++i) {
            problem.X(i, 0) = 1;
            if (problem.classes[static_cast<std::size_t>(i)] == huge)
                problem.classes[static_cast<std::size_t>(i)] = (huge + 1) % outputs;
        }
        reference::Matrix x = 0.2 * reference::gaussian(outputs, 40, 9);
        x(huge, 0) = -1e4;
        const auto ours = to_matrix<float>(x);
        const reference::Matrix rounded = from_matrix(ours);
        Bridge<float> bridge(problem, Storage::dense, 1);
        Matrix<float> gradient;
        EXPECT_NEAR(bridge.objective->evaluate(ours, gradient), reference::full_value(problem, rounded),
                    2e-6);
        expect_gradient(gradient, reference::full_gradient(problem, rounded), 2e-6);
    }
}

// Wide enough that every thread is asked for its share, and some have none.
TEST(Objective, ThreadsWithoutRowsAddNothing) {
    for (const int outputs : {1, 4, 14})
        for (const Index rows : {1, 2, 6})
            for (const double keep : {0.0, 0.5}) {
                const Index features = 1100000 / (rows * outputs);
                const auto problem =
                    sized_problem(outputs == 1 ? "squared" : "multinomial", rows, features, outputs);
                Bridge<double> bridge(problem, Storage::dense, 4);
                const reference::Matrix x = 1e-3 * reference::gaussian(outputs, features, 9);
                const Iterate<double> ours = to_matrix<double>(x);
                const reference::Matrix expected = reference::full_gradient(problem, x);
                Matrix<double> gradient(outputs, features);
                gradient.fill(std::numeric_limits<double>::quiet_NaN());
                bridge.objective->evaluate(ours, gradient);
                expect_gradient(gradient, expected, 1e-12);
                std::vector<Index> all(static_cast<std::size_t>(rows));
                std::iota(all.begin(), all.end(), Index{0});
                Matrix<double> scratch;
                gradient.fill(keep == 0 ? std::numeric_limits<double>::quiet_NaN() : 1);
                bridge.objective->blend(all, {.keep = keep, .x = &ours}, gradient, scratch);
                expect_gradient(gradient, (expected.array() + keep).matrix(), 1e-12);
            }
}

// Rows that stay together are too few for all threads.
TEST(Objective, ThreadsMayGetNoneOfTheRowsThatStayTogether) {
    const auto problem = problem_with(Entries::drawings, "multinomial", 300, 1600, 4);
    const reference::Matrix x = 0.1 * reference::gaussian(4, 1600, 9);
    for (const int threads : {2, 5, 8}) {
        Bridge<double> bridge(problem, Storage::dense, threads);
        Matrix<double> gradient;
        bridge.objective->evaluate(to_matrix<double>(x), gradient);
        expect_gradient(gradient, reference::full_gradient(problem, x), 1e-12);
    }
}

// What comes next is only fetched.
TEST(Objective, RowsThatAreExpectedChangeNoBit) {
    for (const Entries entries : all_entries)
        for (const int threads : {1, 3}) {
            const auto problem = problem_with(entries, "multinomial", 900, 200, 10);
            Bridge<float> bridge(problem, Storage::dense, threads);
            const auto x = to_matrix<float>(reference::gaussian(10, 200, 9));
            std::vector<Index> batch(700);
            std::mt19937_64 random(7);
            for (Index& row : batch) row = static_cast<Index>(random() % 900);
            Matrix<float> plain;
            bridge.objective->batch_gradient(batch, x, plain);
            for (const std::size_t length : {0, 1, 350, 700, 2000}) {
                const std::vector<Index> next(length, 899);
                bridge.objective->expect(next);
                Matrix<float> gradient;
                bridge.objective->batch_gradient(batch, x, gradient);
                EXPECT_TRUE(std::equal(gradient.span().begin(), gradient.span().end(), plain.span().begin()));
            }
        }
}

TEST(Objective, WhatAGradientHeldBeforeDoesNotCount) {
    for (const std::string& loss : all_losses)
        for (const Entries entries : all_entries) {
            const auto problem = problem_with(entries, loss, 400, 37, 3);
            Bridge<float> bridge(problem, Storage::dense, 2);
            const reference::Matrix x = reference::gaussian(problem.outputs, 37, 9);
            Matrix<float> gradient(problem.outputs, 37);
            std::fill_n(gradient.data(), gradient.size(), std::numeric_limits<float>::quiet_NaN());
            bridge.objective->evaluate(to_matrix<float>(x), gradient);
            expect_gradient(gradient, reference::full_gradient(problem, x), 2e-5);
        }
}

TEST(Objective, GradientsAgreeWithCentralDifferences) {
    for (const std::string& loss : all_losses) {
        auto problem = sized_problem(loss, 31, 6, 4);
        Bridge<double> bridge(problem);
        Matrix<double> x = to_matrix<double>(0.3 * reference::gaussian(problem.outputs, 6, 2));
        Matrix<double> gradient;
        bridge.objective->evaluate(x, gradient);
        constexpr double h = 1e-6;
        for (Index k = 0; k < x.size(); ++k) {
            const double kept = x.data()[k];
            x.data()[k] = kept + h;
            const double above = bridge.objective->value(x);
            x.data()[k] = kept - h;
            const double below = bridge.objective->value(x);
            x.data()[k] = kept;
            EXPECT_NEAR(gradient.data()[k], (above - below) / (2 * h), 2e-9) << loss << " entry " << k;
        }
    }
}

// With one sample x = 1 the logits are the weights themselves.
template <class Real>
void check_large_logits() {
    reference::Problem problem;
    problem.X = reference::Matrix::Ones(1, 1);
    problem.outputs = 3;
    problem.classes = {1};
    Bridge<Real> bridge(problem);
    Matrix<Real> w(3, 1);
    Matrix<Real> gradient;
    w(0, 0) = 1e4F;
    w(1, 0) = -1e4F;
    EXPECT_NEAR(bridge.objective->evaluate(w, gradient), 2e4, 1e-3);
    EXPECT_EQ(gradient(0, 0), Real(1));
    EXPECT_EQ(gradient(1, 0), Real(-1));
    w(1, 0) = 2e4F;  // certain and right: the loss is exp(-1e4), which is 0
    EXPECT_EQ(bridge.objective->evaluate(w, gradient), 0);
    for (const Real g : gradient.span()) EXPECT_EQ(g, Real(0));

    for (const std::string loss : {"logistic", "sigmoid"}) {
        problem = {};
        problem.loss = loss;
        problem.X = reference::Matrix::Ones(1, 1);
        problem.targets = {1};
        Bridge<Real> binary(problem);
        Matrix<Real> z(1, 1);
        z(0, 0) = -1e4F;
        EXPECT_NEAR(binary.objective->evaluate(z, gradient), loss == "logistic" ? 1e4 : 1.0, 1e-9);
        EXPECT_EQ(gradient(0, 0), loss == "logistic" ? Real(-1) : Real(0));
        z(0, 0) = 1e4F;
        EXPECT_EQ(binary.objective->evaluate(z, gradient), 0);
        EXPECT_EQ(gradient(0, 0), Real(0));
    }
}

TEST(Objective, IsRightForLogitsOfTenThousand) {
    check_large_logits<float>();
    check_large_logits<double>();
}

TEST(Objective, LossOfAnAlmostCertainClassKeepsItsDigits) {
    // log(1 + e^{-30}) is e^{-30} to ten digits; a plain log(sum) would give 0 or noise.
    reference::Problem problem;
    problem.X = reference::Matrix::Ones(1, 1);
    problem.outputs = 2;
    problem.classes = {0};
    Bridge<double> bridge(problem);
    Matrix<double> w(2, 1);
    w(0, 0) = 30;
    Matrix<double> gradient;
    EXPECT_NEAR(bridge.objective->evaluate(w, gradient) / std::exp(-30.0), 1, 1e-10);
    EXPECT_NEAR(gradient(0, 0) / -std::exp(-30.0), 1, 1e-10);
}

TEST(Objective, SmoothnessConstantsOfTheSpecificationBoundTheSecants) {
    for (const std::string& loss : all_losses) {
        if (loss == "huber") continue;  // the specification gives no constant for it
        auto problem = sized_problem(loss, 60, 5, 4);
        problem.loss_parameter = 1;
        Bridge<double> bridge(problem);
        const double bound = reference::smoothness(problem);
        for (unsigned seed = 0; seed < 50; ++seed) {
            const auto x = to_matrix<double>(reference::gaussian(problem.outputs, 5, 100 + seed));
            const auto y = to_matrix<double>(reference::gaussian(problem.outputs, 5, 200 + seed));
            Matrix<double> gx;
            Matrix<double> gy;
            bridge.objective->evaluate(x, gx);
            bridge.objective->evaluate(y, gy);
            const double change = (from_matrix(gx) - from_matrix(gy)).norm();
            EXPECT_LE(change, bound * (from_matrix(x) - from_matrix(y)).norm() * (1 + 1e-12)) << loss;
        }
    }
}

TEST(Objective, CallersFunctionsAreFiniteSumsToo) {
    // f_i(x) = (x - i)^2 / 2 over i = 0..3: mean gradient over a batch is x - mean(batch).
    const auto sum = custom_sum<double>({1, 1}, 4, [](auto rows, auto x, auto gradient) {
        double value = 0;
        gradient[0] = 0;
        for (const Index i : rows) {
            const double r = x[0] - static_cast<double>(i);
            value += 0.5 * r * r / static_cast<double>(rows.size());
            gradient[0] += r / static_cast<double>(rows.size());
        }
        return value;
    });
    Matrix<double> x(1, 1);
    Matrix<double> gradient;
    EXPECT_EQ(sum->evaluate(x, gradient), (0 + 1 + 4 + 9) / 8.0);
    EXPECT_EQ(gradient(0, 0), -1.5);
    const std::vector<Index> batch{3, 3, 0};
    sum->batch_gradient(batch, x, gradient);
    EXPECT_EQ(gradient(0, 0), -2.0);
    EXPECT_EQ(sum->samples(), 4);
}

TEST(Loss, LabelsChooseTheLoss) {
    const auto labels = [](std::initializer_list<const char*> texts) {
        Labels result;
        for (const char* text : texts) result.push(std::string_view(text));
        return result;
    };
    EXPECT_EQ(default_loss(labels({"-1", "+1", "1"})), "logistic");
    EXPECT_EQ(default_loss(labels({"cat", "dog"})), "logistic");
    EXPECT_EQ(default_loss(labels({"3", "1", "2"})), "multinomial");
    EXPECT_EQ(default_loss(labels({"a", "b", "c"})), "multinomial");
    EXPECT_EQ(default_loss(labels({"0.5", "1", "2"})), "squared");
    Labels measurements;
    for (int i = 0; i < 300; ++i) measurements.push(static_cast<double>(i * 7));
    EXPECT_EQ(default_loss(measurements), "squared") << "whole numbers that hardly repeat";
    // `rows(value)` rows with each of the values first .. last.
    const auto repeated = [](int first, int last, const std::function<int(int)>& rows_of) {
        Labels result;
        for (int value = first; value <= last; ++value)
            for (int k = 0; k < rows_of(value); ++k) result.push(static_cast<double>(value));
        return result;
    };
    const auto alike = [](int) { return 30; };
    const auto bell = [](int value) {
        return static_cast<int>(1 + 200 * std::exp(-(value - 30) * (value - 30) / 200.0));
    };
    EXPECT_EQ(default_loss(repeated(1, 26, alike)), "multinomial") << "letters";
    EXPECT_EQ(default_loss(repeated(1, 105, [](int v) { return 27 + v % 70; })), "multinomial") << "sectors";
    EXPECT_EQ(default_loss(repeated(0, 9, [](int v) { return v == 3 ? 1 : 1000; })), "multinomial") << "few";
    EXPECT_EQ(default_loss(repeated(1, 60, bell)), "squared") << "counts";
    EXPECT_EQ(default_loss(repeated(18, 90, alike)), "squared") << "ages";
    EXPECT_EQ(default_loss(repeated(1922, 2011, bell)), "squared") << "years";
    EXPECT_EQ(default_loss(repeated(1, 15, [](int) { return 1; })), "squared") << "ranks";
    EXPECT_EQ(default_loss(repeated(1, 200, [](int) { return 1; })), "squared") << "ranks";
    EXPECT_EQ(choose_loss(repeated(18, 70, alike), true).name, "multinomial") << "for certain";
    EXPECT_EQ(choose_loss(repeated(18, 70, alike)).reason,
              "regression: 53 whole-number targets; `loss` multinomial for classes");
    EXPECT_EQ(find_classes(labels({"9007199254740992", "9007199254740993"})).size(), 2)
        << "beyond what a double holds";

    Classes classes;
    const Targets binary = make_targets(labels({"7", "-3", "7"}), "logistic", classes);
    EXPECT_EQ(binary.values, (std::vector<double>{1, -1, 1}));  // the smaller label is -1
    EXPECT_EQ(classes.names, (std::vector<std::string>{"-3", "7"}));
    const Targets many = make_targets(labels({"10", "9", "2"}), "multinomial", classes);
    EXPECT_EQ(many.classes, (std::vector<std::int32_t>{2, 1, 0}));  // sorted as numbers, not as text
    EXPECT_THROW(make_targets(labels({"1", "1"}), "multinomial", classes), Error);
    EXPECT_THROW(make_targets(labels({"1", "2", "3"}), "sigmoid", classes), Error);
    EXPECT_THROW(make_targets(labels({"x", "y"}), "squared", classes), Error);
}

}  // namespace
}  // namespace alfcg

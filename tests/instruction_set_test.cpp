#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "bridge.hpp"
#include "kernels/entries.hpp"
#include "kernels/losses.hpp"
#include "kernels/tridiagonal.hpp"
#include "reference/losses.hpp"
#include "reference/samples.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

// Makes the library use one instruction set, and all of them again at the end.
class Only {
  public:
    explicit Only(std::int64_t target) { choose(target); }
    ~Only() { choose(0); }
    Only(const Only&) = delete;
    Only& operator=(const Only&) = delete;

  private:
    static void choose(std::int64_t targets) {
        hwy::SetSupportedTargetsForTest(targets);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
};

std::vector<std::int64_t> supported() {
    std::vector<std::int64_t> targets;
    const std::int64_t all = hwy::SupportedTargets() & HWY_TARGETS;
    for (int bit = 0; bit < 63; ++bit)
        if ((all >> bit & 1) != 0) targets.push_back(std::int64_t{1} << bit);
    return targets;
}

template <class Real>
void check_objective(const reference::Problem& problem, Storage storage, double tolerance) {
    const reference::Matrix x = reference::gaussian(problem.outputs, problem.X.cols(), 9);
    Bridge<Real> bridge(problem, storage, 2);
    Matrix<Real> gradient;
    const double value = bridge.objective->evaluate(to_matrix<Real>(x), gradient);
    const double expected = reference::full_value(problem, x);
    EXPECT_NEAR(value, expected, tolerance * (1 + std::abs(expected)));
    const reference::Matrix exact = reference::full_gradient(problem, x);
    EXPECT_LE((from_matrix(gradient) - exact).norm(), tolerance * exact.norm());
    EXPECT_NEAR(bridge.objective->value(to_matrix<Real>(x)), expected, tolerance * (1 + std::abs(expected)));
}

template <class Real>
void check_objectives(double tolerance) {
    for (const auto& [loss, outputs] : {std::pair{"multinomial", 2},
                                        {"multinomial", 7},
                                        {"multinomial", 12},
                                        {"multinomial", 13},
                                        {"multinomial", 37},
                                        {"multinomial", 80},
                                        {"logistic", 1},
                                        {"huber", 1},
                                        {"sigmoid", 1},
                                        {"squared", 1},
                                        {"welsch", 1}})
        for (const Index features : {3, 50, 71, 131})
            for (const std::string kind : {"dense", "pixels", "drawings", "sparse", "coded"}) {
                SCOPED_TRACE(std::string(loss) + " c=" + std::to_string(outputs) +
                             " d=" + std::to_string(features) + " " + kind);
                // Enough rows for a pass that spares an output.
                const Index rows = outputs <= 12 ? 64 * outputs + 13 : 77;
                const Entries entries = kind == "pixels" || kind == "coded" ? Entries::pixels
                                        : kind == "drawings"                ? Entries::drawings
                                                                            : Entries::numbers;
                const Storage storage =
                    kind == "sparse" || kind == "coded" ? Storage::sparse : Storage::dense;
                check_objective<Real>(problem_with(entries, loss, rows, features, outputs), storage,
                                      tolerance);
            }
}

TEST(InstructionSets, ThereIsMoreThanOneToChooseFrom) {
    EXPECT_GE(supported().size(), 2U);
}

TEST(InstructionSets, EveryOneGivesTheReferencesGradients) {
    for (const std::int64_t target : supported()) {
        SCOPED_TRACE(hwy::TargetName(target));
        const Only only(target);
        check_objectives<double>(1e-12);
        check_objectives<float>(2e-5);
    }
}

// Rows of every number of vectors up to the longest whose weights stay in registers, and of one more; the last group of
// rows is incomplete.
TEST(InstructionSets, EveryOneReadsShortRowsOfEveryLength) {
    for (const std::int64_t target : supported()) {
        SCOPED_TRACE(hwy::TargetName(target));
        const Only only(target);
        for (const auto& [loss, outputs] : {std::pair{"logistic", 1},
                                            {"multinomial", 2},
                                            {"multinomial", 3},
                                            {"multinomial", 4},
                                            {"multinomial", 5}})
            for (Index features = 1; features < 280;
                 features += features % 8 == 1 ? (features < 150 ? 6 : 62) : 1) {
                SCOPED_TRACE(std::string(loss) + " c=" + std::to_string(outputs) +
                             " d=" + std::to_string(features));
                const auto problem = problem_with(Entries::numbers, loss, 1031, features, outputs);
                check_objective<double>(problem, Storage::dense, 1e-12);
                check_objective<float>(problem, Storage::dense, 2e-5);
            }
    }
}

// Softmax of scores that are wide apart, in both layouts, class 0 the target: every probability keeps its digits down to
// the smallest normal numbers, and a score that is none shows.
template <class Real>
void check_probabilities(kernels::ScoreLayout layout, Index count, Index outputs) {
    const auto at = [&](Index i, Index l) {
        return static_cast<std::size_t>(i * layout.sample_stride + l * layout.output_stride);
    };
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponent(-6, 4);
    std::vector<Real> scores(4096, Real(0));
    const std::vector<Real> targets(64, Real(0));
    for (Index i = 0; i < count; ++i)
        for (Index l = 1; l < outputs; ++l)
            scores[at(i, l)] = static_cast<Real>(-std::pow(10, exponent(random)));
    const std::vector<Real> before = scores;
    double expected_loss = 0;
    const double loss = kernels::softmax_loss(scores.data(), count, outputs, layout, targets.data(), 0.5);
    for (Index i = 0; i < count; ++i) {
        double sum = 0;
        for (Index l = 0; l < outputs; ++l) sum += std::exp(static_cast<double>(before[at(i, l)]));
        for (Index l = 1; l < outputs; ++l) {
            const double expected = 0.5 * std::exp(static_cast<double>(before[at(i, l)])) / sum;
            EXPECT_NEAR(
                static_cast<double>(scores[at(i, l)]), expected,
                8 * std::numeric_limits<Real>::epsilon() * expected + std::numeric_limits<Real>::min());
        }
        expected_loss += std::log(sum);
    }
    EXPECT_NEAR(loss, expected_loss, 8 * std::numeric_limits<Real>::epsilon() * expected_loss);
    for (Index l = 0; l < outputs; ++l) {
        scores = before;
        scores[at(count - 1, l)] = std::numeric_limits<Real>::quiet_NaN();
        EXPECT_TRUE(
            std::isnan(kernels::softmax_loss(scores.data(), count, outputs, layout, targets.data(), 0.5)));
    }
}

TEST(InstructionSets, EveryOneKeepsTheDigitsOfProbabilities) {
    for (const std::int64_t target : supported()) {
        SCOPED_TRACE(hwy::TargetName(target));
        const Only only(target);
        for (const Index outputs : {2, 3, 10, 16, 26, 50}) {
            check_probabilities<float>({1, 64}, 43, outputs);
            check_probabilities<double>({1, 64}, 43, outputs);
            check_probabilities<float>({kernels::padded<float>(outputs), 1}, 43, outputs);
            check_probabilities<double>({kernels::padded<double>(outputs), 1}, 43, outputs);
        }
    }
}

// Passes that oracles make, against plain loops; numbers at a bound belong to what its name says.
template <class Real>
void check_entries(Index n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    std::normal_distribution<double> normal;
    std::vector<Real> x(static_cast<std::size_t>(n));
    for (Real& entry : x) entry = static_cast<Real>(std::round(8 * normal(random)) / 8);
    std::vector<Real> to(x.size());
    std::vector<Real> expected;
    std::vector<Index> found, expected_places, between, expected_between;
    Index count = 0;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double entry = static_cast<double>(x[i]);
        expected.push_back(entry > 0.5 ? Real(-1) : entry < -0.5 ? Real(2) : Real(3));
        count += std::abs(entry) > 0.5 ? 1 : 0;
        if (entry <= -0.75 || entry >= 1.25) expected_places.push_back(static_cast<Index>(i));
        if (std::abs(entry) >= 0.25 && std::abs(entry) <= 0.5)
            expected_between.push_back(static_cast<Index>(i));
        squares += std::pow(std::max(-entry - 0.25, 0.0) * 4, 2);
    }
    EXPECT_EQ(kernels::choose(x.data(), n, 0.5, Real(-1), Real(2), Real(3), to.data()), count);
    EXPECT_EQ(to, expected);
    kernels::find_outside(x.data(), n, -0.75, 1.25, found);
    EXPECT_EQ(found, expected_places);
    kernels::find_between(x.data(), n, 0.25, 0.5, between);
    EXPECT_EQ(between, expected_between);
    EXPECT_NEAR(kernels::ramp_squares(x.data(), n, -1, 0.25, 4), squares, 1e-12 * squares);
    kernels::write_ramp(x.data(), n, -1, 0.25, 4, to.data());
    std::vector<kernels::Bucket> buckets(5);
    std::vector<kernels::Bucket> expected_buckets(5);
    kernels::fill_buckets(x.data(), n, 0.25, 2, 0.5, 1, buckets);
    const auto blocks = static_cast<std::size_t>((n + kernels::block_entries - 1) / kernels::block_entries);
    std::vector<double> sums(blocks), magnitudes(blocks), expected_sums(blocks), expected_magnitudes(blocks);
    kernels::block_sums(x.data(), n, 0.5, sums.data(), magnitudes.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double entry = static_cast<double>(x[i]);
        EXPECT_EQ(static_cast<double>(to[i]), 4 * std::max(-entry - 0.25, 0.0));
        const double size = 2 * (std::abs(entry) - 0.25);
        if (size >= 0.5) {
            auto& bucket = expected_buckets[static_cast<std::size_t>(std::min(size - 0.5, 4.0))];
            ++bucket.count;
            bucket.sum += size;
        }
        const auto block = i / static_cast<std::size_t>(kernels::block_entries);
        expected_sums[block] += entry / 2;
        expected_magnitudes[block] += std::abs(entry) / 2;
    }
    for (std::size_t k = 0; k < buckets.size(); ++k) {
        EXPECT_EQ(buckets[k].count, expected_buckets[k].count);
        EXPECT_EQ(buckets[k].sum, expected_buckets[k].sum);
    }
    EXPECT_EQ(sums, expected_sums);
    EXPECT_EQ(magnitudes, expected_magnitudes);
}

TEST(InstructionSets, EveryOneLooksAtTheSameEntries) {
    for (const std::int64_t target : supported()) {
        SCOPED_TRACE(hwy::TargetName(target));
        const Only only(target);
        for (const Index n : {1, 7, 16, 100, 128, 1000, 40'000}) {
            check_entries<float>(n);
            check_entries<double>(n);
        }
    }
}

// Qᵀ A Q = T: put together from Q's columns, T gives A back; also where reflections have nothing to do.
void check_tridiagonal(kernels::Tridiagonal& tridiagonal, const Eigen::MatrixXd& matrix, double scale) {
    const Index side = matrix.rows();
    tridiagonal.compute(matrix.data(), side, scale);
    Eigen::MatrixXd T = Eigen::MatrixXd::Zero(side, side);
    Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(side, side);
    for (Index i = 0; i < side; ++i) {
        T(i, i) = tridiagonal.diagonal()[static_cast<std::size_t>(i)];
        if (i + 1 < side) T(i, i + 1) = T(i + 1, i) = tridiagonal.off()[static_cast<std::size_t>(i)];
        tridiagonal.transform_back(Q.col(i).data());
    }
    const double rounding = 1e-15 * static_cast<double>(side);
    EXPECT_LE((Q.transpose() * Q - Eigen::MatrixXd::Identity(side, side)).norm(), rounding);
    EXPECT_LE((Q * T * Q.transpose() - scale * matrix).norm(), rounding * scale * matrix.norm());
}

TEST(InstructionSets, EveryOneMakesTheSameMatrixTridiagonal) {
    for (const std::int64_t target : supported()) {
        SCOPED_TRACE(hwy::TargetName(target));
        const Only only(target);
        kernels::Tridiagonal tridiagonal;
        for (const Index side : {2, 3, 8, 9, 10, 31, 64, 65, 130, 10}) {
            SCOPED_TRACE(side);
            const Eigen::MatrixXd g = reference::gaussian(side, side + 5, 3);
            Eigen::MatrixXd gram = g * g.transpose();
            check_tridiagonal(tridiagonal, gram, 1 / gram.trace());
            gram.row(side / 2).setZero();
            gram.col(side / 2).setZero();
            check_tridiagonal(tridiagonal, gram, 1 / gram.trace());
            check_tridiagonal(tridiagonal, Eigen::MatrixXd::Identity(side, side), 0.5);
            const Eigen::VectorXd one = g.col(0);
            const Eigen::MatrixXd rank_one = one * one.transpose();
            check_tridiagonal(tridiagonal, rank_one, 1 / rank_one.trace());
        }
    }
}

TEST(InstructionSets, EveryOneTakesTheSameSteps) {
    for (const auto& [region, p] : {std::pair{"nuclear", 0.0}, {"lp", 1.0}, {"lp", 3.0}}) {
        auto problem = reference::random_problem("multinomial", 200, 30);
        problem.region = region;
        problem.p = p;
        problem.radius = 3;
        Options options;
        options.method = "alfcg-mvr2";
        options.parameters.set("batch", 20);
        options.max_iterations = 30;
        std::optional<reference::Matrix> first;
        for (const std::int64_t target : supported()) {
            SCOPED_TRACE(hwy::TargetName(target));
            const Only only(target);
            Bridge<double> bridge(problem);
            const auto x = from_matrix(solve<double>(*bridge.objective, *bridge.region, options).x);
            if (!first) first = x;
            EXPECT_LE((x - *first).norm(), 1e-9 * first->norm()) << region << ' ' << p;
        }
    }
}

}  // namespace
}  // namespace alfcg

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bridge.hpp"
#include "objective/coded_rows.hpp"
#include "reference/losses.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

// Entry k is one of `kinds` numbers, each of which comes up.
template <class Real>
SparseFeatures<Real> samples_of(int kinds, Index rows, Index cols, Index entries_a_row) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    std::mt19937_64 random(3);
    for (Index i = 0; i < rows; ++i) {
        for (Index e = 0; e < entries_a_row; ++e) {
            const auto k = static_cast<Index>(value.size());
            column.push_back(static_cast<std::int32_t>(e * (cols / entries_a_row)));
            const auto kind = static_cast<std::uint64_t>(kinds);
            const auto number = k < kinds ? static_cast<std::uint64_t>(k) : random() % kind;
            value.push_back(static_cast<Real>(0.1 * static_cast<double>(number) - 3));
        }
        start.push_back(static_cast<Index>(value.size()));
    }
    return {std::move(start), std::move(column), std::move(value), rows, cols};
}

template <class Real>
void expect_coded(const SparseFeatures<Real>& features) {
    const auto coded = CodedRows<Real>::of(features);
    ASSERT_TRUE(coded.has_value());
    const kernels::CodedLines<Real> lines = coded->lines();
    EXPECT_EQ(lines.start, features.start.data());
    for (Index k = 0; k < features.nonzeros(); ++k) {
        EXPECT_EQ(lines.index_of(k), features.column[static_cast<std::size_t>(k)]);
        EXPECT_EQ(lines.value_of(k), features.value[static_cast<std::size_t>(k)]);
    }
}

template <class Real>
void check_limits() {
    constexpr Index most = Index{1} << 24;
    for (const int kinds : {1, 2, 17, 255, 256}) expect_coded(samples_of<Real>(kinds, 90, 40, 8));
    EXPECT_FALSE(CodedRows<Real>::of(samples_of<Real>(257, 90, 40, 8)).has_value());
    expect_coded(samples_of<Real>(3, 7, most, 4));
    EXPECT_FALSE(CodedRows<Real>::of(samples_of<Real>(3, 7, most + 1, 4)).has_value());
    auto many = samples_of<Real>(3, 7, 40, 4);
    many.row_count = most + 1;
    EXPECT_FALSE(CodedRows<Real>::of(many).has_value());
    expect_coded(samples_of<Real>(1, 5, 40, 0));
}

TEST(CodedRows, KeepEveryEntryOfUpTo256ValuesAndNothingElse) {
    check_limits<float>();
    check_limits<double>();
}

// As many values as asked for, at the places of a problem's entries.
reference::Problem problem_of(int kinds, const std::string& loss, Index rows, Index features, int outputs) {
    auto problem = sized_problem(loss, rows, features, outputs);
    int next = 0;
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < features; ++j)
            if (problem.X(i, j) != 0) problem.X(i, j) = 0.02 * (1 + next++ % kinds);
    return problem;
}

template <class Real>
void check_gradient(const reference::Problem& problem, double tolerance) {
    const reference::Matrix x = reference::gaussian(problem.outputs, problem.X.cols(), 9);
    const reference::Matrix expected = reference::full_gradient(problem, x);
    for (const int threads : {1, 2, 3}) {
        Bridge<Real> bridge(problem, Storage::sparse, threads);
        Matrix<Real> gradient;
        bridge.objective->evaluate(to_matrix<Real>(x), gradient);
        EXPECT_LE((from_matrix(gradient) - expected).norm() / expected.norm(), tolerance);
        // Batches read the same entries.
        const std::vector<Index> batch{0, 5, 5, problem.X.rows() - 1};
        bridge.objective->batch_gradient(batch, to_matrix<Real>(x), gradient);
        const reference::Matrix of_batch =
            reference::batch_gradient(problem, x, reference::Draw(batch.begin(), batch.end()));
        EXPECT_LE((from_matrix(gradient) - of_batch).norm() / of_batch.norm(), tolerance);
    }
}

void check_gradient_of(const reference::Problem& problem) {
    check_gradient<double>(problem, 1e-13);
    check_gradient<float>(problem, 1e-5);
}

TEST(CodedRows, GiveTheGradientOfTheReference) {
    for (const int kinds : {1, 256, 257}) {
        SCOPED_TRACE(std::to_string(kinds) + " values");
        for (const std::string loss : {"logistic", "squared"})
            check_gradient_of(problem_of(kinds, loss, 400, 90, 1));
        for (const int outputs : {2, 3, 8, 16, 17, 20, 40, 70}) {
            SCOPED_TRACE(std::to_string(outputs) + " outputs");
            check_gradient_of(problem_of(kinds, "multinomial", 400, 90, outputs));
        }
    }
}

// Tables beyond 2 MB have the lines that come up fetched before.
TEST(CodedRows, GiveTheGradientOfALargeTable) {
    auto problem = sized_problem("multinomial", 130, 28000, 20);
    for (Index i = 0; i < problem.X.rows(); ++i)
        for (Index j = 0; j < problem.X.cols(); ++j)
            problem.X(i, j) = (i * 31 + j * 7) % 97 == 0 ? static_cast<double>((i + j) % 5) : 0;
    check_gradient_of(problem);
}

}  // namespace
}  // namespace alfcg

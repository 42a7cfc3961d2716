// Normalisation against the formulas written down naively, and the largest singular value against Eigen's
// SVD.

#include "alfcg/data/normalize.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "data_files.hpp"

namespace alfcg {
namespace {

constexpr Index n = 37;
constexpr Index d = 11;

// Numbers of several sizes, about half of them zero; a zero row, a zero column, a constant column.
std::vector<double> example(std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> values;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < d; ++j) {
            const double value = normal(random) * std::pow(10.0, static_cast<double>(j % 5) - 2);
            const bool zero = (random() & 1U) == 0 || i == 4 || j == 3;
            values.push_back(j == 6 && i != 4 ? 0.1 : zero ? 0 : value);
        }
    return values;
}

template <class Real>
std::vector<Features<Real>> both(const std::vector<double>& values, Index row_count, Index col_count) {
    std::vector<Features<Real>> result;
    result.emplace_back(dense_features<Real>(values, row_count, col_count));
    result.emplace_back(sparse_features<Real>(values, row_count, col_count));
    return result;
}

double naive_deviation(const std::vector<double>& x, Index rows_, Index cols_, Index j) {
    long double mean = 0;
    for (Index i = 0; i < rows_; ++i)
        mean += static_cast<long double>(x[static_cast<std::size_t>(i * cols_ + j)]);
    mean /= static_cast<long double>(rows_);
    long double squares = 0;
    for (Index i = 0; i < rows_; ++i) {
        const long double y = static_cast<long double>(x[static_cast<std::size_t>(i * cols_ + j)]) - mean;
        squares += y * y;
    }
    return static_cast<double>(std::sqrt(squares / static_cast<long double>(rows_)));
}

double eigen_singular_value(const std::vector<double>& x, Index rows_, Index cols_) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::MatrixXd matrix = Eigen::Map<const RowMajor>(x.data(), rows_, cols_);
    return Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues()[0];
}

TEST(Normalize, NamesAreReadAndWritten) {
    for (const char* name : {"none", "rows", "columns", "spectral"})
        EXPECT_EQ(to_text(parse_normalization(name)), name);
    EXPECT_EQ(message_of<Error>([] { parse_normalization("Rows"); }),
              "unknown normalisation 'Rows'; none, rows, columns and spectral exist");
}

TEST(Normalize, NoneChangesNothing) {
    const auto x = example();
    for (auto& features : both<double>(x, n, d)) {
        features = scaled(features, measure_scaling(features, Normalization::none, 2), 2);
        EXPECT_EQ(entries(features), x);
    }
}

TEST(Normalize, RowsGetUnitNormAndZeroRowsStay) {
    auto x = example();
    x[5 * d + 3] = 1e-170;  // squares that vanish, and squares that overflow
    for (Index j = 0; j < d; ++j) {
        if (j != 3) x[static_cast<std::size_t>(5 * d + j)] = 0;
        x[static_cast<std::size_t>(7 * d + j)] = j < 2 ? 3e200 : 0;
    }
    for (auto& features : both<double>(x, n, d)) {
        const Scaling scaling = measure_scaling(features, Normalization::rows, 2);
        EXPECT_TRUE(scaling.divisors.empty());
        features = scaled(std::move(features), scaling, 2);
        const auto y = entries(features);
        for (Index i = 0; i < n; ++i) {
            double squares = 0;
            double largest = 0;
            for (Index j = 0; j < d; ++j) {
                const auto k = static_cast<std::size_t>(i * d + j);
                squares += y[k] * y[k];
                largest = std::max(largest, std::abs(x[k]));
                EXPECT_EQ(y[k] == 0, x[k] == 0);
                EXPECT_EQ(std::signbit(y[k]), std::signbit(x[k]));
            }
            EXPECT_NEAR(squares, largest > 0 ? 1 : 0, 1e-14) << i;
        }
    }
}

TEST(Normalize, ColumnsAreDividedByTheirStandardDeviation) {
    const auto x = example();
    for (auto& features : both<double>(x, n, d)) {
        const Scaling scaling = measure_scaling(features, Normalization::columns, 2);
        ASSERT_EQ(scaling.divisors.size(), static_cast<std::size_t>(d));
        for (Index j = 0; j < d; ++j) {
            const double expected = j == 3 ? 1 : naive_deviation(x, n, d, j);
            EXPECT_NEAR(scaling.divisors[static_cast<std::size_t>(j)] / expected, 1, 1e-14) << j;
        }
        features = scaled(std::move(features), scaling, 2);
        const auto y = entries(features);
        for (Index k = 0; k < n * d; ++k)
            EXPECT_EQ(y[static_cast<std::size_t>(k)],
                      x[static_cast<std::size_t>(k)] / scaling.divisors[static_cast<std::size_t>(k % d)]);
    }
}

TEST(Normalize, WeightsCountRowsSeveralTimes) {
    const auto x = example();
    for (const Index count : {n, Index{7}}) {  // more rows than columns, and fewer
        std::vector<double> weights;
        std::vector<double> repeated;
        Index rows_ = 0;
        for (Index i = 0; i < count; ++i) {
            weights.push_back(static_cast<double>(1 + i % 3));
            for (Index k = 0; k <= i % 3; ++k, ++rows_)
                repeated.insert(repeated.end(), x.begin() + i * d, x.begin() + (i + 1) * d);
        }
        const std::vector<double> once(x.begin(), x.begin() + count * d);
        for (const auto& features : both<double>(once, count, d)) {
            const auto columns = measure_scaling(features, Normalization::columns, 2, weights).divisors;
            for (Index j = 0; j < d; ++j) {
                const double expected = j == 3 ? 1 : naive_deviation(repeated, rows_, d, j);
                EXPECT_NEAR(columns[static_cast<std::size_t>(j)] / expected, 1, 1e-13) << count << ", " << j;
            }
            const double largest = eigen_singular_value(repeated, rows_, d);
            EXPECT_NEAR(
                measure_scaling(features, Normalization::spectral, 2, weights).divisors.at(0) / largest, 1,
                1e-10)
                << count;
        }
    }
}

TEST(Normalize, ConstantColumnsAreUntouchedWhateverTheirValue) {
    // 0.1 is not a binary fraction: its computed mean over N rows is not 0.1.
    for (const Index count : {1, 3, 7, 1000, 29999}) {
        std::vector<double> x;
        for (Index i = 0; i < count; ++i) x.insert(x.end(), {0.1, 0.0, -1e17 / 3, 1e-300, 7.0});
        for (const auto& features : both<double>(x, count, 5))
            EXPECT_EQ(measure_scaling(features, Normalization::columns, 1).divisors,
                      std::vector<double>(5, 1.0))
                << count;
        for (const auto& features : both<float>(x, count, 5))
            EXPECT_EQ(measure_scaling(features, Normalization::columns, 1).divisors,
                      std::vector<double>(5, 1.0))
                << count;
    }
}

TEST(Normalize, ASmallSpreadAroundALargeValueKeepsItsDigits) {
    constexpr Index count = 10000;
    std::vector<double> x;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < count; ++i) {
        x.push_back(1e6 + 1e-6 * normal(random));
        x.push_back(-1e12 + static_cast<double>(i % 2));
        x.push_back(1e-180 * normal(random));  // squares vanish
        x.push_back(1e180 * normal(random));   // squares overflow
    }
    for (const auto& features : both<double>(x, count, 4)) {
        const auto divisors = measure_scaling(features, Normalization::columns, 2).divisors;
        EXPECT_NEAR(divisors[0] / naive_deviation(x, count, 4, 0), 1, 1e-9);
        EXPECT_NEAR(divisors[1], 0.5, 1e-12);
        EXPECT_NEAR(divisors[2] / naive_deviation(x, count, 4, 2), 1, 1e-12);
        EXPECT_NEAR(divisors[3] / naive_deviation(x, count, 4, 3), 1, 1e-12);
    }
}

TEST(Normalize, AScalingFitsOnlyDataOfItsSize) {
    auto three = both<double>({1, 2, 3, 4, 5, 7}, 2, 3);
    auto two = both<double>({1, 2, 4, 5}, 2, 2);
    const Scaling scaling = measure_scaling(three[0], Normalization::columns, 1);
    EXPECT_THROW(scaled(two[0], scaling, 1), Error);
    two[1] = scaled(two[1], scaling, 1);  // sparse: the missing feature is zero everywhere
    EXPECT_NEAR(entries(two[1])[0], 1 / 1.5, 1e-15);
    const Scaling narrow = measure_scaling(two[0], Normalization::columns, 1);
    for (auto& features : three) EXPECT_THROW(scaled(features, narrow, 1), Error);
}

TEST(Normalize, QuotientsTooLargeForThePrecisionAreRefused) {
    Features<float> features = dense_features<float>({1e38, 1}, 2, 1);
    EXPECT_THROW(scaled(features, Scaling{Normalization::columns, {1e-3}}, 1), Error);
}

TEST(Normalize, SpectralScalingGivesLargestSingularValueOne) {
    const auto x = example();
    for (auto& features : both<double>(x, n, d)) {
        const Scaling scaling = measure_scaling(features, Normalization::spectral, 2);
        ASSERT_EQ(scaling.divisors.size(), 1U);
        EXPECT_NEAR(scaling.divisors[0] / eigen_singular_value(x, n, d), 1, 1e-12);
        features = scaled(std::move(features), scaling, 2);
        EXPECT_NEAR(largest_singular_value(features, 1), 1, 1e-12);
    }
}

TEST(SingularValue, AgreesWithTheSvdForManyShapes) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (const auto& [rows_, cols_] :
         {std::pair<Index, Index>{1, 1}, {1, 9}, {9, 1}, {2, 2}, {60, 60}, {200, 45}, {45, 200}}) {
        std::vector<double> x(static_cast<std::size_t>(rows_ * cols_));
        for (double& value : x) value = normal(random);
        const double expected = eigen_singular_value(x, rows_, cols_);
        for (const auto& features : both<double>(x, rows_, cols_))
            EXPECT_NEAR(largest_singular_value(features, 2) / expected, 1, 1e-10) << rows_ << " x " << cols_;
        for (const auto& features : both<float>(x, rows_, cols_))
            EXPECT_NEAR(largest_singular_value(features, 2) / expected, 1, 1e-6) << rows_ << " x " << cols_;
    }
}

TEST(SingularValue, OfRankOneDataIsTheProductOfTheNorms) {
    std::vector<double> x;
    double left = 0;
    double right = 0;
    for (int j = 0; j < 30; ++j) right += std::pow(std::cos(j), 2);
    for (int i = 0; i < 80; ++i) {
        left += (i + 1.0) * (i + 1.0);
        for (int j = 0; j < 30; ++j) x.push_back((i + 1) * std::cos(j));
    }
    for (const auto& features : both<double>(x, 80, 30))
        EXPECT_NEAR(largest_singular_value(features, 2) / std::sqrt(left * right), 1, 1e-13);
}

TEST(SingularValue, OfOneEntryIsItsAbsoluteValueAtAnyScale) {
    for (const double value : {-3.0, 1e300, 1e-300, 5e-324, 1.7e308}) {
        const Features<double> features = dense_features<double>({value}, 1, 1);
        EXPECT_NEAR(largest_singular_value(features, 1) / std::abs(value), 1, 1e-14);
    }
}

TEST(SingularValue, OfZeroDataIsZeroAndSpectralScalingLeavesThemAlone) {
    for (auto& features : both<double>(std::vector<double>(12, 0.0), 4, 3)) {
        EXPECT_EQ(largest_singular_value(features, 2), 0);
        const Scaling scaling = measure_scaling(features, Normalization::spectral, 2);
        EXPECT_EQ(scaling.divisors, std::vector<double>{1.0});
        features = scaled(std::move(features), scaling, 2);
        EXPECT_EQ(entries(features), std::vector<double>(12, 0.0));
    }
}

TEST(SingularValue, IsFoundAmongCloseNeighbours) {
    // A diagonal: the singular values are its entries. A slow decay from 1, and a cluster just below the
    // largest.
    for (const auto& [size, step] : {std::pair<Index, double>{400, 1e-2}, {200, 1e-5}, {200, 0.0}}) {
        std::vector<double> x(static_cast<std::size_t>(size * size));
        for (Index i = 0; i < size; ++i)
            x[static_cast<std::size_t>(i * size + (i * 7) % size)] =
                (i % 2 == 0 ? -3 : 3) * (1 - step * static_cast<double>(i) / 4);
        for (const auto& features : both<double>(x, size, size))
            EXPECT_NEAR(largest_singular_value(features, 2), 3, 3e-10) << step;
    }
}

TEST(SingularValue, IsTheSameInEveryBitForTheSameThreads) {
    const auto data = load_dataset<float>("randn-300-70");
    for (const int threads : {1, 2, 3}) {
        const double first = largest_singular_value(data.features, threads);
        for (int repeat = 0; repeat < 3; ++repeat)
            EXPECT_EQ(largest_singular_value(data.features, threads), first);
    }
    EXPECT_NEAR(largest_singular_value(data.features, 1) / largest_singular_value(data.features, 3), 1,
                1e-10);
}

TEST(SingularValue, OfManyGaussiansFollowsTheMarchenkoPasturEdge) {
    // sqrt(N) + sqrt(d), up to fluctuations of order N^(-1/6).
    const auto data = load_dataset<float>("randn-2000-500");
    EXPECT_NEAR(largest_singular_value(data.features, 2), std::sqrt(2000.0) + std::sqrt(500.0), 1.0);
}

}  // namespace
}  // namespace alfcg

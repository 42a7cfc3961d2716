#include "data/column_deviation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "data/row_access.hpp"

namespace alfcg {

namespace {

// A column is looked at twice, and both times relative to one of its own entries, x_0: a constant column then
// gives exact zeros whatever its value, and a small spread around a large value keeps its digits.
//   first look:  mean of y = x - x_0, and the largest |y|
//   second look: mean of (y - mean)^2, in units of the largest |y| so that no square overflows or vanishes
// The remaining rounding error of the mean is taken out with the sum of the deviations themselves.
struct Column {
    double origin = 0;   // x_0
    double sum = 0;      // of y
    double largest = 0;  // |y|
    double mean = 0;     // of y
    double scale = 0;
    double deviations = 0;
    double squares = 0;
    Index entries = 0;  // stored; sparse only

    void first_look(double x) {
        const double y = x - origin;
        sum += y;
        largest = std::max(largest, std::abs(y));
    }
    void end_first_look(Index rows) {
        mean = sum / static_cast<double>(rows);
        scale = largest > 0 ? std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000)) : 0;
    }
    void second_look(double x, Index times = 1) {
        const double deviation = (x - origin - mean) * scale;
        const auto weight = static_cast<double>(times);
        deviations += weight * deviation;
        squares += weight * deviation * deviation;
    }
    [[nodiscard]] double standard_deviation(Index rows) const {
        if (largest == 0) return 0;
        const auto n = static_cast<double>(rows);
        const double variance = (squares - deviations * deviations / n) / n;
        // Not constant, but so little that rounding swallowed it: still not zero.
        return std::max(std::sqrt(std::max(variance, 0.0)) / scale, std::numeric_limits<double>::min());
    }
};

}  // namespace

template <class Real>
std::vector<double> column_deviations(const DenseFeatures<Real>& features, int threads) {
    const Index rows = features.rows();
    const Index cols = features.cols();
    std::vector<double> result(static_cast<std::size_t>(cols));
    if (rows == 0) return result;
    // A thread has columns of its own, a block of them at a time: whole cache lines, and no sums to combine.
    constexpr Index block = 64;
    const Index blocks = (cols + block - 1) / block;
    parallel(threads, [&](int thread) {
        const auto [first_block, last_block] = range_of_part(blocks, thread, threads);
        for (Index b = first_block; b < last_block; ++b) {
            const Index first = b * block;
            const Index width = std::min(block, cols - first);
            Column column[block];
            for (Index j = 0; j < width; ++j)
                column[j].origin = static_cast<double>(features.row(0)[first + j]);
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < width; ++j)
                    column[j].first_look(static_cast<double>(features.row(i)[first + j]));
            for (Index j = 0; j < width; ++j) column[j].end_first_look(rows);
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < width; ++j)
                    column[j].second_look(static_cast<double>(features.row(i)[first + j]));
            for (Index j = 0; j < width; ++j)
                result[static_cast<std::size_t>(first + j)] = column[j].standard_deviation(rows);
        }
    });
    return result;
}

template <class Real>
std::vector<double> column_deviations(const SparseFeatures<Real>& features, int /*threads*/) {
    const Index rows = features.rows();
    std::vector<Column> columns(static_cast<std::size_t>(features.cols()));
    const auto each = [&](const auto& look) {
        for (Index i = 0; i < rows; ++i)
            for_each_entry(features, i, [&](Index j, Real value) {
                look(columns[static_cast<std::size_t>(j)], static_cast<double>(value));
            });
    };
    each([](Column& column, double value) {
        if (column.entries++ == 0) column.origin = value;
    });
    // One absent entry, and zero is among the column's values: the natural origin.
    for (Column& column : columns)
        if (column.entries < rows) column.origin = 0;
    each([](Column& column, double value) { column.first_look(value); });
    for (Column& column : columns) column.end_first_look(rows);
    each([](Column& column, double value) { column.second_look(value); });
    std::vector<double> result;
    result.reserve(columns.size());
    for (Column& column : columns) {
        column.second_look(column.entries < rows ? 0.0 : column.origin,
                           column.entries < rows ? rows - column.entries : 0);
        result.push_back(column.standard_deviation(rows));
    }
    return result;
}

template std::vector<double> column_deviations(const DenseFeatures<float>& features, int threads);
template std::vector<double> column_deviations(const DenseFeatures<double>& features, int threads);
template std::vector<double> column_deviations(const SparseFeatures<float>& features, int threads);
template std::vector<double> column_deviations(const SparseFeatures<double>& features, int threads);

}  // namespace alfcg

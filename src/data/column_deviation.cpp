#include "data/column_deviation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
    double stored = 0;  // their weight

    void first_look(double x, double weight) {
        const double y = x - origin;
        sum += weight * y;
        largest = std::max(largest, std::abs(y));
    }
    void end_first_look(double total) {
        mean = sum / total;
        scale = largest > 0 ? std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000)) : 0;
    }
    void second_look(double x, double weight) {
        const double deviation = (x - origin - mean) * scale;
        deviations += weight * deviation;
        squares += weight * deviation * deviation;
    }
    [[nodiscard]] double standard_deviation(double total) const {
        if (largest == 0) return 0;
        const double variance = (squares - deviations * deviations / total) / total;
        // Not constant, but so little that rounding swallowed it: still not zero.
        return std::max(std::sqrt(std::max(variance, 0.0)) / scale, std::numeric_limits<double>::min());
    }
};

double weight_of_row(std::span<const double> weights, Index row) {
    return weights.empty() ? 1 : weights[static_cast<std::size_t>(row)];
}

double total_weight(std::span<const double> weights, Index rows) {
    return weights.empty() ? static_cast<double>(rows) : std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

template <class Real>
std::vector<double> column_deviations(const DenseFeatures<Real>& features, std::span<const double> weights,
                                      int threads) {
    const Index rows = features.rows();
    const Index cols = features.cols();
    std::vector<double> result(static_cast<std::size_t>(cols));
    if (rows == 0) return result;
    const double total = total_weight(weights, rows);
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
            for (Index i = 0; i < rows; ++i) {
                const double weight = weight_of_row(weights, i);
                for (Index j = 0; j < width; ++j)
                    column[j].first_look(static_cast<double>(features.row(i)[first + j]), weight);
            }
            for (Index j = 0; j < width; ++j) column[j].end_first_look(total);
            for (Index i = 0; i < rows; ++i) {
                const double weight = weight_of_row(weights, i);
                for (Index j = 0; j < width; ++j)
                    column[j].second_look(static_cast<double>(features.row(i)[first + j]), weight);
            }
            for (Index j = 0; j < width; ++j)
                result[static_cast<std::size_t>(first + j)] = column[j].standard_deviation(total);
        }
    });
    return result;
}

template <class Real>
std::vector<double> column_deviations(const SparseFeatures<Real>& features, std::span<const double> weights,
                                      int /*threads*/) {
    const Index rows = features.rows();
    const double total = total_weight(weights, rows);
    std::vector<Column> columns(static_cast<std::size_t>(features.cols()));
    const auto each = [&](const auto& look) {
        for (Index i = 0; i < rows; ++i) {
            const double weight = weight_of_row(weights, i);
            for_each_entry(features, i, [&](Index j, Real value) {
                look(columns[static_cast<std::size_t>(j)], static_cast<double>(value), weight);
            });
        }
    };
    each([](Column& column, double value, double weight) {
        if (column.entries++ == 0) column.origin = value;
        column.stored += weight;
    });
    // One absent entry, and zero is among the column's values: the natural origin.
    for (Column& column : columns)
        if (column.entries < rows) column.origin = 0;
    each([](Column& column, double value, double weight) { column.first_look(value, weight); });
    for (Column& column : columns) column.end_first_look(total);
    each([](Column& column, double value, double weight) { column.second_look(value, weight); });
    std::vector<double> result;
    result.reserve(columns.size());
    for (Column& column : columns) {
        if (column.entries < rows) column.second_look(0, std::max(total - column.stored, 0.0));
        result.push_back(column.standard_deviation(total));
    }
    return result;
}

template <class AnyFeatures>
std::vector<double> column_deviations(const AnyFeatures& features, std::span<const double> weights,
                                      Ranks& ranks) {
    const auto count = static_cast<std::size_t>(features.cols());
    std::vector<Column> columns(count);
    std::vector<double> numbers(count);
    const auto merge = [&](double Column::*part, bool sum) {
        for (std::size_t j = 0; j < count; ++j) numbers[j] = columns[j].*part;
        if (sum) {
            ranks.sum(numbers);
        } else {
            ranks.largest(numbers);
        }
        for (std::size_t j = 0; j < count; ++j) columns[j].*part = numbers[j];
    };
    const auto each = [&](const auto& look) {
        for (Index i = 0; i < features.rows(); ++i) {
            const double weight = weight_of_row(weights, i);
            for_each_entry(features, i, [&](Index j, auto value) {
                look(columns[static_cast<std::size_t>(j)], static_cast<double>(value), weight);
            });
        }
    };
    // The origin is an entry of the first rank that has rows, or zero where one is absent anywhere.
    const std::vector<Index> rows = ranks.gather(features.rows());
    const auto first = std::find_if(rows.begin(), rows.end(), [](Index n) { return n > 0; }) - rows.begin();
    const Index all = std::accumulate(rows.begin(), rows.end(), Index{0});
    const double total = ranks.sum(total_weight(weights, features.rows()));
    std::vector<double> entries(count);
    each([&](Column& column, double value, double weight) {
        if (column.entries++ == 0 && ranks.rank() == first) column.origin = value;
        column.stored += weight;
    });
    for (std::size_t j = 0; j < count; ++j) entries[j] = static_cast<double>(columns[j].entries);
    ranks.sum(entries);
    merge(&Column::stored, true);
    merge(&Column::origin, true);
    for (std::size_t j = 0; j < count; ++j)
        if (entries[j] < static_cast<double>(all)) columns[j].origin = 0;
    each([](Column& column, double value, double weight) { column.first_look(value, weight); });
    merge(&Column::sum, true);
    merge(&Column::largest, false);
    for (Column& column : columns) column.end_first_look(total);
    each([](Column& column, double value, double weight) { column.second_look(value, weight); });
    merge(&Column::deviations, true);
    merge(&Column::squares, true);
    std::vector<double> result;
    for (std::size_t j = 0; j < count; ++j) {
        Column& column = columns[j];
        if (entries[j] < static_cast<double>(all))
            column.second_look(0, std::max(total - column.stored, 0.0));
        result.push_back(column.standard_deviation(total));
    }
    return result;
}

template std::vector<double> column_deviations(const DenseFeatures<float>&, std::span<const double>, Ranks&);
template std::vector<double> column_deviations(const DenseFeatures<double>&, std::span<const double>, Ranks&);
template std::vector<double> column_deviations(const SparseFeatures<float>&, std::span<const double>, Ranks&);
template std::vector<double> column_deviations(const SparseFeatures<double>&, std::span<const double>,
                                               Ranks&);
template std::vector<double> column_deviations(const DenseFeatures<float>& features,
                                               std::span<const double> weights, int threads);
template std::vector<double> column_deviations(const DenseFeatures<double>& features,
                                               std::span<const double> weights, int threads);
template std::vector<double> column_deviations(const SparseFeatures<float>& features,
                                               std::span<const double> weights, int threads);
template std::vector<double> column_deviations(const SparseFeatures<double>& features,
                                               std::span<const double> weights, int threads);

}  // namespace alfcg

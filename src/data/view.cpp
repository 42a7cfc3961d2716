#include "alfcg/data/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "data/elements.hpp"
#include "data/finite.hpp"
#include "data/memory.hpp"
#include "data/number.hpp"
#include "data/row_access.hpp"

namespace alfcg {

namespace {

template <class Real>
constexpr Scalar own_type = scalar_of<Real>();

ElementType element_type(Scalar type) {
    switch (type) {
        case Scalar::f32:
            return ElementType::f32;
        case Scalar::f64:
            return ElementType::f64;
        case Scalar::i32:
            return ElementType::i32;
        case Scalar::i64:
            break;
    }
    return ElementType::i64;
}

bool is_real(Scalar type) {
    return type == Scalar::f32 || type == Scalar::f64;
}

// Whether entries can be looked at as they are. Type-erased ones might lie anywhere.
template <class T>
bool usable_as(const void* data, Scalar type) {
    return type == own_type<T> && reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
}

template <class T>
void convert(const void* from, Index first, Index count, Scalar type, T* to) {
    const ElementType element = element_type(type);
    const auto* bytes =
        static_cast<const unsigned char*>(from) + static_cast<std::size_t>(first) * element_bytes(element);
    convert_elements(bytes, static_cast<std::size_t>(count), element, false, to, 1);
}

// Entries first .. last-1, looked at or converted.
template <class T>
SharedArray<T> array_of(const ArrayView& view, Index first, Index last) {
    const auto count = static_cast<std::size_t>(last - first);
    if (usable_as<T>(view.data, view.type)) return {static_cast<const T*>(view.data) + first, count};
    Buffer<T> converted;
    convert(view.data, first, last - first, view.type, converted.extend(count));
    return converted;
}

// Calls good(row) for every row on all threads, and bad(row) for the first row for which one is not.
template <class AnyFeatures, class Good, class Bad>
void check_rows(const AnyFeatures& features, int threads, const Good& good, const Bad& bad) {
    threads = useful_threads(features, resolve_threads(threads));
    std::atomic<bool> all = true;
    parallel(threads, [&](int thread) {
        const auto [first, last] = range_of_part(features.rows(), thread, threads);
        for (Index i = first; i < last && all; ++i)
            if (!good(i)) all = false;
    });
    for (Index i = 0; !all && i < features.rows(); ++i)
        if (!good(i)) return bad(i);
}

template <class Real>
void check_finite(const DenseFeatures<Real>& features, const std::string& name, int threads) {
    check_rows(
        features, threads,
        [&](Index i) { return all_finite(features.row(i), static_cast<std::size_t>(features.cols())); },
        [&](Index i) {
            for_each_entry(features, i, [&](Index j, Real value) {
                if (!std::isfinite(value)) fail_not_finite(name, i, j, value);
            });
        });
}
template <class Real>
void check_finite(const SparseFeatures<Real>& features, const std::string& name, int threads) {
    check_rows(
        features, threads,
        [&](Index i) {
            const Index first = features.start[static_cast<std::size_t>(i)];
            const Index last = features.start[static_cast<std::size_t>(i + 1)];
            return all_finite(features.value.data() + first, static_cast<std::size_t>(last - first));
        },
        [&](Index i) {
            for_each_entry(features, i, [&](Index j, Real value) {
                if (!std::isfinite(value)) fail_not_finite(name, i, j, value);
            });
        });
}

void check_shape(const std::string& name, Index rows, Index cols) {
    if (rows < 0 || cols < 0)
        throw InputError(name, 0,
                         fmt::format("{} rows and {} features; neither can be negative", rows, cols));
    if (rows == 0) throw InputError(name, 0, "no data rows");
    if (cols == 0) throw InputError(name, 0, "no features");
}

template <class Real>
Features<Real> dense_features(const DenseView& view, const std::string& name, int threads) {
    check_shape(name, view.rows, view.cols);
    if (!is_real(view.type)) throw InputError(name, 0, "the entries must be f32 or f64");
    if (view.stride < view.cols)
        throw InputError(
            name, 0,
            fmt::format("the rows begin {} entries apart, which must be at least the {} features",
                        view.stride, view.cols));
    Index bytes = sizeof(double);
    if (__builtin_mul_overflow(bytes, view.stride, &bytes) ||
        __builtin_mul_overflow(bytes, view.rows, &bytes))
        throw InputError(
            name, 0,
            fmt::format("{} rows, {} entries apart, are more than can be counted", view.rows, view.stride));
    if (view.data == nullptr) throw InputError(name, 0, "the entries are missing: a null pointer");
    DenseFeatures<Real> features;
    if (usable_as<Real>(view.data, view.type)) {
        features =
            DenseFeatures<Real>(static_cast<const Real*>(view.data), view.rows, view.cols, view.stride);
    } else {
        check_memory(name, static_cast<double>(view.rows) * static_cast<double>(view.cols), sizeof(Real));
        Buffer<Real> converted;
        Real* to = converted.extend(static_cast<std::size_t>(view.rows * view.cols));
        for (Index i = 0; i < view.rows; ++i)
            convert(view.data, i * view.stride, view.cols, view.type, to + i * view.cols);
        features = DenseFeatures<Real>(std::move(converted), view.rows, view.cols);
    }
    check_finite(features, name, threads);
    return features;
}

// Starts from 0, or those of the caller when they are 64-bit numbers from 0; they never decrease, nor go beyond the entries.
struct Starts {
    SharedArray<Index> from_zero;
    Index first = 0;  // the caller's first one
    Index last = 0;
};

Starts starts_of(const SparseView& view, const std::string& name) {
    Starts starts;
    SharedArray<Index> given = array_of<Index>(view.starts, 0, view.starts.size);
    starts.first = given[0];
    starts.last = given[given.size() - 1];
    if (starts.first < 0)
        throw InputError(name, 0,
                         fmt::format("the first row starts at {}, before the entries", starts.first));
    for (std::size_t i = 1; i < given.size(); ++i)
        if (given[i] < given[i - 1])
            throw InputError(
                name, 0,
                fmt::format("row {} (from 0) ends at {}, before its start {}; starts must not decrease",
                            i - 1, given[i], given[i - 1]));
    if (starts.last > view.values.size)
        throw InputError(
            name, 0,
            fmt::format("the last row ends at {}, but there are {} entries", starts.last, view.values.size));
    if (starts.first > 0) {
        Buffer<Index> shifted;
        std::transform(given.begin(), given.end(), shifted.extend(given.size()),
                       [&](Index start) { return start - starts.first; });
        given = std::move(shifted);
    }
    starts.from_zero = std::move(given);
    return starts;
}

// Throws unless every column exists; returns whether they increase in every row.
template <class Column, class Real>
bool check_columns(const Column* columns, const SparseFeatures<Real>& features, const std::string& name) {
    bool increase = true;
    for (Index i = 0; i < features.rows(); ++i) {
        const Index first = features.start[static_cast<std::size_t>(i)];
        for (Index k = first; k < features.start[static_cast<std::size_t>(i + 1)]; ++k) {
            if (columns[k] < 0 || static_cast<Index>(columns[k]) >= features.cols())
                throw InputError(
                    name, 0,
                    fmt::format("row {} (from 0): column {} does not exist; they go from 0 to {}", i,
                                columns[k], features.cols() - 1));
            if (k > first) increase &= columns[k] > columns[k - 1];
        }
    }
    return increase;
}

// The same data with increasing columns; values of one place are added up, in the order in which they come.
template <class Real>
SparseFeatures<Real> in_order(const SparseFeatures<Real>& features) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    std::vector<std::pair<std::int32_t, Real>> row;
    for (Index i = 0; i < features.rows(); ++i) {
        row.clear();
        for_each_entry(features, i,
                       [&](Index j, Real entry) { row.emplace_back(static_cast<std::int32_t>(j), entry); });
        std::stable_sort(row.begin(), row.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k > 0 && row[k].first == row[k - 1].first) {
                value[value.size() - 1] += row[k].second;
            } else {
                column.push_back(row[k].first);
                value.push_back(row[k].second);
            }
        }
        start.push_back(static_cast<Index>(value.size()));
    }
    return {std::move(start), std::move(column), std::move(value), features.row_count, features.col_count};
}

template <class Real>
Features<Real> sparse_features(const SparseView& view, const std::string& name, int threads) {
    if (is_real(view.starts.type) || is_real(view.columns.type))
        throw InputError(name, 0, "starts and columns must be i32 or i64");
    if (!is_real(view.values.type)) throw InputError(name, 0, "the values must be f32 or f64");
    check_shape(name, view.starts.size - 1, view.cols);
    if (view.cols > std::numeric_limits<std::int32_t>::max())
        throw InputError(name, 0,
                         fmt::format("{} features are more than the {} that are possible", view.cols,
                                     std::numeric_limits<std::int32_t>::max()));
    if (view.columns.size != view.values.size)
        throw InputError(name, 0,
                         fmt::format("{} columns, but {} values", view.columns.size, view.values.size));
    if (view.starts.data == nullptr ||
        (view.values.size > 0 && (view.columns.data == nullptr || view.values.data == nullptr)))
        throw InputError(name, 0, "starts, columns or values are missing: a null pointer");
    const Starts starts = starts_of(view, name);
    SparseFeatures<Real> features;
    features.row_count = view.starts.size - 1;
    features.col_count = view.cols;
    features.start = starts.from_zero;
    bool increase = true;
    const auto take_columns = [&]<class Column>(SharedArray<Column> columns) {
        increase = check_columns(columns.data(), features, name);
        features.column = std::move(columns);
    };
    if (view.columns.type == Scalar::i32)
        take_columns(array_of<std::int32_t>(view.columns, starts.first, starts.last));
    else
        take_columns(array_of<std::int64_t>(view.columns, starts.first, starts.last));
    features.value = array_of<Real>(view.values, starts.first, starts.last);
    if (!increase) features = in_order(features);
    check_finite(features, name, threads);
    return features;
}

template <class Integer>
void push_integers(const ArrayView& view, Labels& labels) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    for (const Integer number : array_of<Integer>(view, 0, view.size)) {
        // As text where a double might not tell two of them apart.
        if (number > -exact && number < exact)
            labels.push(static_cast<double>(number));
        else
            labels.push(std::to_string(number));
    }
}

void push_labels(const ArrayView& view, const std::string& name, Labels& labels) {
    if (view.size > 0 && view.data == nullptr)
        throw InputError(name, 0, "the labels are missing: a null pointer");
    if (view.type == Scalar::i32) return push_integers<std::int32_t>(view, labels);
    if (view.type == Scalar::i64) return push_integers<std::int64_t>(view, labels);
    const SharedArray<double> numbers = array_of<double>(view, 0, view.size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!std::isfinite(numbers[i]))
            throw InputError(name, 0, fmt::format("label {} (from 0) is not a finite number", i));
        labels.push(numbers[i]);
    }
}

template <class Text>
void push_labels(std::span<const Text> texts, const std::string& name, Labels& labels) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!is_acceptable_label(texts[i]))
            throw InputError(name, 0,
                             fmt::format("label {} (from 0) is empty or not finite: {}", i, shown(texts[i])));
        labels.push(std::string_view(texts[i]));
    }
}

}  // namespace

template <class Real>
Features<Real> features_of(const FeatureView& view, const std::string& name, int threads) {
    if (const auto* dense = std::get_if<DenseView>(&view)) return dense_features<Real>(*dense, name, threads);
    return sparse_features<Real>(std::get<SparseView>(view), name, threads);
}

Labels labels_of(const LabelView& view, const std::string& name) {
    Labels labels;
    std::visit([&](const auto& some) { push_labels(some, name, labels); }, view);
    return labels;
}

template <class Real>
Dataset<Real> dataset_of(const FeatureView& features, const LabelView& labels, std::string name,
                         int threads) {
    Dataset<Real> data;
    data.features = features_of<Real>(features, name, threads);
    data.labels = labels_of(labels, name);
    if (!data.labels.empty() && data.labels.size() != rows(data.features))
        throw InputError(name, 0,
                         fmt::format("{} labels, but {} rows", data.labels.size(), rows(data.features)));
    data.name = std::move(name);
    return data;
}

template Features<float> features_of(const FeatureView&, const std::string&, int);
template Features<double> features_of(const FeatureView&, const std::string&, int);
template Dataset<float> dataset_of(const FeatureView&, const LabelView&, std::string, int);
template Dataset<double> dataset_of(const FeatureView&, const LabelView&, std::string, int);

}  // namespace alfcg

#include "distortion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "alfcg/core/error.hpp"

namespace alfcg::bench {

namespace {

std::vector<Index> positions(Index count) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    return order;
}

void shuffle_labels(Labels& labels) {
    std::vector<Index> order = positions(labels.size());
    std::mt19937_64 generator(7);
    std::shuffle(order.begin(), order.end(), generator);
    labels.keep(order);
}

// Calls visit(column, entry) for every entry that is stored.
template <class Real, class Visit>
void each_entry(DenseFeatures<Real>& features, Visit visit) {
    Real* entries = features.own();
    for (Index i = 0; i < features.rows(); ++i)
        for (Index j = 0; j < features.cols(); ++j) visit(j, entries[i * features.stride() + j]);
}

template <class Real, class Visit>
void each_entry(SparseFeatures<Real>& features, Visit visit) {
    Real* values = features.own();
    for (std::size_t k = 0; k < features.value.size(); ++k) visit(Index{features.column[k]}, values[k]);
}

// The feature with the largest entries in all: one that is nearly always zero would do no harm.
template <class SomeFeatures>
void enlarge_feature(SomeFeatures& features) {
    constexpr int huge = 1000000;
    std::vector<double> sums(static_cast<std::size_t>(features.cols()));
    each_entry(features, [&](Index j, auto entry) { sums[static_cast<std::size_t>(j)] += std::abs(entry); });
    const Index largest = std::max_element(sums.begin(), sums.end()) - sums.begin();
    each_entry(features, [&](Index j, auto& entry) {
        if (j == largest) entry *= huge;
    });
}

template <class Real>
void take_rows(DenseFeatures<Real>& features, const std::vector<Index>& rows) {
    const auto width = static_cast<std::size_t>(features.cols());
    Buffer<Real> entries;
    for (const Index i : rows) std::copy_n(features.row(i), width, entries.extend(width));
    features = DenseFeatures<Real>(std::move(entries), static_cast<Index>(rows.size()), features.cols());
}

template <class Real>
void take_rows(SparseFeatures<Real>& features, const std::vector<Index>& rows) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    const auto columns = features.column.narrow();
    for (const Index i : rows) {
        const Index first = features.start[static_cast<std::size_t>(i)];
        const auto length = static_cast<std::size_t>(features.start[static_cast<std::size_t>(i) + 1] - first);
        std::copy_n(columns.data() + first, length, column.extend(length));
        std::copy_n(features.value.data() + first, length, value.extend(length));
        start.push_back(static_cast<Index>(value.size()));
    }
    features = {std::move(start), std::move(column), std::move(value), static_cast<Index>(rows.size()),
                features.col_count};
}

}  // namespace

template <class Real>
void distort(Dataset<Real>& data, const std::string& how) {
    if (how == "none") return;
    if (how == "shuffled-labels") {
        shuffle_labels(data.labels);
    } else if (how == "huge-feature") {
        std::visit([](auto& features) { enlarge_feature(features); }, data.features);
    } else if (how == "duplicated-rows") {
        std::vector<Index> order = positions(rows(data.features));
        const Index tenth = std::max(rows(data.features) / 10, Index{1});
        for (Index& i : order) i %= tenth;
        std::visit([&](auto& features) { take_rows(features, order); }, data.features);
        data.labels.keep(order);
    } else {
        throw Error("unknown distortion '" + how +
                    "': expected none, shuffled-labels, huge-feature or duplicated-rows");
    }
}

template <class Real>
void drop_empty_columns(SparseFeatures<Real>& features) {
    std::vector<std::int32_t> place(static_cast<std::size_t>(features.cols()), -1);
    const auto columns = features.column.narrow();
    for (const std::int32_t column : columns) place[static_cast<std::size_t>(column)] = 0;
    std::int32_t used = 0;
    for (std::int32_t& p : place)
        if (p == 0) p = used++;
    Buffer<std::int32_t> moved;
    for (const std::int32_t column : columns) moved.push_back(place[static_cast<std::size_t>(column)]);
    features.column = std::move(moved);
    features.col_count = used;
}

template void distort(Dataset<float>&, const std::string&);
template void drop_empty_columns(SparseFeatures<float>&);

}  // namespace alfcg::bench

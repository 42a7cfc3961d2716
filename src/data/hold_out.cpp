#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "data/random_stream.hpp"

namespace alfcg {

namespace {

// Selection sampling: each row is taken with probability (rows still wanted) / (rows still to come), which
// makes every set of `count` rows equally likely and leaves both parts in order.
// Of all these rows, only the `own` from the `first` on are looked at.
std::vector<bool> choose_rows(Index rows, Index count, std::uint64_t seed, Index first, Index own) {
    RandomStream stream(seed, 0);
    std::vector<bool> chosen(static_cast<std::size_t>(own));
    for (Index i = 0; i < first + own; ++i) {
        if (stream.below(static_cast<std::uint64_t>(rows - i)) >= static_cast<std::uint64_t>(count)) continue;
        if (i >= first) chosen[static_cast<std::size_t>(i - first)] = true;
        --count;
    }
    return chosen;
}

// Entries of rows that stay: moved together in place where nobody else looks at them, else copied.
template <class T>
class KeptEntries {
  public:
    KeptEntries(const SharedArray<T>& all, std::size_t kept)
        : from_(all.data()), to_(all.writable()), in_place_(to_ != nullptr) {
        if (!in_place_) to_ = copy_.extend(kept);
    }
    // Entries first .. first + length - 1 are kept next.
    void keep(std::size_t first, std::size_t length) {
        if (!in_place_ || kept_ != first) std::copy_n(from_ + first, length, to_ + kept_);
        kept_ += length;
    }
    void finish(SharedArray<T>& all) {
        if (in_place_)
            all.truncate(kept_);
        else
            all = std::move(copy_);
    }

  private:
    const T* from_;
    T* to_;
    bool in_place_;
    Buffer<T> copy_;
    std::size_t kept_ = 0;
};

template <class Real>
DenseFeatures<Real> take_rows(DenseFeatures<Real>& features, const std::vector<bool>& chosen, Index count) {
    const Index cols = features.cols();
    const Index rest = features.rows() - count;
    Buffer<Real> taken;
    Real* out = taken.extend(static_cast<std::size_t>(count * cols));
    // In place, rows keep their distance.
    Real* own = features.writable();
    Buffer<Real> copy;
    Real* to = own != nullptr ? own : copy.extend(static_cast<std::size_t>(rest * cols));
    const Index stride = own != nullptr ? features.stride() : cols;
    for (Index i = 0; i < features.rows(); ++i) {
        if (chosen[static_cast<std::size_t>(i)]) {
            out = std::copy_n(features.row(i), cols, out);
        } else {
            if (to != features.row(i)) std::copy_n(features.row(i), cols, to);
            to += stride;
        }
    }
    if (own != nullptr)
        features.truncate(rest);
    else
        features = DenseFeatures<Real>(std::move(copy), rest, cols);
    return {std::move(taken), count, cols};
}

template <class Real>
SparseFeatures<Real> take_rows(SparseFeatures<Real>& features, const std::vector<bool>& chosen, Index count) {
    const auto length_of = [&](Index i) {
        return static_cast<std::size_t>(features.start[static_cast<std::size_t>(i + 1)] -
                                        features.start[static_cast<std::size_t>(i)]);
    };
    std::size_t taken_entries = 0;
    for (Index i = 0; i < features.row_count; ++i)
        if (chosen[static_cast<std::size_t>(i)]) taken_entries += length_of(i);
    const std::size_t kept_entries = features.value.size() - taken_entries;
    Buffer<Index> taken_start;
    Buffer<std::int32_t> taken_column;
    Buffer<Real> taken_value;
    taken_start.reserve(static_cast<std::size_t>(count + 1));
    std::int32_t* column = taken_column.extend(taken_entries);
    Real* value = taken_value.extend(taken_entries);
    SharedArray<std::int32_t> columns = features.column.narrow();
    features.column = {};
    KeptEntries<std::int32_t> kept_column(columns, kept_entries);
    KeptEntries<Real> kept_value(features.value, kept_entries);
    Buffer<Index> kept_start;
    kept_start.reserve(static_cast<std::size_t>(features.row_count - count + 1));
    taken_start.push_back(0);
    kept_start.push_back(0);
    for (Index i = 0; i < features.row_count; ++i) {
        const auto first = static_cast<std::size_t>(features.start[static_cast<std::size_t>(i)]);
        const std::size_t length = length_of(i);
        Buffer<Index>& start = chosen[static_cast<std::size_t>(i)] ? taken_start : kept_start;
        start.push_back(start[start.size() - 1] + static_cast<Index>(length));
        if (chosen[static_cast<std::size_t>(i)]) {
            column = std::copy_n(columns.data() + first, length, column);
            value = std::copy_n(features.value.data() + first, length, value);
        } else {
            kept_column.keep(first, length);
            kept_value.keep(first, length);
        }
    }
    kept_column.finish(columns);
    features.column = std::move(columns);
    kept_value.finish(features.value);
    features.start = std::move(kept_start);
    features.row_count -= count;
    return {std::move(taken_start), std::move(taken_column), std::move(taken_value), count,
            features.col_count};
}

}  // namespace

template <class Real>
Dataset<Real> hold_out(Dataset<Real>& data, double fraction, std::uint64_t seed, Ranks* ranks) {
    const Index own = rows(data.features);
    Index total = own;
    Index first = 0;
    if (ranks != nullptr) {
        const std::vector<Index> counts = ranks->gather(own);
        total = std::accumulate(counts.begin(), counts.end(), Index{0});
        first = std::accumulate(counts.begin(), counts.begin() + ranks->rank(), Index{0});
    }
    if (!(fraction > 0 && fraction < 1))
        throw Error(fmt::format("{}: the fraction of rows to hold out must lie between 0 and 1, not {}",
                                data.name, fraction));
    if (total < 2)
        throw Error(fmt::format("{}: at least 2 rows are needed to hold some out, not {}", data.name, total));
    const Index count = std::clamp<Index>(std::llround(fraction * static_cast<double>(total)), 1, total - 1);
    return take_rows(data, choose_rows(total, count, seed, first, own), ranks != nullptr);
}

template <class Real>
Dataset<Real> take_rows(Dataset<Real>& data, const std::vector<bool>& chosen, bool any) {
    std::vector<Index> kept_rows;
    std::vector<Index> taken_rows;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        (chosen[i] ? taken_rows : kept_rows).push_back(static_cast<Index>(i));
    if (std::ssize(chosen) != rows(data.features) || (!any && (kept_rows.empty() || taken_rows.empty())))
        throw Error(data.name + ": some rows must be taken out, and some must be left");

    Dataset<Real> taken;
    taken.name = data.name;
    taken.names = data.names;
    taken.reading = data.reading;
    if (!data.labels.empty()) {
        taken.labels = data.labels.select(taken_rows);
        data.labels.keep(kept_rows);
    }
    if (!data.weights.empty()) {
        std::vector<double> kept;
        for (std::size_t i = 0; i < chosen.size(); ++i)
            (chosen[i] ? taken.weights : kept).push_back(data.weights[i]);
        data.weights = std::move(kept);
    }
    std::visit([&](auto& features) { taken.features = take_rows(features, chosen, std::ssize(taken_rows)); },
               data.features);
    return taken;
}

template Dataset<float> hold_out(Dataset<float>& data, double fraction, std::uint64_t seed, Ranks* ranks);
template Dataset<double> hold_out(Dataset<double>& data, double fraction, std::uint64_t seed, Ranks* ranks);
template Dataset<float> take_rows(Dataset<float>& data, const std::vector<bool>& chosen, bool any);
template Dataset<double> take_rows(Dataset<double>& data, const std::vector<bool>& chosen, bool any);

}  // namespace alfcg

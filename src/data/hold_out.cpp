#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "data/random_stream.hpp"

namespace alfcg {

namespace {

// Selection sampling: each row is taken with probability (rows still wanted) / (rows still to come), which
// makes every set of `count` rows equally likely and leaves both parts in order.
std::vector<bool> choose_rows(Index rows, Index count, std::uint64_t seed) {
    RandomStream stream(seed, 0);
    std::vector<bool> chosen(static_cast<std::size_t>(rows));
    for (Index i = 0; i < rows; ++i) {
        if (stream.below(static_cast<std::uint64_t>(rows - i)) >= static_cast<std::uint64_t>(count)) continue;
        chosen[static_cast<std::size_t>(i)] = true;
        --count;
    }
    return chosen;
}

template <class Real>
DenseFeatures<Real> take_rows(DenseFeatures<Real>& features, const std::vector<bool>& chosen, Index count) {
    Buffer<Real> taken;
    Real* out = taken.extend(static_cast<std::size_t>(count * features.cols()));
    Index kept = 0;
    for (Index i = 0; i < features.rows(); ++i) {
        if (chosen[static_cast<std::size_t>(i)]) {
            out = std::copy_n(features.row(i), features.cols(), out);
        } else {
            if (kept != i) std::copy_n(features.row(i), features.cols(), features.row(kept));
            ++kept;
        }
    }
    features.truncate(kept);
    return {std::move(taken), count, features.cols()};
}

template <class Real>
SparseFeatures<Real> take_rows(SparseFeatures<Real>& features, const std::vector<bool>& chosen, Index count) {
    SparseFeatures<Real> taken;
    taken.row_count = count;
    taken.col_count = features.col_count;
    taken.start.push_back(0);
    Index kept = 0;
    std::size_t kept_entries = 0;
    Index first = 0;  // of the row at hand; start[] itself is being overwritten
    for (Index i = 0; i < features.row_count; ++i) {
        const Index last = features.start[static_cast<std::size_t>(i + 1)];
        const auto from = static_cast<std::size_t>(first);
        const auto length = static_cast<std::size_t>(last - first);
        if (chosen[static_cast<std::size_t>(i)]) {
            std::copy_n(features.column.data() + from, length, taken.column.extend(length));
            std::copy_n(features.value.data() + from, length, taken.value.extend(length));
            taken.start.push_back(static_cast<Index>(taken.value.size()));
        } else {
            if (kept_entries != from) {
                std::copy_n(features.column.data() + from, length, features.column.data() + kept_entries);
                std::copy_n(features.value.data() + from, length, features.value.data() + kept_entries);
            }
            kept_entries += length;
            features.start[static_cast<std::size_t>(++kept)] = static_cast<Index>(kept_entries);
        }
        first = last;
    }
    features.row_count = kept;
    features.start.resize(static_cast<std::size_t>(kept + 1));
    features.column.resize(kept_entries);
    features.value.resize(kept_entries);
    for (SparseFeatures<Real>* part : {&features, &taken}) {
        part->start.shrink_to_fit();
        part->column.shrink_to_fit();
        part->value.shrink_to_fit();
    }
    return taken;
}

}  // namespace

template <class Real>
Dataset<Real> hold_out(Dataset<Real>& data, double fraction, std::uint64_t seed) {
    const Index total = rows(data.features);
    if (!(fraction > 0 && fraction < 1))
        throw Error(fmt::format("{}: the fraction of rows to hold out must lie between 0 and 1, not {}",
                                data.name, fraction));
    if (total < 2)
        throw Error(fmt::format("{}: at least 2 rows are needed to hold some out, not {}", data.name, total));
    const Index count = std::clamp<Index>(std::llround(fraction * static_cast<double>(total)), 1, total - 1);
    const std::vector<bool> chosen = choose_rows(total, count, seed);

    Dataset<Real> held;
    held.name = data.name;
    if (!data.labels.empty()) {
        std::vector<Index> kept_rows;
        std::vector<Index> held_rows;
        for (Index i = 0; i < total; ++i)
            (chosen[static_cast<std::size_t>(i)] ? held_rows : kept_rows).push_back(i);
        held.labels = data.labels.select(held_rows);
        data.labels.keep(kept_rows);
    }
    std::visit([&](auto& features) { held.features = take_rows(features, chosen, count); }, data.features);
    return held;
}

template Dataset<float> hold_out(Dataset<float>& data, double fraction, std::uint64_t seed);
template Dataset<double> hold_out(Dataset<double>& data, double fraction, std::uint64_t seed);

}  // namespace alfcg

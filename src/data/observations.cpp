#include "alfcg/data/observations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/random_stream.hpp"

namespace alfcg {

namespace {

// Places of a line in order, with what belongs to them.
template <class Real>
void sort_line(std::int32_t* columns, Real* values, Real* weights, Index count,
               std::vector<std::pair<std::int32_t, Index>>& order, std::vector<Real>& scratch) {
    if (std::is_sorted(columns, columns + count)) return;
    order.clear();
    for (Index k = 0; k < count; ++k) order.emplace_back(columns[k], k);
    std::sort(order.begin(), order.end());
    const auto arrange = [&](Real* entries) {
        if (entries == nullptr) return;
        scratch.assign(entries, entries + count);
        for (Index k = 0; k < count; ++k)
            entries[k] = scratch[static_cast<std::size_t>(order[static_cast<std::size_t>(k)].second)];
    };
    arrange(values);
    arrange(weights);
    for (Index k = 0; k < count; ++k) columns[k] = order[static_cast<std::size_t>(k)].first;
}

}  // namespace

template <class Real>
Observations<Real> observations(Shape shape, Triples<Real> triples) {
    const auto count = static_cast<std::size_t>(triples.size());
    Buffer<Index> starts(static_cast<std::size_t>(shape.rows) + 1);
    for (const std::int32_t row : triples.rows) ++starts[static_cast<std::size_t>(row) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    Buffer<std::int32_t> columns(count);
    Buffer<Real> values(count);
    Buffer<Real> weights(triples.weights.empty() ? 0 : count);
    {
        std::vector<Index> next(starts.begin(), starts.end() - 1);
        for (std::size_t k = 0; k < count; ++k) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(triples.rows[k])]++);
            columns[at] = triples.columns[k];
            values[at] = triples.values[k];
            if (!weights.empty()) weights[at] = triples.weights[k];
        }
    }
    triples = {};
    std::vector<std::pair<std::int32_t, Index>> order;
    std::vector<Real> scratch;
    for (Index i = 0; i < shape.rows; ++i) {
        const Index first = starts[static_cast<std::size_t>(i)];
        const Index length = starts[static_cast<std::size_t>(i) + 1] - first;
        std::int32_t* line = columns.data() + first;
        sort_line(line, values.data() + first, weights.empty() ? nullptr : weights.data() + first, length,
                  order, scratch);
        const auto* twice = std::adjacent_find(line, line + length);
        if (twice != line + length) throw RepeatedPlace(static_cast<std::int32_t>(i), *twice);
    }
    Observations<Real> known;
    known.pattern = {shape, std::move(starts), std::move(columns)};
    known.values = std::move(values);
    if (!weights.empty()) known.weights = std::move(weights);
    return known;
}

template <class Real>
Observations<Real> hold_out(Observations<Real>& known, double share, std::uint64_t seed) {
    const Index count = known.size();
    const auto held = static_cast<Index>(std::llround(share * static_cast<double>(count)));
    if (!(share > 0 && share < 1) || held < 1 || held >= count)
        throw QuantityError("holdout",
                            fmt::format("must be a share between 0 and 1 that leaves observations on both "
                                        "sides, not {} of {}",
                                        share, count));
    // Selection sampling: in order, each with the probability that makes the number come out.
    RandomStream stream(seed, 0);
    std::vector<bool> chosen(static_cast<std::size_t>(count));
    Index wanted = held;
    for (Index k = 0; k < count; ++k) {
        if (static_cast<double>(count - k) * (static_cast<double>(stream.bits() >> 11U) * 0x1p-53) <
            static_cast<double>(wanted)) {
            chosen[static_cast<std::size_t>(k)] = true;
            --wanted;
        }
    }
    const auto part = [&](bool which) {
        Observations<Real> result;
        const auto size = static_cast<std::size_t>(which ? held : count - held);
        Buffer<Index> starts(static_cast<std::size_t>(known.pattern.shape.rows) + 1);
        Buffer<std::int32_t> columns(size);
        Buffer<Real> values(size);
        Buffer<Real> weights(known.weights.empty() ? 0 : size);
        std::size_t at = 0;
        for (Index i = 0; i < known.pattern.shape.rows; ++i) {
            for (Index k = known.pattern.begin(i); k < known.pattern.end(i); ++k) {
                const auto from = static_cast<std::size_t>(k);
                if (chosen[from] != which) continue;
                columns[at] = known.pattern.columns[from];
                values[at] = known.values[from];
                if (!weights.empty()) weights[at] = known.weights[from];
                ++at;
            }
            starts[static_cast<std::size_t>(i) + 1] = static_cast<Index>(at);
        }
        result.pattern = {known.pattern.shape, std::move(starts), std::move(columns)};
        result.values = std::move(values);
        if (!weights.empty()) result.weights = std::move(weights);
        return result;
    };
    Observations<Real> held_out = part(true);
    known = part(false);
    return held_out;
}

template <class Real>
void put_back(Observations<Real>& known, Observations<Real> held_out) {
    const auto size = static_cast<std::size_t>(known.size() + held_out.size());
    const Index rows = known.pattern.shape.rows;
    Buffer<Index> starts(static_cast<std::size_t>(rows) + 1);
    for (Index i = 0; i <= rows; ++i)
        starts[static_cast<std::size_t>(i)] = known.pattern.starts[static_cast<std::size_t>(i)] +
                                              held_out.pattern.starts[static_cast<std::size_t>(i)];
    // One array after the other, so that no more than one is there twice. Of each row, both parts are in order.
    const auto merged = [&]<class T>(SharedArray<T>& stays, SharedArray<T>& comes) {
        Buffer<T> all(size);
        std::size_t at = 0;
        for (Index i = 0; i < rows; ++i) {
            Index k = known.pattern.begin(i);
            for (Index l = held_out.pattern.begin(i); l <= held_out.pattern.end(i); ++l) {
                const bool last = l == held_out.pattern.end(i);
                const auto before = [&] {
                    return last || known.pattern.columns[static_cast<std::size_t>(k)] <
                                       held_out.pattern.columns[static_cast<std::size_t>(l)];
                };
                while (k < known.pattern.end(i) && before()) all[at++] = stays[static_cast<std::size_t>(k++)];
                if (!last) all[at++] = comes[static_cast<std::size_t>(l)];
            }
        }
        return SharedArray<T>(std::move(all));
    };
    known.values = merged(known.values, held_out.values);
    if (!known.weights.empty()) known.weights = merged(known.weights, held_out.weights);
    auto columns = merged(known.pattern.columns, held_out.pattern.columns);
    known.pattern.columns = std::move(columns);
    known.pattern.starts = std::move(starts);
}

template void put_back(Observations<float>&, Observations<float>);
template void put_back(Observations<double>&, Observations<double>);
template Observations<float> observations(Shape, Triples<float>);
template Observations<double> observations(Shape, Triples<double>);
template Observations<float> hold_out(Observations<float>&, double, std::uint64_t);
template Observations<double> hold_out(Observations<double>&, double, std::uint64_t);

}  // namespace alfcg

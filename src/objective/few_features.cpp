#include "objective/few_features.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "objective/scores.hpp"

namespace alfcg {

namespace {

template <class Real>
Features<Real> columns_of(const DenseFeatures<Real>& features, std::span<const Index> columns, bool ones,
                          int threads) {
    const Index samples = features.rows();
    const Index count = std::ssize(columns);
    const Index width = count + (ones ? 1 : 0);
    Buffer<Real> entries(static_cast<std::size_t>(samples * width));
    const int parts = parts_of(samples * features.cols(), threads);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(samples, part, parts);
        for (Index i = first; i < last; ++i) {
            const Real* from = features.row(i);
            Real* to = entries.data() + i * width;
            for (Index k = 0; k < count; ++k) to[k] = from[columns[static_cast<std::size_t>(k)]];
            if (ones) to[count] = 1;
        }
    });
    return DenseFeatures<Real>(std::move(entries), samples, width);
}

// Some columns of sparse data, as a mark for each that stays in the nearest cache, and where they go.
class Places {
  public:
    Places(std::span<const Index> columns, Index cols)
        : marks_(static_cast<std::size_t>(cols / 64 + 1)), places_(static_cast<std::size_t>(cols)) {
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const auto column = static_cast<std::size_t>(columns[k]);
            marks_[column / 64] |= std::uint64_t{1} << column % 64;
            places_[column] = static_cast<std::int32_t>(k);
        }
    }
    [[nodiscard]] Index has(std::int32_t column) const {
        const auto at = static_cast<std::size_t>(column);
        return static_cast<Index>(marks_[at / 64] >> at % 64 & 1);
    }
    [[nodiscard]] std::int32_t of(std::int32_t column) const {
        return places_[static_cast<std::size_t>(column)];
    }

  private:
    std::vector<std::uint64_t> marks_;
    std::vector<std::int32_t> places_;
};

template <class Real>
Features<Real> columns_of(const SparseFeatures<Real>& features, std::span<const Index> columns, bool ones,
                          int threads) {
    const Index samples = features.rows();
    const Index count = std::ssize(columns);
    const Places places(columns, features.cols());
    const Index* from = features.start.data();
    const NumberPointer all = features.column.data();
    const int parts = parts_of(features.nonzeros(), threads);
    Buffer<Index> start(static_cast<std::size_t>(samples + 1));
    Index longest = 0;
    for (Index i = 0; i < samples; ++i) longest = std::max(longest, from[i + 1] - from[i]);
    // A row's entries that are kept, one after the other; a place more, as each is written before it is known to stay.
    std::vector<std::vector<Index>> kept(static_cast<std::size_t>(parts),
                                         std::vector<Index>(static_cast<std::size_t>(longest + 1)));
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(samples, part, parts);
        for (Index i = first; i < last; ++i) {
            Index stay = ones ? 1 : 0;
            for (Index at = from[i]; at < from[i + 1]; ++at) stay += places.has(all[at]);
            start.data()[i + 1] = stay;
        }
    });
    std::partial_sum(start.data(), start.data() + samples + 1, start.data());
    const auto nonzeros = static_cast<std::size_t>(start.data()[samples]);
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    column.extend(nonzeros);
    value.extend(nonzeros);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(samples, part, parts);
        Index* const list = kept[static_cast<std::size_t>(part)].data();
        for (Index i = first; i < last; ++i) {
            Index stay = 0;
            for (Index at = from[i]; at < from[i + 1]; ++at) {
                list[stay] = at;
                stay += places.has(all[at]);
            }
            Index to = start.data()[i];
            for (Index k = 0; k < stay; ++k, ++to) {
                column.data()[to] = places.of(all[list[k]]);
                value.data()[to] = features.value.data()[list[k]];
            }
            if (ones) {
                column.data()[to] = static_cast<std::int32_t>(count);
                value.data()[to] = 1;
            }
        }
    });
    return SparseFeatures<Real>{std::move(start), std::move(column), std::move(value), samples,
                                count + (ones ? 1 : 0)};
}

template <class Real>
void add_squares(const DenseFeatures<Real>& features, Index row, double* squares) {
    const Real* entries = features.row(row);
    for (Index j = 0; j < features.cols(); ++j)
        squares[j] += static_cast<double>(entries[j]) * static_cast<double>(entries[j]);
}
template <class Real>
void add_squares(const SparseFeatures<Real>& features, Index row, double* squares) {
    for (Index at = features.start.data()[row]; at < features.start.data()[row + 1]; ++at)
        squares[features.column.data()[at]] +=
            static_cast<double>(features.value.data()[at]) * static_cast<double>(features.value.data()[at]);
}

}  // namespace

template <class Real>
Features<Real> some_columns(const Features<Real>& features, std::span<const Index> columns, bool ones,
                            int threads) {
    if (!ones && std::ssize(columns) == cols(features)) return features;
    return std::visit([&](const auto& own) { return columns_of(own, columns, ones, threads); }, features);
}

template <class Real>
std::vector<double> column_squares(const Features<Real>& features, const Selection& rows, int threads) {
    const auto width = static_cast<std::size_t>(cols(features));
    const int parts = parts_of(entries_of(features), threads);
    std::vector<std::vector<double>> sums(static_cast<std::size_t>(parts));
    for (auto& sum : sums) sum.resize(width);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(rows.count, part, parts);
        double* own = sums[static_cast<std::size_t>(part)].data();
        std::visit(
            [&, first = first, last = last](const auto& from) {
                for (Index i = first; i < last; ++i) add_squares(from, rows.row(i), own);
            },
            features);
    });
    for (std::size_t part = 1; part < sums.size(); ++part)
        for (std::size_t j = 0; j < width; ++j) sums.front()[j] += sums[part][j];
    return std::move(sums.front());
}

template <class Real>
Features<Real> products_with(const Features<Real>& features, const Matrix<Real>& directions, bool ones,
                             int threads) {
    const Index samples = rows(features);
    const Index count = directions.rows();
    Buffer<Real> products(static_cast<std::size_t>(samples * count));
    linear_scores(features, 0, samples, directions, products.data(), threads);
    if (!ones) return DenseFeatures<Real>(std::move(products), samples, count);
    Buffer<Real> entries(static_cast<std::size_t>(samples * (count + 1)));
    for (Index i = 0; i < samples; ++i) {
        std::copy_n(products.data() + i * count, count, entries.data() + i * (count + 1));
        entries.data()[i * (count + 1) + count] = 1;
    }
    return DenseFeatures<Real>(std::move(entries), samples, count + 1);
}

template Features<float> some_columns(const Features<float>&, std::span<const Index>, bool, int);
template Features<double> some_columns(const Features<double>&, std::span<const Index>, bool, int);
template std::vector<double> column_squares(const Features<float>&, const Selection&, int);
template std::vector<double> column_squares(const Features<double>&, const Selection&, int);
template Features<float> products_with(const Features<float>&, const Matrix<float>&, bool, int);
template Features<double> products_with(const Features<double>&, const Matrix<double>&, bool, int);

}  // namespace alfcg

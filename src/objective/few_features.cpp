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

template <class Real>
Features<Real> columns_of(const SparseFeatures<Real>& features, std::span<const Index> columns, bool ones,
                          int threads) {
    const Index samples = features.rows();
    const Index count = std::ssize(columns);
    std::vector<std::int32_t> place(static_cast<std::size_t>(features.cols()), -1);
    for (Index k = 0; k < count; ++k)
        place[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])] = static_cast<std::int32_t>(k);
    const Index* from = features.start.data();
    const auto place_of = [&](Index at) {
        return place[static_cast<std::size_t>(features.column.data()[at])];
    };
    const int parts = parts_of(features.nonzeros(), threads);
    Buffer<Index> start(static_cast<std::size_t>(samples + 1));
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(samples, part, parts);
        for (Index i = first; i < last; ++i) {
            Index kept = ones ? 1 : 0;
            for (Index at = from[i]; at < from[i + 1]; ++at) kept += place_of(at) >= 0 ? 1 : 0;
            start.data()[i + 1] = kept;
        }
    });
    std::partial_sum(start.data(), start.data() + samples + 1, start.data());
    const auto nonzeros = static_cast<std::size_t>(start.data()[samples]);
    Buffer<std::int32_t> column(nonzeros);
    Buffer<Real> value(nonzeros);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(samples, part, parts);
        for (Index i = first; i < last; ++i) {
            Index to = start.data()[i];
            for (Index at = from[i]; at < from[i + 1]; ++at) {
                const std::int32_t k = place_of(at);
                if (k < 0) continue;
                column.data()[to] = k;
                value.data()[to++] = features.value.data()[at];
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

}  // namespace

template <class Real>
Features<Real> some_columns(const Features<Real>& features, std::span<const Index> columns, bool ones,
                            int threads) {
    if (!ones && std::ssize(columns) == cols(features)) return features;
    return std::visit([&](const auto& own) { return columns_of(own, columns, ones, threads); }, features);
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
template Features<float> products_with(const Features<float>&, const Matrix<float>&, bool, int);
template Features<double> products_with(const Features<double>&, const Matrix<double>&, bool, int);

}  // namespace alfcg

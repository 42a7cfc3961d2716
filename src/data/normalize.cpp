#include "alfcg/data/normalize.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <string>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "data/column_deviation.hpp"
#include "data/row_access.hpp"

namespace alfcg {

namespace {

constexpr std::string_view names[] = {"none", "rows", "columns", "spectral"};

// Calls body(column, value) for the entries of row i, to be changed; `entries` is where they can be.
template <class Real, class Body>
void for_each_own(const DenseFeatures<Real>& features, Real* entries, Index i, const Body& body) {
    Real* row = entries + i * features.stride();
    for (Index j = 0; j < features.cols(); ++j) body(j, row[j]);
}
template <class Real, class Body>
void for_each_own(const SparseFeatures<Real>& features, Real* entries, Index i, const Body& body) {
    const Index last = features.start[static_cast<std::size_t>(i + 1)];
    for (Index k = features.start[static_cast<std::size_t>(i)]; k < last; ++k)
        body(static_cast<Index>(features.column[static_cast<std::size_t>(k)]), entries[k]);
}

// value /= divisor(row, column) throughout. Throws Error when a quotient is too large for Real.
template <class AnyFeatures, class RowDivisor, class Divide>
void divide_rows(AnyFeatures& features, int threads, const RowDivisor& row_divisor, const Divide& divide) {
    auto* const entries = features.own();
    threads = useful_threads(features, threads);
    std::atomic<bool> overflow = false;
    parallel(threads, [&](int thread) {
        const auto [first, last] = range_of_part(features.rows(), thread, threads);
        bool finite = true;
        for (Index i = first; i < last; ++i) {
            const double divisor = row_divisor(i);
            if (divisor == 1) continue;
            for_each_own(features, entries, i, [&](Index j, auto& value) {
                using Real = std::remove_reference_t<decltype(value)>;
                value = static_cast<Real>(divide(static_cast<double>(value), j, divisor));
                finite &= std::isfinite(value);
            });
        }
        if (!finite) overflow = true;
    });
    if (overflow)
        throw Error(std::string("normalisation gives numbers that are too large; ") +
                    (sizeof(*entries) == sizeof(float) ? "use `precision` f64 or scale" : "scale") +
                    " the data first");
}

template <class AnyFeatures>
void scale(AnyFeatures& features, const Scaling& scaling, int threads) {
    const auto by_row = [](double value, Index, double divisor) { return value / divisor; };
    switch (scaling.kind) {
        case Normalization::none:
            break;
        case Normalization::rows:
            divide_rows(
                features, threads,
                [&](Index i) {
                    const double norm = row_norm(features, i);
                    return norm > 0 ? norm : 1;
                },
                by_row);
            break;
        case Normalization::columns:
            divide_rows(
                features, threads, [](Index) { return 0.0; },
                [&](double value, Index j, double) {
                    return value / scaling.divisors[static_cast<std::size_t>(j)];
                });
            break;
        case Normalization::spectral:
            divide_rows(
                features, threads, [&](Index) { return scaling.divisors.front(); }, by_row);
            break;
    }
}

}  // namespace

std::string_view to_text(Normalization kind) {
    return names[static_cast<std::size_t>(kind)];
}

Normalization parse_normalization(std::string_view text) {
    for (const Normalization kind :
         {Normalization::none, Normalization::rows, Normalization::columns, Normalization::spectral})
        if (text == to_text(kind)) return kind;
    throw Error(fmt::format("unknown normalisation '{}'; none, rows, columns and spectral exist", text));
}

template <class Real>
Scaling measure_scaling(const Features<Real>& features, Normalization kind, int threads,
                        std::span<const double> weights, Ranks* ranks) {
    Scaling scaling;
    scaling.kind = kind;
    if (kind == Normalization::columns) {
        scaling.divisors = std::visit(
            [&](const auto& f) {
                if (ranks != nullptr) return column_deviations(f, weights, *ranks);
                return column_deviations(f, weights, useful_threads(f, resolve_threads(threads)));
            },
            features);
        for (std::size_t j = 0; j < scaling.divisors.size(); ++j) {
            if (scaling.divisors[j] == 0) scaling.divisors[j] = 1;
            if (!std::isfinite(scaling.divisors[j]))
                throw Error(
                    fmt::format("feature {} (from 0): its spread is too large for a standard deviation", j));
        }
    }
    if (kind == Normalization::spectral) {
        const double largest = largest_singular_value(features, threads, weights, ranks);
        scaling.divisors = {largest > 0 ? largest : 1};
    }
    return scaling;
}

void check_scaling(const Scaling& scaling, Index features, bool sparse) {
    const auto divisors = static_cast<Index>(scaling.divisors.size());
    // Sparse data may lack features at the end: they are zero.
    if (scaling.kind == Normalization::columns && (features > divisors || (!sparse && features < divisors)))
        throw Error(
            fmt::format("the data have {} features, the scaling was measured on {}", features, divisors));
    if (scaling.kind == Normalization::spectral && divisors != 1)
        throw Error(fmt::format("a spectral scaling has one divisor, not {}", divisors));
}

template <class Real>
Features<Real> scaled(Features<Real> features, const Scaling& scaling, int threads) {
    check_scaling(scaling, cols(features), std::holds_alternative<SparseFeatures<Real>>(features));
    std::visit([&](auto& f) { scale(f, scaling, resolve_threads(threads)); }, features);
    return features;
}

template Scaling measure_scaling(const Features<float>& features, Normalization kind, int threads,
                                 std::span<const double> weights, Ranks* ranks);
template Scaling measure_scaling(const Features<double>& features, Normalization kind, int threads,
                                 std::span<const double> weights, Ranks* ranks);
template Features<float> scaled(Features<float> features, const Scaling& scaling, int threads);
template Features<double> scaled(Features<double> features, const Scaling& scaling, int threads);

}  // namespace alfcg

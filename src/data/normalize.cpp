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

// Euclidean norm, also where squares overflow or vanish.
template <class AnyFeatures>
double row_norm(const AnyFeatures& features, Index i) {
    double squares = 0;
    for_each_entry(features, i, [&](Index, auto value) {
        squares += static_cast<double>(value) * static_cast<double>(value);
    });
    if (squares > 1e-200 && std::isfinite(squares)) return std::sqrt(squares);
    const double largest = row_maximum(features, i);
    if (largest == 0) return 0;
    squares = 0;
    for_each_entry(features, i, [&](Index, auto value) {
        const double ratio = static_cast<double>(value) / largest;
        squares += ratio * ratio;
    });
    return largest * std::sqrt(squares);
}

// value /= divisor(row, column) throughout. Throws Error when a quotient is too large for Real.
template <class AnyFeatures, class RowDivisor, class Divide>
void divide_rows(AnyFeatures& features, int threads, const RowDivisor& row_divisor, const Divide& divide) {
    threads = useful_threads(features, threads);
    std::atomic<bool> overflow = false;
    parallel(threads, [&](int thread) {
        const auto [first, last] = share(features.rows(), thread, threads);
        bool finite = true;
        for (Index i = first; i < last; ++i) {
            const double divisor = row_divisor(i);
            if (divisor == 1) continue;
            for_each_entry(features, i, [&](Index j, auto& value) {
                using Real = std::remove_reference_t<decltype(value)>;
                value = static_cast<Real>(divide(static_cast<double>(value), j, divisor));
                finite &= std::isfinite(value);
            });
        }
        if (!finite) overflow = true;
    });
    if (overflow)
        throw Error(
            "normalisation gives numbers that are too large; use --precision f64 or scale the data first");
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
Scaling measure_scaling(const Features<Real>& features, Normalization kind, int threads) {
    Scaling scaling;
    scaling.kind = kind;
    if (kind == Normalization::columns) {
        scaling.divisors = std::visit(
            [&](const auto& f) { return column_deviations(f, useful_threads(f, resolve_threads(threads))); },
            features);
        for (std::size_t j = 0; j < scaling.divisors.size(); ++j) {
            if (scaling.divisors[j] == 0) scaling.divisors[j] = 1;
            if (!std::isfinite(scaling.divisors[j]))
                throw Error(
                    fmt::format("feature {} (from 0): its spread is too large for a standard deviation", j));
        }
    }
    if (kind == Normalization::spectral) {
        const double largest = largest_singular_value(features, threads);
        scaling.divisors = {largest > 0 ? largest : 1};
    }
    return scaling;
}

template <class Real>
void apply_scaling(Features<Real>& features, const Scaling& scaling, int threads) {
    const auto divisors = static_cast<Index>(scaling.divisors.size());
    const bool dense = std::holds_alternative<DenseFeatures<Real>>(features);
    // Sparse data may lack features at the end: they are zero.
    if (scaling.kind == Normalization::columns &&
        (cols(features) > divisors || (dense && cols(features) < divisors)))
        throw Error(fmt::format("the data have {} features, the scaling was measured on {}", cols(features),
                                divisors));
    if (scaling.kind == Normalization::spectral && divisors != 1)
        throw Error(fmt::format("a spectral scaling has one divisor, not {}", divisors));
    std::visit([&](auto& f) { scale(f, scaling, resolve_threads(threads)); }, features);
}

template Scaling measure_scaling(const Features<float>& features, Normalization kind, int threads);
template Scaling measure_scaling(const Features<double>& features, Normalization kind, int threads);
template void apply_scaling(Features<float>& features, const Scaling& scaling, int threads);
template void apply_scaling(Features<double>& features, const Scaling& scaling, int threads);

}  // namespace alfcg

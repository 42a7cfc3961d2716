#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/parallel.hpp"

/// Long passes over a gradient, shared among threads.
namespace alfcg {

/// part(first, last) for every part of 0 .. n-1, put together by merge(a, b) in order: the result depends on
/// the number of threads only.
template <class Part, class Merge>
auto combine(Index n, int threads, const Part& part, const Merge& merge) {
    const int parts = parts_of(n, threads);
    if (parts == 1) return part(0, n);
    std::vector<decltype(part(0, n))> results(static_cast<std::size_t>(parts));
    parallel(parts, [&](int k) {
        const auto [first, last] = range_of_part(n, k, parts);
        results[static_cast<std::size_t>(k)] = part(first, last);
    });
    auto total = results.front();
    for (std::size_t k = 1; k < results.size(); ++k) total = merge(total, results[k]);
    return total;
}

/// What merges the largest magnitudes of parts: NaN when one of them is.
inline double larger_or_nan(double a, double b) {
    return std::isnan(a) || b <= a ? a : b;
}

}  // namespace alfcg

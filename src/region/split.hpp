#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/parallel.hpp"

/// Long passes over a gradient, shared among threads.
namespace alfcg::region {

/// Entries that keep a thread busy for several times what waking it costs.
inline constexpr Index entries_per_thread = Index{1} << 16;

/// Into how many parts work of this many entries is divided.
inline int parts_of(Index entries, int threads) {
    return static_cast<int>(std::clamp<Index>(entries / entries_per_thread, 1, threads));
}

/// part(first, last) for every part of 0 .. n-1, put together by merge(a, b) in order: the result depends on
/// the number of threads only.
template <class Part, class Merge>
auto combine(Index n, int threads, const Part& part, const Merge& merge) {
    const int parts = parts_of(n, threads);
    if (parts == 1) return part(0, n);
    std::vector<decltype(part(0, n))> results(static_cast<std::size_t>(parts));
    parallel(parts, [&](int k) {
        const auto [first, last] = share(n, k, parts);
        results[static_cast<std::size_t>(k)] = part(first, last);
    });
    auto total = results.front();
    for (std::size_t k = 1; k < results.size(); ++k) total = merge(total, results[k]);
    return total;
}

/// part(first, last) for every part of 0 .. n-1.
template <class Part>
void for_each_part(Index n, int threads, const Part& part) {
    const int parts = parts_of(n, threads);
    parallel(parts, [&](int k) {
        const auto [first, last] = share(n, k, parts);
        part(first, last);
    });
}

/// What merges the largest magnitudes of parts: NaN when one of them is.
inline double larger_or_nan(double a, double b) {
    return std::isnan(a) || b <= a ? a : b;
}

}  // namespace alfcg::region

#pragma once

#include <algorithm>
#include <utility>

#include "alfcg/core/matrix.hpp"
#include "core/team.hpp"
#include "core/threads.hpp"

namespace alfcg {

/// Into how many parts work is divided, none of them smaller than `least`: a part must take several times as long as
/// waking a thread, and more threads than that would only be in each other's way.
inline int parts_of(Index work, Index least, int threads) {
    return static_cast<int>(std::clamp<Index>(work / least, 1, threads));
}

/// The same for one pass over so many entries, a few operations for each.
inline int parts_of(Index entries, int threads) {
    return parts_of(entries, Index{1} << 16, threads);
}

/// Runs body(part) once for part = 0 .. parts-1, on as many threads as far as that helps; no part may wait for another.
/// The body must not throw.
template <class Body>
void parallel(int parts, const Body& body) {
    if (parts <= 1) {
        body(0);
        return;
    }
    Team::mine().run(parts, parts, [&](int part, int /*item*/, int /*next*/) { body(part); });
}

/// The half-open range [first, last) of `count` items that falls to `part` of `parts`; fixed for given
/// arguments, so that results depend on the thread count only.
inline std::pair<Index, Index> range_of_part(Index count, int part, int parts) {
    return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace alfcg

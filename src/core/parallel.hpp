#pragma once

#include <utility>

#include "alfcg/core/matrix.hpp"
#include "core/team.hpp"
#include "core/threads.hpp"

namespace alfcg {

/// Runs body(thread) once on each of `threads` threads, thread = 0 .. threads-1. The body must not throw.
template <class Body>
void parallel(int threads, const Body& body) {
    if (threads <= 1) {
        body(0);
        return;
    }
    Team::mine().run(threads, body);
}

/// The half-open range [first, last) of `count` items that falls to `part` of `parts`; fixed for given
/// arguments, so that results depend on the thread count only.
inline std::pair<Index, Index> share(Index count, int part, int parts) {
    return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace alfcg

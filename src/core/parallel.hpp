#pragma once

#include <omp.h>

#include <utility>
#ifdef __SANITIZE_THREAD__
#include <thread>
#include <vector>
#endif

#include "alfcg/core/matrix.hpp"
#include "core/threads.hpp"

namespace alfcg {

/// Runs body(thread) once on each of `threads` threads, thread = 0 .. threads-1. The body must not throw.
template <class Body>
void parallel(int threads, const Body& body) {
    if (threads <= 1) {
        body(0);
        return;
    }
#ifdef __SANITIZE_THREAD__
    // The thread sanitizer cannot see into OpenMP's runtime and would report its barriers as races.
    std::vector<std::thread> others;
    for (int part = 1; part < threads; ++part) others.emplace_back([&body, part] { body(part); });
    body(0);
    for (std::thread& other : others) other.join();
#else
#pragma omp parallel num_threads(threads)
    {
        // The runtime may give fewer threads than asked; every part of the work is still done.
        for (int part = omp_get_thread_num(); part < threads; part += omp_get_num_threads()) body(part);
    }
#endif
}

/// The half-open range [first, last) of `count` items that falls to `part` of `parts`; fixed for given
/// arguments, so that results depend on the thread count only.
inline std::pair<Index, Index> share(Index count, int part, int parts) {
    return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace alfcg

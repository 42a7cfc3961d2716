#include "core/threads.hpp"

#include <thread>
#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>

namespace alfcg {

namespace {

int cores() {
#ifdef __linux__
    cpu_set_t ours;
    if (sched_getaffinity(0, sizeof ours, &ours) == 0) return CPU_COUNT(&ours);
#endif
    return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int resolve_threads(int threads) {
    return threads > 0 ? threads : std::max(1, cores());
}

}  // namespace alfcg

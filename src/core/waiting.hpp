#pragma once

#include <hwy/cache_control.h>

#include <atomic>

namespace alfcg {

/// Waits until a counter is no longer what it was: awake at first (0.15 ms on the CPU this was tuned on), then asleep;
/// without stepping aside (sched_yield) in between, after which even a process of low priority may keep the core for
/// milliseconds. Whoever changes the counter must notify.
template <class Count>
void await_change(const std::atomic<Count>& counter, Count was) {
    constexpr int awake = 6000;  // looks
    for (int look = 0; look < awake; ++look) {
        if (counter.load(std::memory_order_acquire) != was) return;
        hwy::Pause();
    }
    counter.wait(was, std::memory_order_acquire);
}

}  // namespace alfcg

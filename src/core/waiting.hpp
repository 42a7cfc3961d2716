#pragma once

#include <hwy/cache_control.h>

#include <atomic>
#include <thread>

namespace alfcg {

/// Waits until a counter is no longer what it was: awake at first (0.15 ms on the CPU this was tuned on); then stepping
/// aside for other threads (0.25 ms); at last asleep. Whoever changes the counter must notify.
template <class Count>
void await_change(const std::atomic<Count>& counter, Count was) {
    constexpr int awake = 6000;  // looks
    constexpr int aside = 500;
    for (int look = 0; look < awake + aside; ++look) {
        if (counter.load(std::memory_order_acquire) != was) return;
        if (look < awake) {
            hwy::Pause();
        } else {
            std::this_thread::yield();
        }
    }
    counter.wait(was, std::memory_order_acquire);
}

}  // namespace alfcg

#include "cli/interrupt.hpp"

#include <atomic>
#include <cstddef>

namespace alfcg::cli {

namespace {

// A signal handler can reach nothing but a global; several threads look at it.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int /*signal*/) {
    interrupted = true;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted = false;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t k = 0; k < signals.size(); ++k) {
        sigaction(signals[k], nullptr, &before_[k]);
        if (before_[k].sa_handler != SIG_IGN) sigaction(signals[k], &action, nullptr);
    }
}

InterruptGuard::~InterruptGuard() {
    for (std::size_t k = 0; k < signals.size(); ++k) sigaction(signals[k], &before_[k], nullptr);
}

bool InterruptGuard::asked() {
    return interrupted;
}

}  // namespace alfcg::cli

#include "cli/interrupt.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace alfcg::cli {

namespace {

// A signal handler can reach nothing but a global; several threads look at it.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array<int, 2> signals{SIGINT, SIGTERM};

void on_signal(int /*signal*/) {
    interrupted = true;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted = false;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : signals) sigaction(signal, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
    for (const int signal : signals) std::signal(signal, SIG_DFL);
}

bool InterruptGuard::asked() {
    return interrupted;
}

}  // namespace alfcg::cli

#include "cli/interrupt.hpp"

#include <array>
#include <csignal>

namespace alfcg::cli {

namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t interrupted = 0;

constexpr std::array<int, 2> signals{SIGINT, SIGTERM};

void on_signal(int /*signal*/) {
    interrupted = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted = 0;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : signals) sigaction(signal, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
    for (const int signal : signals) std::signal(signal, SIG_DFL);
}

bool InterruptGuard::asked() {
    return interrupted != 0;
}

}  // namespace alfcg::cli

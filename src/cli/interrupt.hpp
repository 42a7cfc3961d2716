#pragma once

#include <signal.h>

#include <array>

namespace alfcg::cli {

/// While it lives, the first Ctrl-C (or SIGTERM, or SIGHUP of a terminal that is closed) only asks for an end; a second one ends
/// the program at once. A signal that the caller has the program ignore (nohup) stays ignored.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] static bool asked();

  private:
    static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

    std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace alfcg::cli

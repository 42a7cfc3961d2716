#pragma once

namespace alfcg::cli {

/// While it lives, the first Ctrl-C (or SIGTERM) only asks for an end; a second one ends the program at once.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] static bool asked();
};

}  // namespace alfcg::cli

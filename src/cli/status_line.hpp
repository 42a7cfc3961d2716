#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

#include "cli/terminal.hpp"

namespace alfcg::cli {

/// One line for a whole series of runs: how many are done, what is running, and the time left. Kept up to date in place
/// on a terminal; elsewhere a plain line now and then.
class StatusLine {
  public:
    /// out = nullptr: says nothing.
    StatusLine(std::FILE* out, std::size_t total);

    /// `done` of the total are finished; `now` is about to run. The others will take as long as these did.
    void show(std::size_t done, const std::string& now);
    /// The same with what is known about the time left.
    void show(std::size_t done, const std::string& now, std::optional<double> seconds_left);
    /// Makes room for a line that stays.
    void clear() { line_.clear(); }

  private:
    using Clock = std::chrono::steady_clock;
    std::FILE* out_;
    std::size_t total_;
    LiveLine line_;
    Clock::time_point start_;
    Clock::time_point last_;
};

/// "12.3 s", "4 min 05 s", "2 h 10 min".
std::string duration(double seconds);

}  // namespace alfcg::cli

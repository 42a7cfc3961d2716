#pragma once

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "alfcg/solve/solve.hpp"
#include "cli/gap_forecast.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

/// Prints a run: a row at iterations 1, 2, 4, 8, … and at the end; on a terminal as many columns as fit, and a line that is kept
/// up to date with the rate and the time left.
class Progress {
  public:
    static constexpr int fields = 6;  // of a row

    Progress(std::FILE* out, const Limits& limits);

    template <class Real>
    void show(const Snapshot<Real>& snapshot);

    /// Which row comes next.
    void archive(Archive& state) { state(next_row_); }

  private:
    using Clock = std::chrono::steady_clock;

    void print_row(const std::array<std::string, fields>& cells);
    void live_line(Index iteration, double epochs, double seconds);
    [[nodiscard]] std::optional<double> seconds_left(Index iteration, double epochs, double seconds) const;
    /// The gap that ends the run, as far as it is known; 0: none does.
    [[nodiscard]] double wanted_gap() const;

    std::FILE* out_;
    const Limits& limits_;
    LiveLine line_;
    bool header_printed_ = false;
    std::array<bool, fields> shown_{};
    Index next_row_ = 1;
    Clock::time_point start_;
    Clock::time_point last_line_;
    std::optional<Metrics> latest_;
    GapForecast forecast_;
    // Where the run was when it was first seen: one that goes on from a checkpoint has come some way already.
    struct Begun {
        Index iteration = 0;
        double epochs = 0;
        double seconds = 0;
    };
    std::optional<Begun> begun_;
};

}  // namespace alfcg::cli

#include "cli/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "cli/status_line.hpp"

namespace alfcg::cli {

Progress::Progress(std::FILE* out, const Limits& limits)
    : out_(out), limits_(limits), line_(out), start_(Clock::now()), last_line_(start_) {}

std::optional<double> Progress::seconds_left(Index iteration, double epochs, double seconds) const {
    std::optional<double> left;
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const auto consider = [&](double done, double budget) {
        if (done <= 0 || !std::isfinite(budget)) return;
        const double remaining = elapsed * std::max(0.0, budget / done - 1);
        if (!left || remaining < *left) left = remaining;
    };
    if (limits_.max_iterations < std::numeric_limits<Index>::max()) {
        consider(static_cast<double>(iteration), static_cast<double>(limits_.max_iterations));
    }
    consider(epochs, limits_.max_epochs);
    consider(seconds, limits_.max_seconds);
    return left;
}

void Progress::live_line(Index iteration, double epochs, double seconds) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const auto left = seconds_left(iteration, epochs, seconds);
    std::vector<std::string> pieces{
        fmt::format("iteration {}", iteration), fmt::format("{:.1f} epochs", epochs),
        duration(elapsed) + (left ? fmt::format(", {} left", duration(*left)) : std::string())};
    if (latest_) {
        pieces.push_back(fmt::format("gap {:.3g}", latest_->gap));
        pieces.push_back(fmt::format("objective {:.6g}", latest_->objective));
    }
    pieces.push_back(fmt::format("{:.0f} iterations/s", static_cast<double>(iteration) / elapsed));
    line_.show(pieces);
}

template <class Real>
void Progress::show(const Snapshot<Real>& snapshot) {
    const bool row = snapshot.last || snapshot.iteration >= next_row_;
    if (row || snapshot.metrics_free()) latest_ = snapshot.metrics();
    if (row) {
        line_.clear();
        if (!header_printed_) {
            put(out_, fmt::format("{:>10} {:>10} {:>10} {:>14} {:>12} {:>10}\n", "iteration", "epochs",
                                  "seconds", "objective", "gap", "step"));
            header_printed_ = true;
        }
        const std::string step = snapshot.step ? fmt::format("{:.3g}", *snapshot.step) : "";
        const std::string line =
            fmt::format("{:>10} {:>10.4g} {:>10.3f} {:>14.8g} {:>12.4g} {:>10}", snapshot.iteration,
                        snapshot.epochs, snapshot.seconds, latest_->objective, latest_->gap, step);
        put(out_, line.substr(0, line.find_last_not_of(' ') + 1) + "\n");
        std::fflush(out_);
        while (next_row_ <= snapshot.iteration) next_row_ *= 2;
        return;
    }
    if (!line_.on_terminal()) return;
    const auto time = Clock::now();
    if (time - last_line_ < std::chrono::milliseconds(100)) return;
    last_line_ = time;
    live_line(snapshot.iteration, snapshot.epochs, snapshot.seconds);
}

template void Progress::show(const Snapshot<float>&);
template void Progress::show(const Snapshot<double>&);

}  // namespace alfcg::cli

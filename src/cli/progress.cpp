#include "cli/progress.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "cli/status_line.hpp"

namespace alfcg::cli {

namespace {

struct Field {
    std::size_t width;
    int importance;  // what is less important is left out first
};
// iteration, epochs, seconds, objective, gap, step
constexpr std::array<Field, Progress::fields> layout{{{10, 5}, {10, 2}, {10, 1}, {14, 4}, {12, 3}, {10, 0}}};

// The fields that fit, side by side, into `width` columns; one in any case.
std::array<bool, Progress::fields> shown_fields(std::size_t width) {
    std::array<bool, Progress::fields> shown{};
    std::size_t used = 0;
    for (int importance = Progress::fields - 1; importance >= 0; --importance)
        for (std::size_t k = 0; k < layout.size(); ++k) {
            if (layout[k].importance != importance) continue;
            const std::size_t needed = used + (used == 0 ? 0 : 1) + layout[k].width;
            if (used > 0 && needed > width) return shown;
            shown[k] = true;
            used = needed;
        }
    return shown;
}

}  // namespace

Progress::Progress(std::FILE* out, const Limits& limits)
    : out_(out), limits_(limits), line_(out), start_(Clock::now()), last_line_(start_) {}

std::optional<double> Progress::seconds_left(Index iteration, double epochs, double seconds) const {
    std::optional<double> left;
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const Begun begun = begun_.value_or(Begun{});
    const auto consider = [&](double from, double done, double budget) {
        if (done <= from || !std::isfinite(budget)) return;
        const double remaining = elapsed * std::max(0.0, (budget - done) / (done - from));
        if (!left || remaining < *left) left = remaining;
    };
    if (limits_.max_iterations < std::numeric_limits<Index>::max()) {
        consider(static_cast<double>(begun.iteration), static_cast<double>(iteration),
                 static_cast<double>(limits_.max_iterations));
    }
    consider(begun.epochs, epochs, limits_.max_epochs);
    consider(begun.seconds, seconds, limits_.max_seconds);
    return left;
}

double Progress::wanted_gap() const {
    const double share = latest_ ? limits_.tolerance * std::abs(latest_->objective) : 0;
    return std::max(limits_.gap.value_or(0), share);
}

void Progress::live_line(Index iteration, double epochs, double seconds) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const auto left = seconds_left(iteration, epochs, seconds);
    std::vector<std::string> pieces{
        fmt::format("iteration {}", iteration), fmt::format("{:.1f} epochs", epochs),
        duration(elapsed) + (left ? fmt::format(", {} left", duration(*left)) : std::string())};
    if (const auto more = forecast_.seconds_to(wanted_gap()))
        pieces.push_back(fmt::format("about {} to the gap", duration(*more)));
    if (latest_) {
        pieces.push_back(fmt::format("gap {:.3g}", latest_->gap));
        pieces.push_back(fmt::format("objective {:.6g}", latest_->objective));
    }
    pieces.push_back(fmt::format("{:.0f} iterations/s", static_cast<double>(iteration) / elapsed));
    line_.show(pieces);
}

void Progress::print_row(const std::array<std::string, fields>& cells) {
    std::string row;
    for (std::size_t k = 0; k < cells.size(); ++k)
        if (shown_[k]) row += fmt::format("{}{:>{}}", row.empty() ? "" : " ", cells[k], layout[k].width);
    put(out_, row.substr(0, row.find_last_not_of(' ') + 1) + "\n");
}

template <class Real>
void Progress::show(const Snapshot<Real>& snapshot) {
    const bool row = snapshot.last || snapshot.iteration >= next_row_;
    if (!begun_) begun_ = {snapshot.iteration, snapshot.epochs, snapshot.seconds};
    if (row || snapshot.metrics_free()) {
        latest_ = snapshot.metrics();
        forecast_.see(snapshot.seconds, latest_->gap);
    }
    if (row) {
        line_.clear();
        if (!header_printed_) {
            shown_ = shown_fields(room_of(out_));
            print_row({"iteration", "epochs", "seconds", "objective", "gap", "step"});
            header_printed_ = true;
        }
        print_row({fmt::format("{}", snapshot.iteration), fmt::format("{:.4g}", snapshot.epochs),
                   fmt::format("{:.3f}", snapshot.seconds), fmt::format("{:.8g}", latest_->objective),
                   fmt::format("{:.4g}", latest_->gap),
                   snapshot.step ? fmt::format("{:.3g}", *snapshot.step) : std::string()});
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

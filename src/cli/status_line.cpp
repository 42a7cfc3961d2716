#include "cli/status_line.hpp"

#include <fmt/format.h>

namespace alfcg::cli {

std::string duration(double seconds) {
    if (seconds < 100) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long>(seconds);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

StatusLine::StatusLine(std::FILE* out, std::size_t total)
    : out_(out), total_(total), line_(out), start_(Clock::now()), last_(start_ - std::chrono::hours(1)) {}

void StatusLine::show(std::size_t done, const std::string& now) {
    std::optional<double> left;
    if (done > 0)
        left = std::chrono::duration<double>(Clock::now() - start_).count() *
               static_cast<double>(total_ - done) / static_cast<double>(done);
    show(done, now, left);
}

void StatusLine::show(std::size_t done, const std::string& now, std::optional<double> seconds_left) {
    if (out_ == nullptr) return;
    const auto time = Clock::now();
    if (time - last_ <
        (line_.on_terminal() ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000)))
        return;
    last_ = time;
    std::string count = fmt::format("{} of {} runs", done, total_);
    if (seconds_left) count += fmt::format(", about {} left", duration(*seconds_left));
    line_.show({count, now});
    if (!line_.on_terminal()) put(out_, count + "  " + now + "\n");
}

}  // namespace alfcg::cli

#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

std::string cell(const std::optional<double>& value) {
    return value ? fmt::format("{:.17g}", *value) : std::string();
}

// Share of a budget that is spent; 0 for one that was not set.
double share_of(double spent, double budget) {
    return std::isfinite(budget) && budget > 0 ? spent / budget : 0;
}

}  // namespace

template <class Real>
TraceRow trace_row(const Snapshot<Real>& snapshot) {
    const Metrics& metrics = snapshot.metrics();
    return {snapshot.iteration, snapshot.epochs,    snapshot.seconds, metrics.objective, metrics.gap,
            snapshot.step,      snapshot.curvature, snapshot.alpha,   metrics.error};
}

std::string trace_line(const TraceRow& row) {
    return fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g},{},{},{},{}\n", row.iteration, row.epochs,
                       row.seconds, row.objective, row.gap, cell(row.step), cell(row.curvature),
                       cell(row.alpha), cell(row.error));
}

std::string trace_text(const std::vector<TraceRow>& rows) {
    std::string text(trace_header);
    for (const TraceRow& row : rows) text += trace_line(row);
    return text;
}

std::vector<TraceRow> parse_trace(std::string_view text, const std::string& file) {
    if (!text.starts_with(trace_header)) throw InputError(file, 1, "not a trace file of alfcg");
    text.remove_prefix(trace_header.size());
    std::vector<TraceRow> rows;
    for (std::int64_t line = 2; !text.empty(); ++line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) throw InputError(file, line, "the last line is incomplete");
        std::array<std::optional<double>, 9> cells;
        const char* at = text.data();
        const char* const stop = text.data() + end;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const char* comma = std::find(at, stop, ',');
            double number = 0;
            if (comma != at) {
                const auto [rest, error] = std::from_chars(at, comma, number);
                if (error != std::errc() || rest != comma)
                    throw InputError(file, line, "not a number in a trace");
                cells[k] = number;
            }
            if ((comma == stop) != (k + 1 == cells.size()) || (k < 5 && !cells[k])) {
                throw InputError(file, line, "a trace row has nine columns, the first five filled");
            }
            at = comma + (comma == stop ? 0 : 1);
        }
        rows.push_back({static_cast<Index>(*cells[0]), *cells[1], *cells[2], *cells[3], *cells[4], cells[5],
                        cells[6], cells[7], cells[8]});
        text.remove_prefix(end + 1);
    }
    if (rows.empty()) throw InputError(file, 0, "a trace without rows");
    return rows;
}

bool TraceSampler::wants(Index iteration, double epochs, double seconds, bool last) {
    const auto budget = limits_.max_iterations < std::numeric_limits<Index>::max()
                            ? static_cast<double>(limits_.max_iterations)
                            : std::numeric_limits<double>::infinity();
    const double progress =
        std::max({share_of(static_cast<double>(iteration), budget), share_of(epochs, limits_.max_epochs),
                  share_of(seconds, limits_.max_seconds)});
    if (!last && progress < next_) return false;
    // Steps of a fifth of what has passed until they reach the even distance.
    next_ = progress + std::min(1 / points_, std::max(0.2 * progress, 0.02 / points_));
    return true;
}

template TraceRow trace_row(const Snapshot<float>&);
template TraceRow trace_row(const Snapshot<double>&);

}  // namespace alfcg

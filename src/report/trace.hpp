#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/solve/solve.hpp"

namespace alfcg {

/// One row of a trace: what is known of iterate t.
struct TraceRow {
    Index iteration = 0;
    double epochs = 0;
    double seconds = 0;
    double objective = 0;
    double gap = 0;
    std::optional<double> step;
    std::optional<double> curvature;
    std::optional<double> alpha;
    std::optional<double> error;

    void archive(Archive& state) {
        state(iteration, epochs, seconds, objective, gap, step, curvature, alpha, error);
    }
};

inline constexpr std::string_view trace_header =
    "iteration,epochs,seconds,objective,gap,step,curvature,alpha,error\n";

template <class Real>
TraceRow trace_row(const Snapshot<Real>& snapshot);

/// The row as a line of a trace file: numbers in seventeen significant digits, empty where there is none.
std::string trace_line(const TraceRow& row);

/// A whole trace file, and back. Reading throws Error when the text is not one.
std::string trace_text(const std::vector<TraceRow>& rows);
std::vector<TraceRow> parse_trace(std::string_view text, const std::string& file);

/// Chooses which iterates of a long run to look at: close together at first, then evenly, about `points` in all. What
/// counts as progress is the largest share of a budget that is spent.
class TraceSampler {
  public:
    TraceSampler(const Limits& limits, double points) : limits_(limits), points_(points) {}
    bool wants(Index iteration, double epochs, double seconds, bool last);

  private:
    const Limits& limits_;
    double points_;
    double next_ = 0;
};

}  // namespace alfcg

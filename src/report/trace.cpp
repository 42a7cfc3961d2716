#include "report/trace.hpp"

#include <fmt/format.h>

namespace alfcg {

namespace {

std::string cell(const std::optional<double>& value) {
    return value ? fmt::format("{:.17g}", *value) : std::string();
}

}  // namespace

template <class Real>
std::string trace_row(const Snapshot<Real>& snapshot) {
    const Metrics& metrics = snapshot.metrics();
    return fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g},{},{},{},{}\n", snapshot.iteration,
                       snapshot.epochs, snapshot.seconds, metrics.objective, metrics.gap, cell(snapshot.step),
                       cell(snapshot.curvature), cell(snapshot.alpha), cell(metrics.error));
}

template std::string trace_row(const Snapshot<float>&);
template std::string trace_row(const Snapshot<double>&);

}  // namespace alfcg

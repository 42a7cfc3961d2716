// A panel of a report, read from its JSON form and checked.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace alfcg {

/// One run's curves, of one length; NaN where there is no value, empty where the run has none at all.
struct ReportRun {
    std::string seed;
    std::string status;
    std::vector<double> iterations;
    std::vector<double> epochs;
    std::vector<double> seconds;
    std::vector<double> suboptimality;  // objective minus the panel's best
    std::vector<double> gap;
    std::vector<double> error;

    /// By name: "iterations", "epochs" or "seconds"; "suboptimality", "gap" or "error".
    [[nodiscard]] const std::vector<double>& values(std::string_view name) const;
};

struct ReportCurve {
    std::string method;
    std::vector<ReportRun> runs;
};

struct ReportPanel {
    /// Throws Error when something is missing or arrays do not fit together; the schema is in page.hpp.
    explicit ReportPanel(const nlohmann::json& panel);

    std::string title;
    double best = 0;
    std::vector<ReportCurve> curves;
};

/// What the name of a quantity must be, and how an axis calls it; throws Error for another name.
void require_quantity(std::string_view quantity);
void require_axis(std::string_view axis);
std::string_view quantity_label(std::string_view quantity);

}  // namespace alfcg

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/comparison.hpp"
#include "report/verdict.hpp"

namespace alfcg {

/// The scale that the paper gives its methods, as it prints it.
inline constexpr const char* printed_rho = "1e-5";

/// One panel of the paper's figures 1 to 6.
struct PaperPanel {
    int figure = 1;
    char letter = 'a';
    std::string region;   // "nuclear", or "lp" (with p = 3)
    std::string setting;  // deterministic, finite-sum, expectation
    std::string data;     // "randn" or "mnist"
    double radius = 1;

    /// The problem, without the methods: panels of different settings share it.
    [[nodiscard]] std::string problem() const;
};

/// The panels in the paper's arrangement. Figure 7 shows runs of figures 3 and 6: it needs their panels.
std::vector<PaperPanel> paper_panels(int figure);

/// Finished runs by panel.
struct PanelRuns {
    PaperPanel panel;
    std::string title;
    std::vector<RunRecord> runs;  // empty: skipped
    std::string note;             // why
    bool asked = true;            // false: its figure was not asked for, it only serves figure 7

    [[nodiscard]] bool judged() const { return asked && !runs.empty(); }
    /// At the end of the budget, and at equal time.
    [[nodiscard]] Verdict by_epochs() const { return judge(panel.setting, runs); }
    [[nodiscard]] Verdict by_time() const { return judge(panel.setting, at_equal_time(runs)); }
};

/// The figures of the page, in the paper's arrangement; figure 7 is made from the runs of the others.
nlohmann::json figure_json(int figure, const std::vector<PanelRuns>& panels);
/// Panels x settings: the rank of the ALFCG method, and whether the claim held, by epochs and by time.
nlohmann::json verdict_table(const std::vector<PanelRuns>& panels);
/// The same as data.
nlohmann::json verdict_summary(const std::vector<PanelRuns>& panels);

}  // namespace alfcg

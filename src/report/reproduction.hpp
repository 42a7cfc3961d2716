#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/comparison.hpp"

namespace alfcg {

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

/// What became of the paper's claim for a setting (its section "Results and Discussions") on one panel.
struct Verdict {
    enum class Outcome { held, partly, tied, failed };
    Outcome outcome = Outcome::failed;
    int rank = 0;        // of the best ALFCG method, 1 is best
    int methods = 0;     // that took part
    std::string ours;    // that ALFCG method
    std::string best;    // the method with the lowest final objective
    double score = 0;    // of ours: (F_end − F_best)/(F_0 − F_best)
    std::string reason;  // in words
};
std::string_view to_text(Verdict::Outcome outcome);

/// deterministic: alfcg-d comparable to both searches (score at most 0.05 above the better one) and below the four other
/// baselines. finite-sum: alfcg-fs best, or within 0.01 of it in score. expectation: alfcg-mvr1 and -mvr2 below every rival.
/// Everything within 0.01 in score is a tie: the panel cannot tell.
Verdict judge(const std::string& setting, const std::vector<RunRecord>& runs);

/// Finished runs by panel.
struct PanelRuns {
    PaperPanel panel;
    std::string title;
    std::vector<RunRecord> runs;  // empty: skipped
    std::string note;             // why
    bool asked = true;            // false: its figure was not asked for, it only serves figure 7

    [[nodiscard]] bool judged() const { return asked && !runs.empty(); }
};

/// The figures of the page, in the paper's arrangement; figure 7 is made from the runs of the others.
nlohmann::json figure_json(int figure, const std::vector<PanelRuns>& panels);
/// Panels x settings: the rank of the ALFCG method, and whether the claim held.
nlohmann::json verdict_table(const std::vector<PanelRuns>& panels);
/// The same as data.
nlohmann::json verdict_summary(const std::vector<PanelRuns>& panels);

}  // namespace alfcg

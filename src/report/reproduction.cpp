#include "report/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg {

namespace {

constexpr std::array<double, 4> radii{10, 100, 1, 1000};  // in the paper's order
const std::array<std::string, 3> settings{"deterministic", "finite-sum", "expectation"};

std::string region_title(const std::string& region) {
    return region == "nuclear" ? "nuclear ball" : "l_3 ball";
}

nlohmann::json marked(Verdict::Outcome outcome) {
    using enum Verdict::Outcome;
    return {{"text", to_text(outcome)},
            {"mark", outcome == held     ? "good"
                     : outcome == failed ? "bad"
                                         : "neutral"}};
}

nlohmann::json verdict_json(const Verdict& verdict) {
    return {{"rank", verdict.rank},    {"methods", verdict.methods}, {"ours", verdict.ours},
            {"best", verdict.best},    {"score", verdict.score},     {"claim", to_text(verdict.outcome)},
            {"reason", verdict.reason}};
}

}  // namespace

std::string PaperPanel::problem() const {
    return fmt::format("{}-{}-r{}", data, region == "nuclear" ? "nuclear" : "l3", format_number(radius));
}

std::vector<PaperPanel> paper_panels(int figure) {
    if (figure < 1 || figure > 7)
        throw Error(fmt::format("there is no figure {}: the paper has 1 to 7", figure));
    if (figure == 7) {
        auto panels = paper_panels(3);
        for (const PaperPanel& panel : paper_panels(6)) panels.push_back(panel);
        return panels;
    }
    std::vector<PaperPanel> panels;
    for (const double radius : radii)
        for (const char* data : {"randn", "mnist"}) {
            panels.push_back({figure, static_cast<char>('a' + panels.size()), figure <= 3 ? "nuclear" : "lp",
                              settings[static_cast<std::size_t>((figure - 1) % 3)], data, radius});
        }
    return panels;
}

nlohmann::json figure_json(int figure, const std::vector<PanelRuns>& panels) {
    using nlohmann::json;
    json list = json::array();
    if (figure <= 6) {
        for (const PanelRuns& panel : panels) {
            if (panel.panel.figure != figure) continue;
            if (panel.runs.empty()) {
                list.push_back({{"title", panel.title}, {"note", panel.note}, {"curves", json::array()}});
            } else {
                list.push_back(panel_of(panel.title, panel.runs));
            }
        }
        const PaperPanel sample = paper_panels(figure).front();
        return {{"title", fmt::format("Figure {}: {}, {} setting", figure, region_title(sample.region),
                                      sample.setting)},
                {"columns", 4},
                {"panels", list}};
    }
    // One panel per region and data set, one curve per radius, all of alfcg-mvr2.
    char letter = 'a';
    for (const char* region : {"nuclear", "lp"})
        for (const char* data : {"randn", "mnist"}) {
            json curves = json::array();
            std::string note;
            for (const PanelRuns& panel : panels) {
                if (panel.panel.region != region || panel.panel.data != data ||
                    panel.panel.setting != "expectation") {
                    continue;
                }
                note = panel.note;
                std::vector<RunRecord> own;
                for (const RunRecord& run : panel.runs)
                    if (run.method == "alfcg-mvr2") own.push_back(run);
                if (own.empty()) continue;
                json curve = panel_of("", own)["curves"][0];
                curve["method"] = "radius " + format_number(panel.panel.radius);
                curve["emphasis"] = false;
                curves.push_back(curve);
            }
            json entry{{"title", fmt::format("({}) {}, {}", letter++, data, region_title(region))},
                       {"curves", curves}};
            if (curves.empty()) entry["note"] = note;
            list.push_back(entry);
        }
    return {{"title", "Figure 7: squared estimator error of alfcg-mvr2"},
            {"quantity", "error"},
            {"columns", 4},
            {"panels", list}};
}

nlohmann::json verdict_table(const std::vector<PanelRuns>& panels) {
    using nlohmann::json;
    json rows = json::array();
    for (const PanelRuns& panel : panels) {
        if (!panel.judged()) continue;
        const Verdict by_epochs = panel.by_epochs();
        const Verdict by_time = panel.by_time();
        rows.push_back(
            json::array({fmt::format("{} ({})", panel.panel.figure, panel.panel.letter), panel.panel.setting,
                         panel.title.substr(4), fmt::format("{} of {}", by_epochs.rank, by_epochs.methods),
                         by_epochs.ours, by_epochs.best, by_epochs.score, marked(by_epochs.outcome),
                         by_epochs.reason, by_time.best, by_time.score, marked(by_time.outcome)}));
    }
    return {{"title", "Did the paper's claims hold?"},
            {"columns",
             {{{"name", "panel"}, {"type", "text"}},
              {{"name", "setting"}, {"type", "text"}},
              {{"name", "problem"}, {"type", "text"}},
              {{"name", "rank"}, {"type", "text"}},
              {{"name", "ALFCG method"}, {"type", "method"}},
              {{"name", "best method"}, {"type", "method"}},
              {{"name", "score"}, {"type", "number"}, {"digits", 3}},
              {{"name", "claim"}, {"type", "text"}},
              {{"name", "why"}, {"type", "text"}},
              {{"name", "best by time"}, {"type", "method"}},
              {{"name", "score by time"}, {"type", "number"}, {"digits", 3}},
              {{"name", "claim by time"}, {"type", "text"}}}},
            {"rows", rows},
            {"note",
             "Score of the better ALFCG method: (F_end - F_best)/(F_0 - F_best), 0 is best; means over the "
             "seeds. Deterministic claim: at least comparable to the two searches (score at most 0.05 above "
             "the better one) and below the four other baselines. Finite-sum claim: best, or within 0.01. "
             "Expectation claim: both variants below every rival. Tie: every method within 0.01, the panel "
             "cannot tell. By time: the same, with what every method has when the first of them has spent "
             "its budget, by CPU time."}};
}

nlohmann::json verdict_summary(const std::vector<PanelRuns>& panels) {
    nlohmann::json list = nlohmann::json::array();
    for (const PanelRuns& panel : panels) {
        if (!panel.judged()) continue;
        nlohmann::json entry = verdict_json(panel.by_epochs());
        entry["figure"] = panel.panel.figure;
        entry["panel"] = std::string(1, panel.panel.letter);
        entry["problem"] = panel.panel.problem();
        entry["setting"] = panel.panel.setting;
        entry["by_time"] = verdict_json(panel.by_time());
        entry["by_time"]["seconds"] = at_equal_time(panel.runs).front().last().seconds;
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace alfcg

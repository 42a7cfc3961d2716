#include "report/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg {

namespace {

constexpr double tie = 0.01;
constexpr double comparable = 0.05;
constexpr std::array<double, 4> radii{10, 100, 1, 1000};  // in the paper's order
const std::array<std::string, 3> settings{"deterministic", "finite-sum", "expectation"};

std::string region_title(const std::string& region) {
    return region == "nuclear" ? "nuclear ball" : "l_3 ball";
}

// Final objective and score of every method.
struct Scores {
    explicit Scores(const std::vector<RunRecord>& runs) : ranking(rank_runs(runs)) {
        start = runs.front().trace.front().objective;
        best = ranking.front().objective;
    }
    [[nodiscard]] const Ranked& of(const std::string& method) const {
        for (const Ranked& entry : ranking)
            if (entry.method == method) return entry;
        throw Error("the verdict needs a run of " + method);
    }
    // Equal objectives share a rank.
    [[nodiscard]] int rank(const Ranked& entry) const {
        return 1 + static_cast<int>(std::count_if(ranking.begin(), ranking.end(), [&](const Ranked& other) {
                   return other.objective < entry.objective;
               }));
    }
    [[nodiscard]] double score(const Ranked& entry) const {
        return start > best ? (entry.objective - best) / (start - best) : 0;
    }
    [[nodiscard]] double score(const std::string& method) const { return score(of(method)); }
    [[nodiscard]] bool below(const std::string& method, std::initializer_list<const char*> others) const {
        return std::all_of(others.begin(), others.end(),
                           [&](const char* other) { return of(method).objective < of(other).objective; });
    }

    std::vector<Ranked> ranking;
    double start = 0;
    double best = 0;
};

using Outcome = Verdict::Outcome;

std::pair<Outcome, std::string> judge_deterministic(const Scores& s) {
    const double searches = std::min(s.score("fw-armijo"), s.score("fw-parafree"));
    const bool matches = s.score("alfcg-d") <= searches + comparable;
    const bool beats = s.below("alfcg-d", {"fw-openloop", "fw-shortstep", "fw-momentum", "fw-sliding"});
    std::string reason = matches ? "comparable to the searches" : "behind the searches";
    reason += beats ? ", below the four baselines" : ", not below every baseline";
    return {matches && beats ? Outcome::held : (matches || beats ? Outcome::partly : Outcome::failed),
            reason};
}

std::pair<Outcome, std::string> judge_finite_sum(const Scores& s) {
    const double score = s.score("alfcg-fs");
    if (score <= tie) return {Outcome::held, score == 0 ? "best" : "on par with the best"};
    if (score <= comparable) return {Outcome::partly, "close to the best"};
    return {Outcome::failed, "behind the best"};
}

std::pair<Outcome, std::string> judge_expectation(const Scores& s) {
    const auto beats = [&](const char* method) {
        return s.below(method, {"sfw", "sfw-gb", "onesample-storm", "onesample-ema", "srfw"});
    };
    const bool first = beats("alfcg-mvr1");
    const bool second = beats("alfcg-mvr2");
    std::string reason = first && second ? "both below every rival"
                         : first         ? "MVR1 below every rival, MVR2 not"
                         : second        ? "MVR2 below every rival, MVR1 not"
                                         : "neither below every rival";
    return {first && second ? Outcome::held : (first || second ? Outcome::partly : Outcome::failed), reason};
}

}  // namespace

std::string_view to_text(Verdict::Outcome outcome) {
    constexpr std::array<std::string_view, 4> names{"held", "partly", "tie", "failed"};
    return names[static_cast<std::size_t>(outcome)];
}

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

Verdict judge(const std::string& setting, const std::vector<RunRecord>& runs) {
    const Scores scores(runs);
    Verdict verdict;
    verdict.methods = static_cast<int>(scores.ranking.size());
    verdict.best = scores.ranking.front().method;
    for (std::size_t k = 0; k < scores.ranking.size(); ++k) {
        if (!scores.ranking[k].method.starts_with("alfcg-")) continue;
        verdict.rank = scores.rank(scores.ranking[k]);
        verdict.ours = scores.ranking[k].method;
        verdict.score = scores.score(scores.ranking[k]);
        break;
    }
    const auto [outcome, reason] = setting == "deterministic" ? judge_deterministic(scores)
                                   : setting == "finite-sum"  ? judge_finite_sum(scores)
                                                              : judge_expectation(scores);
    verdict.outcome = outcome;
    verdict.reason = reason;
    if (scores.best >= scores.start) {
        verdict.outcome = Outcome::failed;
        verdict.reason = "no method ends below its start";
        return verdict;
    }
    const bool all_close = std::all_of(scores.ranking.begin(), scores.ranking.end(),
                                       [&](const Ranked& entry) { return scores.score(entry) <= tie; });
    if (all_close) {
        verdict.outcome = Outcome::tied;
        verdict.reason = "every method within 1 % of the decrease";
    }
    if (scores.of(verdict.ours).objective > scores.start) verdict.reason += "; ends above its start";
    return verdict;
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
        const Verdict verdict = judge(panel.panel.setting, panel.runs);
        const char* mark = verdict.outcome == Outcome::held     ? "good"
                           : verdict.outcome == Outcome::failed ? "bad"
                                                                : "neutral";
        rows.push_back(
            json::array({fmt::format("{} ({})", panel.panel.figure, panel.panel.letter), panel.panel.setting,
                         panel.title.substr(4), fmt::format("{} of {}", verdict.rank, verdict.methods),
                         verdict.ours, verdict.best, verdict.score,
                         json{{"text", to_text(verdict.outcome)}, {"mark", mark}}, verdict.reason}));
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
              {{"name", "why"}, {"type", "text"}}}},
            {"rows", rows},
            {"note",
             "Score of the better ALFCG method: (F_end - F_best)/(F_0 - F_best), 0 is best; means over the "
             "seeds. "
             "Deterministic claim: at least comparable to the two searches (score at most 0.05 above the "
             "better one) and "
             "below the four other baselines. Finite-sum claim: best, or within 0.01. Expectation claim: "
             "both variants below "
             "every rival. Tie: every method within 0.01, the panel cannot tell."}};
}

nlohmann::json verdict_summary(const std::vector<PanelRuns>& panels) {
    nlohmann::json list = nlohmann::json::array();
    for (const PanelRuns& panel : panels) {
        if (!panel.judged()) continue;
        const Verdict verdict = judge(panel.panel.setting, panel.runs);
        list.push_back({{"figure", panel.panel.figure},
                        {"panel", std::string(1, panel.panel.letter)},
                        {"problem", panel.panel.problem()},
                        {"setting", panel.panel.setting},
                        {"rank", verdict.rank},
                        {"methods", verdict.methods},
                        {"ours", verdict.ours},
                        {"best", verdict.best},
                        {"score", verdict.score},
                        {"claim", to_text(verdict.outcome)},
                        {"reason", verdict.reason}});
    }
    return list;
}

}  // namespace alfcg

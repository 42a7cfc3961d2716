#include "report/verdict.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

constexpr double tie = 0.01;
constexpr double comparable = 0.05;

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

// What a run had after so many seconds, of which it has taken at least as many.
void cut(std::vector<TraceRow>& trace, double seconds) {
    const auto after = std::upper_bound(trace.begin(), trace.end(), seconds,
                                        [](double time, const TraceRow& row) { return time < row.seconds; });
    if (after == trace.begin() || after == trace.end()) return;
    const TraceRow& before = *(after - 1);
    TraceRow& last = *after;
    const double share = (seconds - before.seconds) / (last.seconds - before.seconds);
    last.objective = before.objective + share * (last.objective - before.objective);
    last.gap = before.gap + share * (last.gap - before.gap);
    last.epochs = before.epochs + share * (last.epochs - before.epochs);
    last.iteration = before.iteration;
    last.seconds = seconds;
    trace.erase(after + 1, trace.end());
}

}  // namespace

std::string_view to_text(Verdict::Outcome outcome) {
    constexpr std::array<std::string_view, 4> names{"held", "partly", "tie", "failed"};
    return names[static_cast<std::size_t>(outcome)];
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

std::vector<RunRecord> at_equal_time(std::vector<RunRecord> runs) {
    double seconds = std::numeric_limits<double>::infinity();
    for (const RunRecord& run : runs) seconds = std::min(seconds, run.last().seconds);
    for (RunRecord& run : runs) cut(run.trace, seconds);
    return runs;
}

}  // namespace alfcg

#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/method/catalogue.hpp"
#include "alfcg/method/solve.hpp"

namespace alfcg {

namespace {

bool is_ours(std::string_view method) {
    return method.starts_with("alfcg-");
}

nlohmann::json number(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json run_json(const RunRecord& run) {
    nlohmann::json json{{"seed", run.seed}, {"status", run.status}};
    for (const char* key : {"iteration", "epochs", "seconds", "objective", "gap", "error"}) {
        json[key] = nlohmann::json::array();
    }
    for (const TraceRow& row : run.trace) {
        json["iteration"].push_back(row.iteration);
        json["epochs"].push_back(row.epochs);
        json["seconds"].push_back(row.seconds);
        json["objective"].push_back(number(row.objective));
        json["gap"].push_back(number(row.gap));
        json["error"].push_back(row.error ? number(*row.error) : nlohmann::json());
    }
    return json;
}

// The methods of these runs, in the table's order.
std::vector<std::string> methods_of(const std::vector<RunRecord>& runs) {
    std::vector<std::string> names;
    for (const MethodInfo& method : methods()) {
        if (std::any_of(runs.begin(), runs.end(),
                        [&](const RunRecord& run) { return run.method == method.name; })) {
            names.emplace_back(method.name);
        }
    }
    return names;
}

}  // namespace

std::string setting_of(std::string_view method) {
    for (const MethodInfo& info : methods())
        if (info.name == method) return std::string(info.setting);
    throw Error("unknown method '" + std::string(method) + "'");
}

bool is_stochastic(std::string_view method) {
    return setting_of(method) != "deterministic";
}

std::vector<std::string> method_choices() {
    std::vector<std::string> choices{"all"};
    for (const MethodInfo& method : methods())
        if (std::find(choices.begin(), choices.end(), method.setting) == choices.end())
            choices.emplace_back(method.setting);
    for (const MethodInfo& method : methods()) choices.emplace_back(method.name);
    return choices;
}

std::vector<std::string> select_methods(std::string_view list) {
    std::set<std::string, std::less<>> wanted;
    const auto table = methods();
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view word = list.substr(0, comma);
        while (word.starts_with(' ')) word.remove_prefix(1);
        while (word.ends_with(' ')) word.remove_suffix(1);
        list.remove_prefix(std::min(comma + 1, list.size()));
        bool known = false;
        for (const MethodInfo& method : table) {
            if (word == "all" || word == method.setting || word == method.name) {
                wanted.emplace(method.name);
                known = true;
            }
        }
        if (!known) {
            throw Error(
                fmt::format("`methods`: '{}' is neither a method (see alfcg methods) nor deterministic, "
                            "finite-sum, expectation or all{}",
                            word, suggestion(word, method_choices())));
        }
    }
    if (wanted.empty()) throw Error("`methods`: give at least one method");
    std::vector<std::string> names;
    for (const MethodInfo& method : table)
        if (wanted.contains(method.name)) names.emplace_back(method.name);
    return names;
}

template <class Real>
RunRecord record_run(Objective<Real>& objective, Region<Real>& region, const Options& options, double points,
                     const std::function<bool()>& stop) {
    RunRecord record;
    record.method = options.method;
    record.setting = setting_of(options.method);
    record.seed = options.seed;
    TraceSampler sampler(options, points);
    const Observer<Real> observer = [&](const Snapshot<Real>& now) {
        if (sampler.wants(now.iteration, now.epochs, now.seconds, now.last))
            record.trace.push_back(trace_row(now));
        return stop() ? Action::stop : Action::proceed;
    };
    const auto result = solve<Real>(objective, region, options, observer);
    record.status = to_text(result.status);
    record.rho = result.scale;
    return record;
}

std::vector<Ranked> rank_runs(const std::vector<RunRecord>& runs) {
    std::vector<Ranked> ranking;
    for (const std::string& name : methods_of(runs)) {
        Ranked entry;
        entry.method = name;
        entry.setting = setting_of(name);
        std::vector<double> objectives;
        std::vector<double> scales;
        for (const RunRecord& run : runs) {
            if (run.method != name) continue;
            objectives.push_back(run.last().objective);
            if (run.rho) scales.push_back(*run.rho);
            entry.gap += run.last().gap;
            entry.iterations += static_cast<double>(run.last().iteration);
            entry.epochs += run.last().epochs;
            entry.seconds += run.last().seconds;
        }
        const auto count = static_cast<double>(objectives.size());
        entry.runs = static_cast<int>(objectives.size());
        for (const double objective : objectives) entry.objective += objective / count;
        for (double* sum : {&entry.gap, &entry.iterations, &entry.epochs, &entry.seconds}) *sum /= count;
        if (scales.size() == objectives.size())
            entry.rho = std::accumulate(scales.begin(), scales.end(), 0.0) / count;
        double squares = 0;
        for (const double objective : objectives) squares += std::pow(objective - entry.objective, 2);
        entry.spread = objectives.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
        ranking.push_back(entry);
    }
    std::stable_sort(ranking.begin(), ranking.end(),
                     [](const Ranked& a, const Ranked& b) { return a.objective < b.objective; });
    return ranking;
}

double best_objective(const std::vector<RunRecord>& runs) {
    double best = std::numeric_limits<double>::infinity();
    for (const RunRecord& run : runs)
        for (const TraceRow& row : run.trace) best = std::min(best, row.objective);
    return best;
}

nlohmann::json panel_of(const std::string& title, const std::vector<RunRecord>& runs) {
    nlohmann::json curves = nlohmann::json::array();
    for (const std::string& name : methods_of(runs)) {
        nlohmann::json curve{{"method", name}, {"setting", setting_of(name)}, {"emphasis", is_ours(name)}};
        curve["runs"] = nlohmann::json::array();
        for (const RunRecord& run : runs)
            if (run.method == name) curve["runs"].push_back(run_json(run));
        curves.push_back(std::move(curve));
    }
    return {{"title", title}, {"best", best_objective(runs)}, {"curves", std::move(curves)}};
}

nlohmann::json ranking_table(const std::vector<RunRecord>& runs) {
    using nlohmann::json;
    const json columns =
        json::array({{{"name", "rank"}, {"type", "number"}},
                     {{"name", "method"}, {"type", "method"}},
                     {{"name", "setting"}, {"type", "text"}},
                     {{"name", "runs"}, {"type", "number"}},
                     {{"name", "objective"}, {"type", "number"}, {"digits", 7}, {"best", "min"}},
                     {{"name", "± over seeds"}, {"type", "number"}, {"digits", 2}},
                     {{"name", "gap"}, {"type", "number"}, {"digits", 4}, {"best", "min"}},
                     {{"name", "iterations"}, {"type", "number"}, {"digits", 6}},
                     {{"name", "epochs"}, {"type", "number"}, {"digits", 4}},
                     {{"name", "seconds"}, {"type", "number"}, {"digits", 3}},
                     {{"name", "ρ"}, {"type", "number"}, {"digits", 3}}});
    json rows = json::array();
    for (const Ranked& entry : rank_runs(runs)) {
        const json spread = entry.runs > 1 ? json(entry.spread) : json();
        rows.push_back(
            json::array({rows.size() + 1, entry.method, entry.setting, entry.runs, number(entry.objective),
                         spread, number(entry.gap), std::round(entry.iterations), entry.epochs, entry.seconds,
                         entry.rho ? number(*entry.rho) : json()}));
    }
    return {
        {"title", "Result at the end of the budget"},
        {"columns", columns},
        {"rows", rows},
        {"note",
         "Means over the seeds. Epochs count component gradients over N; function values are not in them. "
         "Seconds are the method's own time, metrics excluded. ρ is the scale of ALFCG's curvature: as "
         "given, "
         "or the last one that the method found."}};
}

template RunRecord record_run(Objective<float>&, Region<float>&, const Options&, double,
                              const std::function<bool()>&);
template RunRecord record_run(Objective<double>&, Region<double>&, const Options&, double,
                              const std::function<bool()>&);

}  // namespace alfcg

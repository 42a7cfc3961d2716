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

// Means; runs of one comparison have all of it, or none.
std::optional<Learned> mean_of(const std::vector<Learned>& all) {
    if (all.empty()) return std::nullopt;
    Learned mean = all.front();
    const auto average = [&](const auto& part) {
        double sum = 0;
        for (const Learned& one : all) sum += part(one);
        return sum / static_cast<double>(all.size());
    };
    mean.training = average([](const Learned& one) { return one.training; });
    mean.nonzeros = average([](const Learned& one) { return one.nonzeros; });
    if (mean.held_out) mean.held_out = average([](const Learned& one) { return *one.held_out; });
    if (mean.rank) mean.rank = average([](const Learned& one) { return *one.rank; });
    return mean;
}

// Between commas, without the spaces around them.
std::vector<std::string_view> words_of(std::string_view list) {
    std::vector<std::string_view> words;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view word = list.substr(0, comma);
        while (word.starts_with(' ')) word.remove_prefix(1);
        while (word.ends_with(' ')) word.remove_suffix(1);
        list.remove_prefix(std::min(comma + 1, list.size()));
        words.push_back(word);
    }
    return words;
}

}  // namespace

std::string setting_of(std::string_view method) {
    for (const MethodInfo& info : methods())
        if (info.name == method) return std::string(info.setting);
    throw Error("unknown method '" + std::string(method) + "'");
}

bool is_stochastic(std::string_view method) {
    const std::string setting = setting_of(method);
    return setting == "finite-sum" || setting == "expectation";
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
    for (const std::string_view word : words_of(list)) {
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
                            "finite-sum, expectation, corrective or all{}",
                            word, suggestion(word, method_choices())));
        }
    }
    if (wanted.empty()) throw Error("`methods`: give at least one method");
    std::vector<std::string> names;
    for (const MethodInfo& method : table)
        if (wanted.contains(method.name)) names.emplace_back(method.name);
    return names;
}

bool is_named(std::string_view list, std::string_view method) {
    const auto words = words_of(list);
    return std::find(words.begin(), words.end(), method) != words.end();
}

RunRecorder::RunRecorder(const Options& options, double points) : sampler_(options, points) {
    record_.method = options.method;
    record_.setting = setting_of(options.method);
    record_.seed = options.seed;
}

RunRecord RunRecorder::finish(Status status, const std::optional<double>& rho) {
    record_.status = to_text(status);
    record_.rho = rho;
    return std::move(record_);
}

template <class Real>
RunRecord record_run(Objective<Real>& objective, Region<Real>& region, const Options& options, double points,
                     const std::function<bool()>& stop) {
    RunRecorder recorder(options, points);
    const Observer<Real> observer = [&](const Snapshot<Real>& now) {
        recorder.look(now);
        return stop() ? Action::stop : Action::proceed;
    };
    const auto result = solve<Real>(objective, region, options, observer);
    return recorder.finish(result.status, result.scale);
}

std::vector<Ranked> rank_runs(const std::vector<RunRecord>& runs) {
    std::vector<Ranked> ranking;
    for (const std::string& name : methods_of(runs)) {
        Ranked entry;
        entry.method = name;
        entry.setting = setting_of(name);
        std::vector<double> objectives;
        std::vector<double> scales;
        std::vector<Learned> learned;
        for (const RunRecord& run : runs) {
            if (run.method != name) continue;
            objectives.push_back(run.last().objective);
            if (run.rho) scales.push_back(*run.rho);
            if (run.learned) learned.push_back(*run.learned);
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
        entry.learned = mean_of(learned);
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

template RunRecord record_run(Objective<float>&, Region<float>&, const Options&, double,
                              const std::function<bool()>&);
template RunRecord record_run(Objective<double>&, Region<double>&, const Options&, double,
                              const std::function<bool()>&);

}  // namespace alfcg

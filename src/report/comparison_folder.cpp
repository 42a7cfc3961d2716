#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "alfcg/core/output_file.hpp"
#include "alfcg/core/version.hpp"
#include "report/compare_methods.hpp"
#include "report/json_text.hpp"
#include "report/page.hpp"
#include "report/svg_figure.hpp"

namespace alfcg {

namespace {

template <class Real>
nlohmann::json facts_of(const ComparisonHeading& heading, const Problem<Real>& problem) {
    nlohmann::json facts = nlohmann::json::array();
    const std::string classes =
        problem.classes.size() > 0 ? fmt::format(", {} classes", problem.classes.size()) : std::string();
    facts.push_back({"data", heading.data + ": " + describe_features(problem.training.features) + classes +
                                 ", normalisation " + heading.normalization});
    if (problem.held_out) facts.push_back({"held out", describe_features(problem.held_out->features)});
    facts.push_back({"loss", problem.loss.name});
    facts.push_back({"region", problem.region_text});
    facts.push_back({"computed with", fmt::format("{}, {} thread{}", heading.precision, problem.threads,
                                                  problem.threads == 1 ? "" : "s")});
    return facts;
}

void add_learned(nlohmann::ordered_json& row, const std::optional<Learned>& learned) {
    if (!learned) return;
    row[learned->measure()] = learned->training;
    if (learned->held_out) row[std::string("holdout_") + learned->measure()] = *learned->held_out;
    if (learned->rank) row["rank"] = *learned->rank;
    row["nonzeros"] = learned->nonzeros;
}

}  // namespace

template <class Real>
std::string describe_features(const Features<Real>& features) {
    std::string text = fmt::format("{} rows, {} features", rows(features), cols(features));
    if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&features))
        text += fmt::format(", {} non-zeros", sparse->nonzeros());
    return text;
}

nlohmann::ordered_json summary_of(const std::string& command, const Comparison& comparison) {
    const std::vector<RunRecord>& runs = comparison.runs;
    nlohmann::ordered_json json;
    json["command"] = command;
    json["best_objective"] = best_objective(runs);
    json["ranking"] = nlohmann::json::array();
    for (const Ranked& entry : rank_runs(runs)) {
        nlohmann::ordered_json row;
        row["method"] = entry.method;
        row["setting"] = entry.setting;
        row["runs"] = entry.runs;
        row["objective"] = entry.objective;
        row["objective_spread"] = entry.spread;
        row["gap"] = entry.gap;
        row["iterations"] = entry.iterations;
        row["epochs"] = entry.epochs;
        row["seconds"] = entry.seconds;
        if (entry.rho) row["rho"] = *entry.rho;
        add_learned(row, entry.learned);
        json["ranking"].push_back(row);
    }
    json["runs"] = nlohmann::json::array();
    for (const RunRecord& run : runs) {
        nlohmann::ordered_json row;
        row["method"] = run.method;
        row["seed"] = run.seed;
        row["status"] = run.status;
        row["iterations"] = run.last().iteration;
        row["epochs"] = run.last().epochs;
        row["seconds"] = run.last().seconds;
        row["objective"] = run.last().objective;
        row["gap"] = run.last().gap;
        if (run.rho) row["rho"] = *run.rho;
        add_learned(row, run.learned);
        row["trace"] = fmt::format("runs/{}-{}.csv", run.method, run.seed);
        json["runs"].push_back(row);
    }
    for (const auto& [method, why] : comparison.left_out) json["left_out"][method] = why;
    return json;
}

template <class Real>
std::string write_comparison(const std::string& folder_name, const ComparisonHeading& heading,
                             const Problem<Real>& problem, const Comparison& comparison) {
    const std::filesystem::path folder(folder_name);
    std::filesystem::create_directories(folder / "runs");
    std::filesystem::create_directories(folder / "figures");
    for (const auto& entry : std::filesystem::directory_iterator(folder / "runs"))
        if (entry.path().extension() == ".csv") std::filesystem::remove(entry.path());
    for (const RunRecord& run : comparison.runs)
        write_file((folder / "runs" / fmt::format("{}-{}.csv", run.method, run.seed)).string(),
                   trace_text(run.trace));
    write_file((folder / "summary.json").string(),
               json_text(summary_of(heading.command, comparison), 2) + "\n");
    const nlohmann::json panel = panel_of(heading.name + ", " + problem.region_text, comparison.runs);
    for (const char* quantity : {"suboptimality", "gap", "error"})
        for (const char* axis : {"seconds", "epochs", "iterations"})
            write_file((folder / "figures" / fmt::format("{}-{}.svg", quantity, axis)).string(),
                       svg_figure(panel, quantity, axis));
    const nlohmann::json report{{"title", "alfcg compare " + heading.name},
                                {"command", heading.command},
                                {"version", version()},
                                {"facts", facts_of(heading, problem)},
                                {"figures", {{{"title", "Course of the runs"}, {"panels", {panel}}}}},
                                {"tables", {ranking_table(comparison.runs)}}};
    std::string page = (folder / "report.html").string();
    write_file(page, report_page(report));
    return page;
}

template std::string describe_features(const Features<float>&);
template std::string describe_features(const Features<double>&);
template std::string write_comparison(const std::string&, const ComparisonHeading&, const Problem<float>&,
                                      const Comparison&);
template std::string write_comparison(const std::string&, const ComparisonHeading&, const Problem<double>&,
                                      const Comparison&);

}  // namespace alfcg

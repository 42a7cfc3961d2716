#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/version.hpp"
#include "alfcg/method/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/problem.hpp"
#include "cli/run_options.hpp"
#include "cli/status_line.hpp"
#include "cli/terminal.hpp"
#include "report/comparison.hpp"
#include "report/page.hpp"
#include "report/svg_figure.hpp"

namespace alfcg::cli {

namespace {

constexpr double compared_epochs = 20;
constexpr double compared_points = 120;

struct CompareArguments {
    ProblemArguments problem;
    ParameterArguments parameters;
    BudgetArguments budget;
    std::string methods = "all";
    int seeds = 1;
    std::string output;
    bool quiet = false;
    bool silent = false;
    bool json = false;
    std::string command;  // as typed
};

// A parameter that none of the methods has is a slip.
void check_parameters_are_used(const std::vector<std::string>& methods, const Parameters& given) {
    for (const auto& [name, value] : given.all()) {
        const bool used = std::any_of(methods.begin(), methods.end(), [&, &name = name](const auto& method) {
            return own_parameters(method, given).has(name);
        });
        if (!used) throw QuantityError(name, "is not a parameter of any of the methods compared");
    }
    for (const std::string& method : methods) check_parameters(method, own_parameters(method, given));
}

template <class Real>
nlohmann::json facts_of(const CompareArguments& arguments, const Problem<Real>& problem) {
    using nlohmann::json;
    json facts = json::array();
    const std::string classes =
        problem.classes.size() > 0 ? fmt::format(", {} classes", problem.classes.size()) : std::string();
    facts.push_back({"data", arguments.problem.data.source + ": " +
                                 describe_features(problem.training.features) + classes + ", normalisation " +
                                 arguments.problem.normalize});
    if (problem.held_out) facts.push_back({"held out", describe_features(problem.held_out->features)});
    facts.push_back({"loss", problem.loss.name});
    facts.push_back({"region", problem.region_text});
    facts.push_back({"computed with", fmt::format("{}, {} thread{}", arguments.problem.precision,
                                                  problem.threads, problem.threads == 1 ? "" : "s")});
    return facts;
}

void add_learned(nlohmann::ordered_json& row, const std::optional<Learned>& learned) {
    if (!learned) return;
    row[learned->measure()] = learned->training;
    if (learned->held_out) row[std::string("holdout_") + learned->measure()] = *learned->held_out;
    if (learned->rank) row["rank"] = *learned->rank;
    row["nonzeros"] = learned->nonzeros;
}

// Methods of a setting that do not work on this problem, and why.
using LeftOut = std::vector<std::pair<std::string, QuantityError>>;

nlohmann::ordered_json summary_of(const CompareArguments& arguments, const std::vector<RunRecord>& runs,
                                  const LeftOut& left_out) {
    nlohmann::ordered_json json;
    json["command"] = arguments.command;
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
    for (const auto& [method, why] : left_out) json["left_out"][method] = why.complaint();
    return json;
}

std::string ranking_text(const std::vector<RunRecord>& runs) {
    const std::vector<Ranked> ranking = rank_runs(runs);
    std::vector<TextColumn> columns;
    const auto add = [&](const char* title, int importance, const auto& cell) {
        TextColumn column{title, importance};
        for (const Ranked& entry : ranking) column.cells.push_back(cell(entry));
        const bool empty = std::all_of(column.cells.begin(), column.cells.end(),
                                       [](const std::string& text) { return text.empty(); });
        if (!empty) columns.push_back(std::move(column));
    };
    const auto share = [](const Learned& learned, double score) {
        return learned.classification ? fmt::format("{:.2f}%", 100 * score) : fmt::format("{:.4g}", score);
    };
    int place = 0;
    add("", 6, [&](const Ranked&) { return std::to_string(++place); });
    add("method", 10, [](const Ranked& entry) { return entry.method; });
    columns.back().number = false;
    add("setting", 0, [](const Ranked& entry) { return entry.setting; });
    columns.back().number = false;
    add("objective", 9, [](const Ranked& entry) { return fmt::format("{:.6f}", entry.objective); });
    add("± seeds", 3,
        [](const Ranked& entry) { return entry.runs > 1 ? fmt::format("{:.1e}", entry.spread) : ""; });
    add("gap", 7, [](const Ranked& entry) { return fmt::format("{:.4g}", entry.gap); });
    if (ranking.front().learned) {
        const bool classification = ranking.front().learned->classification;
        add(classification ? "accuracy" : "error", 5,
            [&](const Ranked& entry) { return share(*entry.learned, entry.learned->training); });
        add("test", 8, [&](const Ranked& entry) {
            return entry.learned->held_out ? share(*entry.learned, *entry.learned->held_out) : "";
        });
        add("rank", 4, [](const Ranked& entry) {
            return entry.learned->rank ? fmt::format("{:.3g}", *entry.learned->rank) : "";
        });
        add("non-zeros", 4,
            [](const Ranked& entry) { return fmt::format("{:.0f}", entry.learned->nonzeros); });
    }
    add("iterations", 1, [](const Ranked& entry) { return fmt::format("{:.0f}", entry.iterations); });
    add("epochs", 2, [](const Ranked& entry) { return fmt::format("{:.2f}", entry.epochs); });
    add("seconds", 6, [](const Ranked& entry) { return fmt::format("{:.3f}", entry.seconds); });
    add("rho", 0, [](const Ranked& entry) { return entry.rho ? fmt::format("{:.3g}", *entry.rho) : ""; });
    return text_table(columns, room_of(stdout));
}

template <class Real>
Learned learned_of(const Fitted<Real>& fitted) {
    const Report& report = fitted.report;
    Learned learned;
    learned.classification = report.training.classification;
    learned.training = report.training.value();
    if (report.held_out) learned.held_out = report.held_out->value();
    if (report.rank) learned.rank = static_cast<double>(*report.rank);
    learned.nonzeros = static_cast<double>(report.nonzeros);
    return learned;
}

template <class Real>
int compare(CompareArguments& arguments) {
    const std::vector<std::string> methods = select_methods(arguments.methods);
    const Parameters parameters = arguments.parameters.resolve();
    check_parameters_are_used(methods, parameters);
    Options budget;
    arguments.budget.apply_bounded(budget, compared_epochs);

    auto problem = prepare<Real>(arguments.problem.file(),
                                 arguments.problem.resolve(arguments.problem.specification.options));
    std::vector<std::pair<std::string, std::uint64_t>> plan;
    for (const std::string& method : methods)
        for (int k = 0; k < (is_stochastic(method) ? arguments.seeds : 1); ++k) {
            plan.emplace_back(method, arguments.problem.seed() + static_cast<std::uint64_t>(k));
        }

    std::vector<RunRecord> runs;
    LeftOut left_out;
    bool stopped = false;
    {
        const InterruptGuard guard;
        StatusLine status(arguments.quiet || arguments.silent ? nullptr : stderr, plan.size());
        for (const auto& [method, seed] : plan) {
            status.show(runs.size(), fmt::format("{} seed {}", method, seed));
            Options options = budget;
            options.method = method;
            options.seed = seed;
            options.parameters = own_parameters(method, parameters);
            RunRecorder recorder(options, compared_points);
            try {
                const Fitted<Real> fitted = fit(problem, options, [&](const Snapshot<Real>& now) {
                    recorder.look(now);
                    return InterruptGuard::asked() ? Action::stop : Action::proceed;
                });
                stopped = InterruptGuard::asked();
                if (stopped) break;  // half a run would not be on the same footing
                runs.push_back(recorder.finish(fitted.report.status, fitted.report.scale));
                runs.back().learned = learned_of(fitted);
            } catch (const QuantityError& error) {
                if (error.quantity() != "method" || is_named(arguments.methods, method)) throw;
                left_out.emplace_back(method, error);
            }
        }
    }
    if (runs.empty() && !left_out.empty()) throw left_out.front().second;
    if (runs.empty()) return exit_interrupted;

    const std::filesystem::path folder(arguments.output);
    std::filesystem::create_directories(folder / "runs");
    std::filesystem::create_directories(folder / "figures");
    for (const auto& entry : std::filesystem::directory_iterator(folder / "runs"))
        if (entry.path().extension() == ".csv")
            std::filesystem::remove(entry.path());  // of an earlier comparison
    for (const RunRecord& run : runs) {
        write_file((folder / "runs" / fmt::format("{}-{}.csv", run.method, run.seed)).string(),
                   trace_text(run.trace));
    }
    const auto summary = summary_of(arguments, runs, left_out);
    write_file((folder / "summary.json").string(), json_text(summary, 2) + "\n");
    const std::string name = name_of_data(arguments.problem.data.source);
    const nlohmann::json panel = panel_of(name + ", " + problem.region_text, runs);
    for (const char* quantity : {"suboptimality", "gap", "error"})
        for (const char* axis : {"seconds", "epochs", "iterations"}) {
            write_file((folder / "figures" / fmt::format("{}-{}.svg", quantity, axis)).string(),
                       svg_figure(panel, quantity, axis));
        }
    const nlohmann::json report{{"title", "alfcg compare " + name},
                                {"command", arguments.command},
                                {"version", version()},
                                {"facts", facts_of(arguments, problem)},
                                {"figures", {{{"title", "Course of the runs"}, {"panels", {panel}}}}},
                                {"tables", {ranking_table(runs)}}};
    write_file((folder / "report.html").string(), report_page(report));

    if (arguments.json) {
        fmt::print("{}\n", json_text(summary));
    } else if (!arguments.silent) {
        if (!arguments.quiet) {
            put(stdout, ranking_text(runs) + "\n");
            for (const auto& [method, why] : left_out) fmt::print("left out   {}\n", why.complaint());
        }
        fmt::print("report     {}\n", (folder / "report.html").string());
    }
    return stopped ? exit_interrupted : 0;
}

}  // namespace

Command add_compare(CommandOptions options) {
    auto arguments = std::make_shared<CompareArguments>();
    arguments->problem.add_to(options, false);
    options.add_option("--methods", arguments->methods,
                       "names from 'alfcg methods', deterministic, finite-sum, expectation, corrective or "
                       "all, by commas [all]",
                       "LIST", "Method");
    options.add_values("--methods", method_choices());
    options.add_option("--seeds", arguments->seeds, "repeat the stochastic methods with this many seeds [1]",
                       "K", "Method");
    arguments->parameters.add_to(options);
    arguments->budget.add_to(options, fmt::format("{:.0f} epochs when none is given", compared_epochs));
    options.add_option("--output", arguments->output,
                       "folder for the report and the runs [NAME.compare in this folder, after the data]",
                       "FOLDER", "Output");
    options.add_flag("--quiet", arguments->quiet, "no progress line and no table", "Output");
    options.add_flag("--silent", arguments->silent, "print nothing but errors", "Output");
    options.add_flag("--json", arguments->json, "print the summary as one JSON object", "Output");
    return [arguments, options] {
        check_silence(arguments->silent, arguments->json);
        if (arguments->seeds < 1) throw QuantityError("seeds", "must be at least 1");
        arguments->problem.verify();
        if (arguments->output.empty())
            arguments->output = name_of_data(arguments->problem.data.source) + ".compare";
        check_folder(arguments->output);
        arguments->command = options.as_typed();
        return arguments->problem.is_double() ? compare<double>(*arguments) : compare<float>(*arguments);
    };
}

}  // namespace alfcg::cli

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
    facts.push_back({"loss", problem.loss.name});
    facts.push_back({"region", problem.region_text});
    facts.push_back({"computed with", fmt::format("{}, {} thread{}", arguments.problem.precision,
                                                  problem.threads, problem.threads == 1 ? "" : "s")});
    return facts;
}

nlohmann::ordered_json summary_of(const CompareArguments& arguments, const std::vector<RunRecord>& runs) {
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
        row["trace"] = fmt::format("runs/{}-{}.csv", run.method, run.seed);
        json["runs"].push_back(row);
    }
    return json;
}

void print_ranking(const std::vector<RunRecord>& runs) {
    fmt::print("{:>4} {:<15} {:<13} {:>24} {:>11} {:>10} {:>8} {:>9} {:>9}\n", "rank", "method", "setting",
               "objective", "gap", "iterations", "epochs", "seconds", "rho");
    int rank = 0;
    for (const Ranked& entry : rank_runs(runs)) {
        const std::string objective = entry.runs > 1
                                          ? fmt::format("{:.6f} ± {:.1e}", entry.objective, entry.spread)
                                          : fmt::format("{:.6f}          ", entry.objective);
        const std::string rho = entry.rho ? fmt::format("{:>10.3g}", *entry.rho) : "";
        fmt::print("{:>4} {:<15} {:<13} {:>24} {:>11.4g} {:>10.0f} {:>8.2f} {:>9.3f}{}\n", ++rank,
                   entry.method, entry.setting, objective, entry.gap, entry.iterations, entry.epochs,
                   entry.seconds, rho);
    }
}

template <class Real>
int compare(CompareArguments& arguments) {
    const std::vector<std::string> methods = select_methods(arguments.methods);
    const Parameters parameters = arguments.parameters.resolve();
    check_parameters_are_used(methods, parameters);
    Options budget;
    arguments.budget.apply_bounded(budget, compared_epochs);

    const auto problem = prepare<Real>(arguments.problem.file(),
                                       arguments.problem.resolve(arguments.problem.specification.options));
    std::vector<std::pair<std::string, std::uint64_t>> plan;
    for (const std::string& method : methods)
        for (int k = 0; k < (is_stochastic(method) ? arguments.seeds : 1); ++k) {
            plan.emplace_back(method, arguments.problem.seed() + static_cast<std::uint64_t>(k));
        }

    std::vector<RunRecord> runs;
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
            // No warm start from another method.
            const auto region = problem.new_region();
            RunRecord run = record_run(*problem.objective, *region, options, compared_points,
                                       [] { return InterruptGuard::asked(); });
            stopped = InterruptGuard::asked();
            if (stopped) break;  // half a run would not be on the same footing
            runs.push_back(std::move(run));
        }
    }
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
    const auto summary = summary_of(arguments, runs);
    write_file((folder / "summary.json").string(), json_text(summary, 2) + "\n");
    const nlohmann::json panel = panel_of(arguments.problem.data.source + ", " + problem.region_text, runs);
    for (const char* quantity : {"suboptimality", "gap", "error"})
        for (const char* axis : {"seconds", "epochs", "iterations"}) {
            write_file((folder / "figures" / fmt::format("{}-{}.svg", quantity, axis)).string(),
                       svg_figure(panel, quantity, axis));
        }
    const nlohmann::json report{{"title", "alfcg compare " + arguments.problem.data.source},
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
            print_ranking(runs);
            fmt::print("\n");
        }
        fmt::print("report     {}\n", (folder / "report.html").string());
    }
    return stopped ? exit_interrupted : 0;
}

std::string default_folder(const std::string& source) {
    return std::filesystem::path(source).filename().string() + ".compare";
}

}  // namespace

Command add_compare(CommandOptions options) {
    auto arguments = std::make_shared<CompareArguments>();
    arguments->problem.add_to(options, false);
    options.add_option(
        "--methods", arguments->methods,
        "names from 'alfcg methods', deterministic, finite-sum, expectation or all, by commas [all]", "LIST",
        "Method");
    options.add_values("--methods", method_choices());
    options.add_option("--seeds", arguments->seeds, "repeat the stochastic methods with this many seeds [1]",
                       "K", "Method");
    arguments->parameters.add_to(options);
    arguments->budget.add_to(options, fmt::format("{:.0f} epochs when none is given", compared_epochs));
    options.add_option("--output", arguments->output, "folder for the report and the runs [DATA.compare]",
                       "FOLDER", "Output");
    options.add_flag("--quiet", arguments->quiet, "no progress line and no table", "Output");
    options.add_flag("--silent", arguments->silent, "print nothing but errors", "Output");
    options.add_flag("--json", arguments->json, "print the summary as one JSON object", "Output");
    return [arguments, options] {
        check_silence(arguments->silent, arguments->json);
        if (arguments->seeds < 1) throw QuantityError("seeds", "must be at least 1");
        arguments->problem.verify();
        if (arguments->output.empty()) arguments->output = default_folder(arguments->problem.data.source);
        check_folder(arguments->output);
        arguments->command = options.as_typed();
        return arguments->problem.is_double() ? compare<double>(*arguments) : compare<float>(*arguments);
    };
}

}  // namespace alfcg::cli

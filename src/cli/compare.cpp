#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "alfcg/core/error.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/problem.hpp"
#include "cli/run_options.hpp"
#include "cli/status_line.hpp"
#include "cli/terminal.hpp"
#include "report/compare_methods.hpp"

namespace alfcg::cli {

namespace {

struct CompareArguments {
    ProblemArguments problem;
    ParameterArguments parameters;
    BudgetArguments budget;
    std::string methods = "all";
    int seeds = 1;
    std::string output;
    CheckpointArguments checkpoints;
    bool quiet = false;
    bool silent = false;
    bool json = false;
    std::string command;  // as typed
};

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
int compare(CompareArguments& arguments) {
    ComparisonPlan plan;
    plan.methods = arguments.methods;
    plan.parameters = arguments.parameters.resolve();
    plan.seeds = arguments.seeds;
    arguments.budget.apply_bounded(plan.budget, ComparisonPlan::usual_epochs);
    plan.budget.seed = arguments.problem.seed();
    plan.verify();
    arguments.checkpoints.apply(plan.checkpoints);
    plan.checkpoints.facts = {{"program", "alfcg compare"}};

    auto problem = prepare<Real>(arguments.problem.file(),
                                 arguments.problem.resolve(arguments.problem.specification.options));
    Comparison comparison;
    {
        const InterruptGuard guard;
        std::optional<StatusLine> status;
        const auto show = [&](std::size_t done, std::size_t planned, const std::string& next) {
            if (!status) status.emplace(arguments.quiet || arguments.silent ? nullptr : stderr, planned);
            status->show(done, next);
        };
        comparison = compare_methods(problem, plan, {show, InterruptGuard::asked});
    }
    if (comparison.runs.empty()) return exit_interrupted;

    const std::string& source = arguments.problem.data.source;
    const std::string page = write_comparison(arguments.output,
                                              {source, name_of_data(source), arguments.command,
                                               arguments.problem.normalize, arguments.problem.precision},
                                              problem, comparison);
    if (arguments.json) {
        put_data(stdout, json_text(summary_of(arguments.command, comparison)) + "\n");
    } else if (!arguments.silent) {
        if (!arguments.quiet) {
            put(stdout, ranking_text(comparison.runs) + "\n");
            for (const auto& [method, why] : comparison.left_out) say("left out   {}\n", why);
        }
        say("report     {}\n", page);
    }
    return comparison.stopped ? exit_interrupted : 0;
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
    arguments->budget.add_to(options,
                             fmt::format("{:.0f} epochs when none is given", ComparisonPlan::usual_epochs));
    options.add_option("--output", arguments->output,
                       "folder for the report and the runs [NAME.compare in this folder, after the data]",
                       "FOLDER", "Output");
    arguments->checkpoints.add_to(options, "Output", "run");
    options.add_flag("--quiet", arguments->quiet, "no progress line and no table", "Output");
    options.add_flag("--silent", arguments->silent, "print nothing but errors", "Output");
    options.add_flag("--json", arguments->json, "print the summary as one JSON object", "Output");
    return [arguments, options] {
        check_silence(arguments->silent, arguments->json);
        arguments->problem.verify();
        if (arguments->output.empty())
            arguments->output = name_of_data(arguments->problem.data.source) + ".compare";
        check_folder(arguments->output);
        check_outputs({arguments->checkpoints.file}, {arguments->problem.data.source});
        arguments->command = options.as_typed();
        return arguments->problem.is_double() ? compare<double>(*arguments) : compare<float>(*arguments);
    };
}

}  // namespace alfcg::cli

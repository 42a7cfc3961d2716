#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/problem.hpp"
#include "cli/run_options.hpp"
#include "cli/status_line.hpp"
#include "cli/terminal.hpp"
#include "report/paper_folder.hpp"
#include "report/paper_runs.hpp"

namespace alfcg::cli {

namespace {

constexpr double reproduced_epochs = 30;

struct ReproduceArguments {
    PaperPlan plan;
    std::string normalize;  // empty: each comparison has its own
    ParameterArguments parameters;
    BudgetArguments budget;
    std::string precision = "f32";
    bool quiet = false;
    bool silent = false;
    std::string command;
};

// What is not said is both: the paper's printed parameters, and the rule that needs none on unscaled data.
std::vector<PaperComparison> comparisons_of(const ReproduceArguments& arguments) {
    std::vector<PaperComparison> list;
    const auto add = [&](const char* rho, const char* normalize) {
        ParameterArguments parameters = arguments.parameters;
        parameters.given.try_emplace("rho", rho);
        list.push_back(
            {parse_normalization(arguments.normalize.empty() ? normalize : arguments.normalize.c_str()),
             parameters.resolve(), parameters.given});
    };
    add(printed_rho, "spectral");
    if (arguments.normalize.empty() && !arguments.parameters.given.contains("rho")) add("auto", "none");
    return list;
}

void print_verdicts(const std::vector<PanelRuns>& panels) {
    say("{:<8} {:<14} {:<37} {:>7}  {:<7} {:<7}  {}\n", "panel", "setting", "problem", "rank", "claim",
        "by time", "why");
    // By setting, then by what the runs are compared at.
    std::map<std::string, std::array<std::map<std::string_view, int>, 2>> counts;
    for (const PanelRuns& panel : panels) {
        if (!panel.judged()) continue;
        const Verdict verdict = panel.by_epochs();
        const std::string_view by_epochs = to_text(verdict.outcome);
        const std::string_view by_time = to_text(panel.by_time().outcome);
        ++counts[panel.panel.setting][0][by_epochs];
        ++counts[panel.panel.setting][1][by_time];
        const std::string problem =
            fmt::format("{}, {}", panel.title.substr(4), panel.panel.region == "nuclear" ? "nuclear" : "l_3");
        say("{:<8} {:<14} {:<37} {:>2} of {}  {:<7} {:<7}  {}\n",
            fmt::format("{} ({})", panel.panel.figure, panel.panel.letter), panel.panel.setting, problem,
            verdict.rank, verdict.methods, by_epochs, by_time, verdict.reason);
    }
    say("\n");
    for (auto& [setting, outcomes] : counts) {
        const auto text = [](std::map<std::string_view, int>& count) {
            return fmt::format("held {}, partly {}, tie {}, failed {}", count["held"], count["partly"],
                               count["tie"], count["failed"]);
        };
        say("{:<14} {}; by time {}\n", setting, text(outcomes[0]), text(outcomes[1]));
    }
}

template <class Real>
int reproduce(const ReproduceArguments& arguments) {
    auto comparisons = comparisons_of(arguments);
    const bool shows = !arguments.quiet && !arguments.silent;
    {
        const InterruptGuard guard;
        std::optional<StatusLine> status;
        PaperObserver observer;
        observer.before_run = [&](const PaperProgress& progress) {
            if (!status) status.emplace(shows ? stderr : nullptr, progress.total);
            status->show(progress.done, progress.next, progress.seconds_left);
        };
        observer.mnist_skipped = [&](const std::string& why) {
            if (status) status->clear();
            if (!arguments.silent) put(stderr, "MNIST panels skipped: " + with_options(why) + "\n");
        };
        observer.stop = InterruptGuard::asked;
        if (!run_paper<Real>(arguments.plan, comparisons, observer)) {
            status.reset();
            put(stderr, "interrupted: finished runs are kept in " + arguments.plan.folder +
                            "; the same command goes on from there\n");
            return exit_interrupted;
        }
    }
    const std::string page = write_paper(arguments.plan, comparisons, arguments.precision, arguments.command);
    if (arguments.silent) return 0;
    for (const PaperComparison& comparison : comparisons) {
        if (arguments.quiet) break;
        if (comparisons.size() > 1) say("{}\n", title_of(comparison));
        print_verdicts(comparison.panels);
        say("\n");
    }
    say("report     {}\n", page);
    return 0;
}

}  // namespace

Command add_reproduce(CommandOptions options) {
    auto arguments = std::make_shared<ReproduceArguments>();
    PaperPlan& plan = arguments->plan;
    plan.figures.clear();
    options.add_option("figures", plan.figures, "figures of the paper, 1 to 7 [all]", "FIGURE");
    options.add_values("figures", {"1", "2", "3", "4", "5", "6", "7"});
    options.add_option("--scale", plan.scale,
                       "small (randn-3000-500, mnist-5000-768) or paper (full sizes) [small]", "NAME",
                       "Data");
    options.add_values("--scale", {"small", "paper"});
    options.add_flag("--intercept", plan.intercept,
                     "add a constant, which nothing constrains, to every score; the paper has none", "Data");
    options.add_option("--normalize", arguments->normalize,
                       "none, rows, columns or spectral [without this and --rho two comparisons: spectral "
                       "with the printed rho, none with auto]",
                       "NAME", "Data");
    options.add_values("--normalize", normalization_names());
    options.add_option("--data-dir", plan.data_dir, "folder of the MNIST files [$ALFCG_DATA]", "FOLDER",
                       "Data");
    options.add_option("--seeds", plan.seeds, "seeds of the stochastic methods [3]", "K", "Method");
    arguments->parameters.add_to(options);
    arguments->budget.add_to(options, fmt::format("{:.0f} epochs when none is given", reproduced_epochs));
    options.add_option("--precision", arguments->precision, "f32 or f64 [f32]", "NAME", "Running");
    options.add_values("--precision", {"f32", "f64"});
    options.add_option("--threads", plan.workers,
                       "runs at the same time, each on a thread of its own [all cores]", "N", "Running");
    add_device(options, plan.device);
    options.add_option("--output", plan.folder, "folder for the report and the runs [alfcg-reproduction]",
                       "FOLDER", "Output");
    options.add_flag("--quiet", arguments->quiet, "no progress line and no table", "Output");
    options.add_flag("--silent", arguments->silent, "print nothing but errors", "Output");
    return [arguments, options] {
        PaperPlan& chosen = arguments->plan;
        check_precision(arguments->precision);
        check_threads(chosen.workers);
        if (!arguments->normalize.empty()) static_cast<void>(parse_normalization(arguments->normalize));
        if (chosen.figures.empty()) chosen.figures = PaperPlan().figures;
        std::sort(chosen.figures.begin(), chosen.figures.end());
        chosen.figures.erase(std::unique(chosen.figures.begin(), chosen.figures.end()), chosen.figures.end());
        arguments->budget.apply_bounded(chosen.budget, reproduced_epochs);
        chosen.verify();
        const Parameters parameters = arguments->parameters.resolve();
        for (const MethodInfo& method : methods()) {
            check_parameters(method.name, own_parameters(method.name, parameters));
        }
        check_folder(chosen.folder);
        arguments->command = options.as_typed();
        return arguments->precision == "f64" ? reproduce<double>(*arguments) : reproduce<float>(*arguments);
    };
}

}  // namespace alfcg::cli

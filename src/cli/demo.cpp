#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "alfcg/data/planted.hpp"
#include "alfcg/fit/fit.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

namespace {

constexpr double radius = 20;
// A singular value below this fraction of the largest is a leftover of early steps, not structure.
constexpr double negligible = 0.1;

struct Run {
    std::string_view method;
    double epochs;
    std::string_view remark;
};
constexpr std::array<Run, 2> runs{{
    {"alfcg-c", 100,
     "the default: every step certifies, with work on the part of the ball in play in between"},
    {"alfcg-mvr1", 60, "every step looks at a small random batch"},
}};

int run_demo() {
    PlantedOptions planted_options;
    planted_options.rows = 8000;
    auto planted = planted_low_rank<float>(planted_options);
    Specification specification;
    specification.loss.name = "multinomial";
    specification.region = {"nuclear", {{"radius", radius}}, {}};
    specification.hold_out = 0.25;
    specification.intercept = false;  // the planted scores have none
    specification.options.seed = 1;
    auto problem = prepare(std::move(planted.data), specification);
    say("Data: {} rows to train on, {} to test with, {} features, {} classes. The labels come from a weight\n"
        "matrix of rank {} plus noise; alfcg is to find it, over the nuclear ball of radius {}.\n",
        rows(problem.training.features), rows(problem.held_out->features), planted_options.features,
        planted_options.classes, planted_options.rank, radius);

    Model<float> model;
    const InterruptGuard guard;
    for (const Run& run : runs) {
        say("\n{}: {}\n", run.method, run.remark);
        Options options;
        options.method = run.method;
        options.max_epochs = run.epochs;
        options.tolerance = 1e-5;
        std::optional<Progress> progress(std::in_place, stdout, options);
        const Fitted<float> fitted = fit(problem, options, [&](const Snapshot<float>& now) {
            progress->show(now);
            return InterruptGuard::asked() ? Action::stop : Action::proceed;
        });
        progress.reset();
        const Report& report = fitted.report;
        if (report.status == Status::interrupted) return exit_interrupted;
        const auto& values = report.singular_values;
        const auto rank = std::count_if(values.begin(), values.end(),
                                        [&](double value) { return value > negligible * values.front(); });
        std::string spectrum;
        for (const double value : values) spectrum += fmt::format(" {:.2f}", value);
        say("test accuracy {:.1f}%, rank {} (singular values{}), {:.2f} s{}\n",
            100 * report.held_out->value(), rank, spectrum, report.seconds.method(),
            report.scale ? fmt::format(", rho found: {:.3g}", *report.scale) : "");
        model = fitted.model;
    }
    model.weights = planted.truth;
    say("\nThe planted weights themselves: test accuracy {:.1f}%, rank {}.\n",
        100 * score_of(model, *problem.held_out).value(), planted_options.rank);
    say("\nNext:\n"
        "  alfcg train YOURDATA --holdout 0.2      fit your own file: LIBSVM, CSV, NPY or IDX, compressed or "
        "not\n"
        "  alfcg predict YOURDATA.model.npz NEWDATA\n"
        "  alfcg compare YOURDATA                  every method side by side, and a report page\n"
        "  alfcg methods | regions | losses        what there is to choose from\n"
        "  alfcg train --help                      every option\n");
    return 0;
}

}  // namespace

Command add_demo(CommandOptions /*options*/) {
    return run_demo;
}

}  // namespace alfcg::cli

#include <fmt/format.h>

#include <array>
#include <string>

#include "alfcg/data/planted.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/model/model.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/region/spectrum.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"

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
    {"alfcg-d", 100, "every step looks at all the rows"},
    {"alfcg-mvr1", 30, "every step looks at a small random batch"},
}};

double percent(const Predictions& predictions) {
    return 100.0 * static_cast<double>(predictions.correct) / static_cast<double>(predictions.classes.size());
}

int run_demo() {
    PlantedOptions planted_options;
    planted_options.rows = 8000;
    auto planted = planted_low_rank<float>(planted_options);
    auto& training = planted.data;
    auto test = hold_out(training, 0.25, 1);
    fmt::print(
        "Data: {} rows to train on, {} to test with, {} features, {} classes. The labels come from a weight\n"
        "matrix of rank {} plus noise; alfcg is to find it, over the nuclear ball of radius {}.\n",
        rows(training.features), rows(test.features), planted_options.features, planted_options.classes,
        planted_options.rank, radius);

    Model<float> model;
    model.loss.kind = Loss::multinomial;
    Targets targets = make_targets(training.labels, model.loss.kind, model.classes);
    const auto objective = linear_objective(training.features, targets, model.loss);
    const InterruptGuard guard;
    for (const Run& run : runs) {
        fmt::print("\n{}: {}\n", run.method, run.remark);
        const auto region = nuclear_ball<float>(radius);
        Options options;
        options.method = run.method;
        options.max_epochs = run.epochs;
        Result<float> result;
        {
            Progress progress(stdout, options);
            result = solve<float>(*objective, *region, options, [&](const Snapshot<float>& now) {
                progress.show(now);
                return InterruptGuard::asked() ? Action::stop : Action::proceed;
            });
        }
        if (result.status == Status::interrupted) return exit_interrupted;
        model.weights = result.x;
        const auto values = singular_values(result.x);
        const auto rank = std::count_if(values.begin(), values.end(),
                                        [&](double value) { return value > negligible * values.front(); });
        std::string spectrum;
        for (const double value : values) spectrum += fmt::format(" {:.2f}", value);
        fmt::print("test accuracy {:.1f}%, rank {} (singular values{}), {:.2f} s, rho found: {:.3g}\n",
                   percent(predict(model, test, false, 0)), rank, spectrum, result.seconds.method(),
                   result.scale.value_or(0));
    }
    model.weights = planted.truth;
    fmt::print("\nThe planted weights themselves: test accuracy {:.1f}%, rank {}.\n",
               percent(predict(model, test, false, 0)), planted_options.rank);
    fmt::print(
        "\nNext:\n"
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

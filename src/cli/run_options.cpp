#include "cli/run_options.hpp"

#include <fmt/format.h>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"

namespace alfcg::cli {

namespace {

constexpr double default_epochs = 100;

}  // namespace

void ParameterArguments::add_to(CLI::App& app) {
    for (const ParameterInfo& info : method_parameters()) {
        const std::string name(info.name);
        const std::string words = info.words.empty() ? "" : std::string(info.words) + "|";
        app.add_option_function<std::string>(
               "--" + name, [this, name](const std::string& text) { given[name] = text; },
               std::string(info.meaning) + " [see alfcg methods]")
            ->group("Method")
            ->type_name(words + "NUMBER");
    }
}

Parameters ParameterArguments::resolve() const {
    Parameters parameters;
    for (const ParameterInfo& info : method_parameters()) {
        const auto found = given.find(std::string(info.name));
        if (found == given.end()) continue;
        std::visit([&](const auto& value) { parameters.set(info.name, value); }, parse(info, found->second));
    }
    return parameters;
}

void BudgetArguments::add_to(CLI::App& app, const std::string& otherwise) {
    const std::string group = "Budget: a run stops at the first one reached [" + otherwise + "]";
    app.add_option("--max-iterations", max_iterations, "iterations")->group(group)->type_name("N");
    app.add_option("--max-epochs", max_epochs, "component gradients over the number of rows")
        ->group(group)
        ->type_name("E");
    app.add_option("--max-seconds", max_seconds, "the method's own time")->group(group)->type_name("S");
    app.add_option("--gap", gap,
                   "stop when the exact gap is at most this; looked at in every iteration where it is free, "
                   "else once an epoch, "
                   "with a trace at its rows")
        ->group(group)
        ->type_name("G");
}

void BudgetArguments::apply(Options& options, double epochs) const {
    if (max_iterations) options.max_iterations = *max_iterations;
    if (max_epochs) options.max_epochs = *max_epochs;
    if (max_seconds) options.max_seconds = *max_seconds;
    options.gap = gap;
    if (!max_iterations && !max_epochs && !max_seconds && !gap) options.max_epochs = epochs;
    options.verify();
}

void BudgetArguments::apply_bounded(Options& options, double epochs) const {
    apply(options, epochs);
    if (!max_iterations && !max_epochs && !max_seconds) options.max_epochs = epochs;
}

void RunArguments::add_to(CLI::App& app) {
    app.add_option("--method", method, "a name from 'alfcg methods' [alfcg-d]")
        ->group("Method")
        ->type_name("NAME");
    parameters.add_to(app);
    budget.add_to(app, fmt::format("{:.0f} epochs when none is given", default_epochs));
}

Options RunArguments::resolve(std::uint64_t seed) const {
    Options options;
    options.method = method;
    options.seed = seed;
    options.parameters = parameters.resolve();
    check_parameters(method, options.parameters);
    budget.apply(options, default_epochs);
    return options;
}

}  // namespace alfcg::cli

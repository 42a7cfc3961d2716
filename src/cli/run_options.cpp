#include "cli/run_options.hpp"

#include <fmt/format.h>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"

namespace alfcg::cli {

namespace {

constexpr double default_epochs = 100;

}  // namespace

std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const MethodInfo& info : methods()) names.emplace_back(info.name);
    return names;
}

void ParameterArguments::add_to(CommandOptions options) {
    for (const ParameterInfo& info : method_parameters()) {
        const std::string name(info.name);
        const std::string words = info.words.empty() ? "" : std::string(info.words) + "|";
        options.add_text(
            "--" + name, [this, name](const std::string& text) { given[name] = text; },
            std::string(info.meaning) + " [see alfcg methods]", words + "NUMBER", "Method");
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

void BudgetArguments::add_to(CommandOptions options, const std::string& otherwise) {
    const std::string group = "Budget: a run stops at the first one reached [" + otherwise + "]";
    options.add_option("--max-iterations", max_iterations, "iterations", "N", group);
    options.add_option("--max-epochs", max_epochs, "component gradients over the number of rows", "E", group);
    options.add_option("--max-seconds", max_seconds, "the method's own time", "S", group);
    options.add_option(
        "--gap", gap,
        "stop when the exact gap is at most this; looked at in every iteration where it is free, "
        "else once an epoch, "
        "with a trace at its rows",
        "G", group);
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

void RunArguments::add_to(CommandOptions options) {
    options.add_option("--method", method, "a name from 'alfcg methods' [alfcg-d]", "NAME", "Method");
    options.add_values("--method", method_names());
    parameters.add_to(options);
    budget.add_to(options, fmt::format("{:.0f} epochs when none is given", default_epochs));
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

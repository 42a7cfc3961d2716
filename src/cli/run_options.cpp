#include "cli/run_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"

namespace alfcg::cli {

namespace {

double parse_parameter(const std::string& name, const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        throw Error(fmt::format("--{} must be a number, not '{}'", name, text));
    }
    return value;
}

}  // namespace

void RunArguments::add_to(CLI::App& app) {
    const std::string group = "Method";
    app.add_option("--method", method, "a name from 'alfcg methods' [alfcg-d]")
        ->group(group)
        ->type_name("NAME");
    for (const ParameterInfo& info : parameter_catalogue()) {
        const std::string name(info.name);
        app.add_option_function<std::string>(
               "--" + name, [this, name](const std::string& text) { parameters[name] = text; },
               std::string(info.meaning))
            ->group(group)
            ->type_name("NUMBER");
    }
    const std::string budget =
        "Budget: the run stops at the first one reached [100 epochs when none is given]";
    app.add_option("--max-iterations", max_iterations, "iterations")->group(budget)->type_name("N");
    app.add_option("--max-epochs", max_epochs, "component gradients over the number of rows")
        ->group(budget)
        ->type_name("E");
    app.add_option("--max-seconds", max_seconds, "the method's own time")->group(budget)->type_name("S");
    app.add_option("--gap", gap, "stop when the exact gap is at most this")->group(budget)->type_name("G");
}

Options RunArguments::resolve(std::uint64_t seed) const {
    Options options;
    options.method = method;
    options.seed = seed;
    for (const ParameterInfo& info : parameter_catalogue()) {
        const std::string name(info.name);
        const auto given = parameters.find(name);
        if (given == parameters.end()) continue;
        options.parameters.*info.member = parse_parameter(name, given->second);
    }
    check_parameters(method, options.parameters);
    if (max_iterations) options.max_iterations = *max_iterations;
    if (max_epochs) options.max_epochs = *max_epochs;
    if (max_seconds) options.max_seconds = *max_seconds;
    options.gap = gap;
    if (!max_iterations && !max_epochs && !max_seconds && !gap) options.max_epochs = 100;
    options.verify();
    return options;
}

}  // namespace alfcg::cli

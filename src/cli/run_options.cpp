#include "cli/run_options.hpp"

#include <fmt/format.h>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "cli/commands.hpp"

namespace alfcg::cli {

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
            std::string(info.meaning) + " [see alfcg methods]",
            info.only_words ? std::string(info.words) : words + "NUMBER", "Method");
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

std::string BudgetArguments::add_to(CommandOptions options, const std::string& otherwise) {
    std::string group = "Budget: a run stops at the first one reached [" + otherwise + "]";
    options.add_option("--max-iterations", max_iterations, "iterations", "N", group);
    options.add_option("--max-epochs", max_epochs, "component gradients over the number of rows", "E", group);
    options.add_option("--max-seconds", max_seconds, "the method's own time", "S", group);
    options.add_option(
        "--gap", gap,
        "stop when the exact gap is at most this; looked at in every iteration where it is free, "
        "else once an epoch, "
        "with a trace at its rows",
        "G", group);
    options.add_text(
        "--memory", [this](const std::string& text) { memory = parse_size("memory", text); },
        "what may be kept of copies and products of the data, in bytes or as 500M, 2G [half of what is free; "
        "alfcg-c: a quarter of the data, or 64M where that is more, and no more than that half]",
        "SIZE", "Running");
    options.add_option(
        "--batch-order", batch_order,
        "random, or blocks: batches of rows that lie side by side in the data, each row once an "
        "epoch, for files larger than memory [random]",
        "NAME", "Method");
    options.add_values("--batch-order", {"random", "blocks"});
    return group;
}

void BudgetArguments::apply(Options& options, double epochs) const {
    if (max_iterations) options.max_iterations = *max_iterations;
    if (max_epochs) options.max_epochs = *max_epochs;
    if (max_seconds) options.max_seconds = *max_seconds;
    options.gap = gap;
    options.memory = memory;
    if (batch_order != "random" && batch_order != "blocks")
        throw QuantityError("batch-order", "must be random or blocks, not '" + batch_order + "'");
    options.batch_order = batch_order == "blocks" ? BatchOrder::blocks : BatchOrder::random;
    if (!given()) options.max_epochs = epochs;
    options.verify();
}

bool BudgetArguments::given() const {
    return max_iterations || max_epochs || max_seconds || gap;
}

void BudgetArguments::apply_bounded(Options& options, double epochs) const {
    apply(options, epochs);
    if (!max_iterations && !max_epochs && !max_seconds) options.max_epochs = epochs;
}

void CheckpointArguments::add_to(CommandOptions options, const std::string& group) {
    options.add_option("--checkpoint", file,
                       "write the state of the run to this file now and then, when a budget ends it, and "
                       "when it is interrupted",
                       "FILE", group);
    options.add_option("--checkpoint-every", every,
                       fmt::format("seconds from one checkpoint to the next; 0: every iteration [{:g}]",
                                   Checkpoints{}.every),
                       "SECONDS", group);
    options.add_option(
        "--resume", resume,
        "go on from this checkpoint of the same run: the same data and options but for the budget", "FILE",
        group);
}

void CheckpointArguments::add_to(CommandOptions options, const std::string& group, const std::string& part) {
    options.add_option("--checkpoint", file,
                       fmt::format("after each {}, write what is known to this file", part), "FILE", group);
    options.add_option("--resume", resume,
                       fmt::format("go on from this file with the next {}: the same data and options", part),
                       "FILE", group);
}

void CheckpointArguments::verify() const {
    if (every && file.empty()) throw QuantityError("checkpoint-every", "is for runs with --checkpoint FILE");
}

void CheckpointArguments::apply(Checkpoints& checkpoints) const {
    checkpoints.file = file;
    checkpoints.resume = resume;
    checkpoints.every = every.value_or(checkpoints.every);
}

std::vector<double> parse_radii(const std::string& text) {
    constexpr ParameterInfo listed_radius{.name = "radii", .meaning = "", .open = true};
    std::vector<double> radii;
    std::string rest = text + ",";
    for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
        radii.push_back(std::get<double>(parse(listed_radius, rest.substr(0, comma))));
        rest.erase(0, comma + 1);
    }
    return radii;
}

void RunArguments::add_to(CommandOptions options) {
    options.add_option("--method", method, "a name from 'alfcg methods' [auto: what suits the region]",
                       "NAME", "Method");
    options.add_values("--method", method_names());
    parameters.add_to(options);
    const std::string group =
        budget.add_to(options, fmt::format("--tol {:g} --max-epochs {:.0f} when none is given",
                                           defaults.tolerance, defaults.max_epochs));
    options.add_option(
        "--tol", tolerance,
        fmt::format(
            "stop when the exact gap is at most T max(|F|, F0 - F), F0 being the objective at the start; "
            "0: do not [{:g}, and 0 where another budget is given]",
            defaults.tolerance),
        "T", group);
}

Options RunArguments::resolve(std::uint64_t seed) const {
    Options options;
    options.method = method;
    options.seed = seed;
    options.parameters = parameters.resolve();
    check_parameters(method, options.parameters);
    options.tolerance = tolerance.value_or(budget.given() ? 0 : defaults.tolerance);
    budget.apply(options, defaults.max_epochs);
    return options;
}

}  // namespace alfcg::cli

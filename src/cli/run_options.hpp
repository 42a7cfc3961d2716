#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alfcg/fit/fit.hpp"
#include "alfcg/method/options.hpp"
#include "cli/command_line.hpp"

namespace alfcg::cli {

/// The methods of the table.
std::vector<std::string> method_names();

/// The methods' parameters, each an option of its own.
struct ParameterArguments {
    std::map<std::string, std::string> given;  // as typed, by name

    void add_to(CommandOptions options);
    /// Throws Error for what is no number.
    [[nodiscard]] Parameters resolve() const;
};

/// How long a run may take, and what it may keep.
struct BudgetArguments {
    std::optional<Index> max_iterations;
    std::optional<double> max_epochs;
    std::optional<double> max_seconds;
    std::optional<double> gap;
    std::optional<Index> memory;  // bytes
    std::string batch_order = "random";

    /// `otherwise`: the budget when none is given, in words. Returns the help's heading.
    std::string add_to(CommandOptions options, const std::string& otherwise);
    /// Of time, iterations, epochs or the gap.
    [[nodiscard]] bool given() const;
    /// Without any budget: `epochs`. Throws Error for a budget that makes no sense.
    void apply(Options& options, double epochs) const;
    /// The same, and `epochs` also when a gap alone is given: a comparison must end.
    void apply_bounded(Options& options, double epochs) const;
};

/// The state of a run, in a file from which it goes on.
struct CheckpointArguments {
    std::string file;
    std::optional<double> every;
    std::string resume;

    void add_to(CommandOptions options, const std::string& group);
    /// For a command that writes one after each of its parts, "radius".
    void add_to(CommandOptions options, const std::string& group, const std::string& part);
    /// Throws Error when something makes no sense.
    void verify() const;
    [[nodiscard]] bool used() const { return !file.empty() || !resume.empty(); }
    void apply(Checkpoints& checkpoints) const;
};

/// Radii by commas. Throws Error.
std::vector<double> parse_radii(const std::string& text);

/// One method with its parameters and its budget.
struct RunArguments {
    std::string method = "auto";
    ParameterArguments parameters;
    BudgetArguments budget;
    std::optional<double> tolerance;  // none: the default, where no budget is given
    Options defaults = Specification::default_options();

    void add_to(CommandOptions options);
    /// Throws Error when something does not fit the method.
    [[nodiscard]] Options resolve(std::uint64_t seed) const;
};

}  // namespace alfcg::cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alfcg/fit/fit.hpp"
#include "cli/command_line.hpp"

namespace alfcg::cli {

/// --max-unpacked, where files are read that may be compressed.
void add_max_unpacked(CommandOptions options, std::uint64_t& bytes, const std::string& group);

/// Options that say which data to read and how.
struct DataArguments {
    std::string source;
    std::vector<std::string> more;  // files, where the command takes several
    std::optional<Index> rows;      // none: all
    std::optional<Index> features;  // none: as found
    bool scale = false;
    ReadOptions read;

    /// With `training`, also what only training may choose, and a model remembers.
    void add_to(CommandOptions options, bool training);
    /// Checks what was given; throws Error.
    [[nodiscard]] ReadOptions resolve() const;
};

/// Options that say what is to be minimised, and over which set.
struct ProblemArguments {
    DataArguments data;
    Specification specification;  // but for the normalisation
    std::string normalize = "none";
    std::string precision = "f32";
    std::string class_weights;
    bool with_intercept = false;
    bool without_intercept = false;

    /// `intercept`: whether the command fits one when nothing is said.
    void add_to(CommandOptions options, bool intercept);
    /// Checks all that can be checked before the data are read; throws Error. `finds_radius`: the command takes --radius auto.
    void verify(bool finds_radius = false) const;
    /// For one of the runs: with these options.
    [[nodiscard]] Specification resolve(const Options& options) const;
    [[nodiscard]] FileData file() const { return {data.source, data.resolve(), data.more}; }
    [[nodiscard]] std::uint64_t seed() const { return specification.options.seed; }
    /// --radius auto; what `resolve` gives then has no radius.
    [[nodiscard]] bool radius_auto() const {
        return specification.region.parameters.word("radius").has_value();
    }
    [[nodiscard]] bool is_double() const { return precision == "f64"; }
};

/// --device.
void add_device(CommandOptions options, std::string& device);

/// What --normalize takes.
std::vector<std::string> normalization_names();

/// Lines for stderr, "alfcg: note: ..." each.
void print_notes(const std::vector<std::string>& notes);

/// The first lines of the output, before anything is fitted: which data, and what was concluded from them.
template <class Real>
std::string describe_problem(const std::string& source, const Problem<Real>& problem);

}  // namespace alfcg::cli

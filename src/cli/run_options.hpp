#pragma once

#include <CLI/App.hpp>
#include <map>
#include <optional>
#include <string>

#include "alfcg/solve/options.hpp"

namespace alfcg::cli {

/// Options that say which method to run, with which parameters, and for how long.
struct RunArguments {
    std::string method = "alfcg-d";
    std::map<std::string, std::string> parameters;  // as typed, by name
    std::optional<Index> max_iterations;
    std::optional<double> max_epochs;
    std::optional<double> max_seconds;
    std::optional<double> gap;

    void add_to(CLI::App& app);
    /// Throws Error when something does not fit the method. Without any budget: 100 epochs.
    [[nodiscard]] Options resolve(std::uint64_t seed) const;
};

}  // namespace alfcg::cli

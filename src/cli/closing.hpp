#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "alfcg/fit/fit.hpp"
#include "cli/problem.hpp"
#include "cli/run_options.hpp"

namespace alfcg::cli {

/// What was asked for, of a command that ends with a model.
struct ClosingArguments {
    ProblemArguments problem;
    RunArguments run;
    std::string model;
    std::string trace;
    std::string start;
    std::vector<std::string> notes = {};  // to be told at the end
};

/// The closing summary of the contract.
template <class Real>
nlohmann::ordered_json closing_summary(const ClosingArguments& arguments, const Problem<Real>& problem,
                                       const Report& report, const std::vector<double>& intercept);

/// The same in words, as a block.
void print_closing(const ClosingArguments& arguments, const Options& options, const std::string& loss,
                   Index weights, const Report& report);

}  // namespace alfcg::cli

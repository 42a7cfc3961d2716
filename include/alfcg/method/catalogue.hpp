#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/solve/options.hpp"

namespace alfcg {

/// One parameter that some methods have.
struct ParameterInfo {
    std::string_view name;  // also the command line's option
    std::optional<double> Parameters::*member;
    std::string_view meaning;
    double least;  // range of values allowed
    double most;
    bool open;   // the ends of the range are not allowed themselves
    bool whole;  // integers only
};

/// Every parameter of every method.
std::span<const ParameterInfo> parameter_catalogue();

/// Whether it is set: by a number or, for ρ, by a rule.
bool is_given(const ParameterInfo& info, const Parameters& given);

/// One row of the method table, in words.
struct MethodInfo {
    std::string_view name;
    std::string_view setting;    // deterministic, finite-sum, expectation
    std::string_view estimator;  // where g_t comes from
    std::string_view step;       // where η_t comes from
    std::string parameters;      // "rho = 1, batch = sqrt(N)"
    std::string_view reference;  // the paper it comes from
};

/// The table, in the order it is printed.
std::vector<MethodInfo> methods();

/// Throws Error when there is no such method, when it lacks a parameter that is set, or when a value is out
/// of range.
void check_parameters(std::string_view method, const Parameters& given);

/// Those of the given parameters that the method has.
Parameters own_parameters(std::string_view method, const Parameters& given);

}  // namespace alfcg

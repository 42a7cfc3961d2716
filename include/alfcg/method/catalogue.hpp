#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/parameters.hpp"

namespace alfcg {

/// One row of the method table, in words.
struct MethodInfo {
    std::string_view name;
    std::string_view setting;  // deterministic, finite-sum, expectation: the paper's; corrective: all others
    std::string_view estimator;  // where g_t comes from
    std::string_view step;       // where η_t comes from
    std::string_view reference;  // the paper it comes from
    std::vector<Parameter> parameters;
    bool needs_entries = false;  // all of them, of x and of gradients: not for factors
};

/// The table, in the order it is printed.
std::vector<MethodInfo> methods();
/// Throws Error, listing the names, when there is no such method.
MethodInfo method_info(std::string_view name);

/// Throws Error when there is no such method, when it lacks a parameter that is given, or when a value is out
/// of range.
void check_parameters(std::string_view method, const Parameters& given);
/// Those of the given parameters that the method has.
Parameters own_parameters(std::string_view method, const Parameters& given);

/// Every parameter of every method, once.
std::vector<ParameterInfo> method_parameters();

}  // namespace alfcg

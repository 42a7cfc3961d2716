#include <algorithm>
#include <array>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "method/table.hpp"

namespace alfcg {

namespace {

using P = Parameters;
constexpr double none = std::numeric_limits<double>::infinity();

constexpr std::array<ParameterInfo, 14> parameters{{
    {"rho", &P::rho, "ALFCG: scale of the curvature estimate: auto finds it, probe looks once, or a number",
     0, none, true, false},
    {"beta", &P::beta, "ALFCG: noise parameter of the momentum", 0, none, false, false},
    {"batch", &P::batch, "rows per batch", 1, none, false, true},
    {"period", &P::period, "iterations between resets", 1, none, false, true},
    {"reset", &P::reset, "rows of a drawn reset", 1, none, false, true},
    {"groups", &P::groups, "number of batches the median is taken of", 1, none, false, true},
    {"lipschitz", &P::lipschitz, "given curvature, or the first one of a search", 0, none, true, false},
    {"momentum", &P::momentum, "weight of the past gradient", 0, 1, false, false},
    {"inner-steps", &P::inner_steps, "steps on the inner problem", 1, none, false, true},
    {"contraction", &P::contraction, "factor by which a rejected step shrinks", 0, 1, true, false},
    {"descent", &P::descent, "share of the predicted decrease that is demanded", 0, 1, true, false},
    {"increase", &P::increase, "factor by which a rejected curvature grows", 1, none, true, false},
    {"decrease", &P::decrease, "factor from an accepted curvature to the next first one", 0, 1, true, false},
    {"power", &P::power, "exponent p of the schedule (t+1)^-p", 0, none, true, false},
}};

const ParameterInfo& info_of(std::optional<double> Parameters::*member) {
    return *std::find_if(parameters.begin(), parameters.end(),
                         [&](const ParameterInfo& info) { return info.member == member; });
}

std::string parameter_text(const Method& method) {
    std::string text;
    for (const auto& parameter : method.parameters) {
        text += (text.empty() ? "" : ", ") + std::string(info_of(parameter.member).name) + " = " +
                parameter.fallback.text();
    }
    return text.empty() ? "no parameters" : text;
}

void check(const ParameterInfo& info, double value) {
    const std::string name = "--" + std::string(info.name);
    const bool low = value < info.least || (info.open && value == info.least);
    if (!std::isfinite(value) || low || value > info.most || (info.open && value == info.most)) {
        std::string range = (info.open ? "greater than " : "at least ") + format_number(info.least);
        if (info.most < none)
            range += (info.open ? " and less than " : " and at most ") + format_number(info.most);
        throw Error(name + " must be " + range + ", not " + format_number(value));
    }
    if (info.whole && value != std::floor(value)) {
        throw Error(name + " must be a whole number, not " + format_number(value));
    }
}

}  // namespace

std::string Default::text() const {
    if (automatic) return "auto";
    return root_of_samples ? "sqrt(N)" : format_number(std::round(number * 1e6) / 1e6);
}

const Method& find_method(std::string_view name) {
    std::string names;
    for (const Method& method : method_table()) {
        if (method.name == name) return method;
        names += (names.empty() ? "" : ", ") + std::string(method.name);
    }
    throw Error("unknown method '" + std::string(name) + "': use one of " + names);
}

Parameters resolve_parameters(const Method& method, const Parameters& given, Index samples) {
    check_parameters(method.name, given);
    Parameters resolved = given;
    for (const auto& parameter : method.parameters) {
        auto& value = resolved.*(parameter.member);
        if (!value) value = parameter.fallback.value(samples);
    }
    return resolved;
}

std::span<const ParameterInfo> parameter_catalogue() {
    return parameters;
}

std::vector<MethodInfo> methods() {
    std::vector<MethodInfo> list;
    for (const Method& method : method_table()) {
        list.push_back({method.name, method.setting, method.estimator_text, to_text(method.step),
                        parameter_text(method), method.reference});
    }
    return list;
}

bool is_given(const ParameterInfo& info, const Parameters& given) {
    return given.*info.member || (info.member == &P::rho && given.rho_rule);
}

void check_parameters(std::string_view method, const Parameters& given) {
    const Method& row = find_method(method);
    for (const ParameterInfo& info : parameters) {
        if (!is_given(info, given)) continue;
        const bool known = std::any_of(row.parameters.begin(), row.parameters.end(),
                                       [&](const Method::Parameter& p) { return p.member == info.member; });
        if (!known) {
            throw Error(std::string(method) + " has no parameter --" + std::string(info.name) + ": it has " +
                        parameter_text(row));
        }
        if (const auto& value = given.*info.member) check(info, *value);
    }
}

Parameters own_parameters(std::string_view method, const Parameters& given) {
    Parameters own;
    for (const auto& parameter : find_method(method).parameters) {
        own.*(parameter.member) = given.*(parameter.member);
        if (parameter.member == &P::rho) own.rho_rule = given.rho_rule;
    }
    return own;
}

}  // namespace alfcg

#include "method/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/data/labels.hpp"

namespace alfcg {

namespace {

constexpr Default root{.number = 0, .root_of_samples = true};
// The printed ρ = 1e-5 makes sense only for data scaled to it (spec 9); 0.3 suits features of about unit size.
constexpr Default default_rho{.number = 0.3};

constexpr std::string_view paper = "ALFCG: adaptive Lipschitz-free conditional gradient (this project's paper)";

const std::array<Method, 4>& table() {
    using Momentum = AlfAccumulator::Momentum;
    static const std::array<Method, 4> rows{{
        {"alfcg-d", "deterministic", EstimatorKind::full, Momentum::none, {{"rho", default_rho}}, "full gradient",
         "ALF", paper},
        {"alfcg-fs",
         "finite sum",
         EstimatorKind::spider,
         Momentum::none,
         {{"rho", default_rho}, {"batch", root}, {"period", root}},
         "SPIDER, full reset every period",
         "ALF",
         paper},
        {"alfcg-mvr1",
         "expectation",
         EstimatorKind::ema,
         Momentum::mvr1,
         {{"rho", default_rho}, {"beta", {100}}, {"batch", root}},
         "EMA",
         "ALF",
         paper},
        {"alfcg-mvr2",
         "expectation",
         EstimatorKind::storm,
         Momentum::mvr2,
         {{"rho", default_rho}, {"beta", {100}}, {"batch", root}},
         "STORM",
         "ALF",
         paper},
    }};
    return rows;
}

constexpr std::array<ParameterInfo, 4> parameters{{
    {"rho", &Parameters::rho, "scale of the curvature estimate", 0, true, false},
    {"beta", &Parameters::beta, "noise parameter of the momentum", 0, false, false},
    {"batch", &Parameters::batch, "rows per batch", 1, false, true},
    {"period", &Parameters::period, "iterations between full resets", 1, false, true},
}};

bool has(const Method& method, std::string_view parameter) {
    return std::any_of(method.parameters.begin(), method.parameters.end(),
                       [&](const Method::Parameter& p) { return p.name == parameter; });
}

std::string parameter_text(const Method& method) {
    std::string text;
    for (const auto& parameter : method.parameters) {
        text += (text.empty() ? "" : ", ") + std::string(parameter.name) + " = " + parameter.fallback.text();
    }
    return text;
}

void check(const ParameterInfo& info, double value) {
    const std::string name = "--" + std::string(info.name);
    if (!std::isfinite(value) || value < info.least || (info.open && value == info.least)) {
        throw Error(name + " must be " + (info.open ? "greater than " : "at least ") + format_number(info.least) +
                    ", not " + format_number(value));
    }
    if (info.whole && value != std::floor(value)) {
        throw Error(name + " must be a whole number, not " + format_number(value));
    }
}

}  // namespace

double Default::value(Index samples) const {
    if (!root_of_samples) return number;
    auto result = static_cast<Index>(std::sqrt(static_cast<double>(samples)));
    while (result * result > samples) --result;
    while ((result + 1) * (result + 1) <= samples) ++result;
    return static_cast<double>(result);
}

std::string Default::text() const {
    return root_of_samples ? "sqrt(N)" : format_number(number);
}

std::span<const Method> method_table() {
    return table();
}

const Method& find_method(std::string_view name) {
    for (const Method& method : table())
        if (method.name == name) return method;
    std::string names;
    for (const Method& method : table()) names += (names.empty() ? "" : ", ") + std::string(method.name);
    throw Error("unknown method '" + std::string(name) + "': use one of " + names);
}

Parameters resolve_parameters(const Method& method, const Parameters& given, Index samples) {
    check_parameters(method.name, given);
    Parameters resolved = given;
    for (const auto& parameter : method.parameters) {
        const auto* info = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const ParameterInfo& p) { return p.name == parameter.name; });
        auto& value = resolved.*(info->member);
        if (!value) value = parameter.fallback.value(samples);
    }
    return resolved;
}

std::span<const ParameterInfo> parameter_catalogue() {
    return parameters;
}

std::span<const MethodInfo> methods() {
    static const std::vector<MethodInfo> infos = [] {
        std::vector<MethodInfo> list;
        for (const Method& method : table()) {
            list.push_back({method.name, method.setting, method.estimator_text, method.step_text,
                            parameter_text(method), method.reference});
        }
        return list;
    }();
    return infos;
}

void check_parameters(std::string_view method, const Parameters& given) {
    const Method& row = find_method(method);
    for (const ParameterInfo& info : parameters) {
        const auto& value = given.*info.member;
        if (!value) continue;
        if (!has(row, info.name)) {
            throw Error(std::string(method) + " has no parameter --" + std::string(info.name) + ": it has " +
                        parameter_text(row));
        }
        check(info, *value);
    }
}

}  // namespace alfcg

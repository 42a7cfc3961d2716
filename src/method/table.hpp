#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/method/catalogue.hpp"

namespace alfcg {

/// Default of a parameter: a number, the integer square root of the number of rows, or left to the method.
struct Default {
    double number = 0;
    bool root_of_samples = false;
    bool automatic = false;

    [[nodiscard]] std::optional<double> value(Index samples) const;
    [[nodiscard]] std::string text() const;
};

enum class EstimatorKind {
    full,
    heavy_ball,
    mini_batch,
    growing_batch,
    median,
    svrg,
    saga,
    spider,
    ema,
    storm,
    sliding
};
enum class StepKind {
    open_loop,
    power,
    short_step,
    armijo,
    parameter_free,
    sliding,
    alf,
    alf_mvr1,
    alf_mvr2
};

/// A method is a row: one estimator, one step rule, their defaults, and the paper it comes from.
struct Method {
    struct Parameter {
        std::optional<double> Parameters::*member;
        Default fallback;
    };
    std::string_view name;
    std::string_view setting;
    EstimatorKind estimator;
    StepKind step;
    std::vector<Parameter> parameters;
    std::string_view estimator_text;
    std::string_view reference;
};

std::span<const Method> method_table();
std::string_view to_text(StepKind kind);

/// Throws Error, listing the names, when there is no such method.
const Method& find_method(std::string_view name);

/// The parameters of a run: those given, checked, and the method's defaults for the rest.
Parameters resolve_parameters(const Method& method, const Parameters& given, Index samples);

}  // namespace alfcg

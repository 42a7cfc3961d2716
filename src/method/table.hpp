#pragma once

#include <string_view>
#include <vector>

#include "alfcg/method/catalogue.hpp"
#include "step/alf.hpp"

namespace alfcg {

/// Default of a parameter: a number, or the integer square root of the number of rows.
struct Default {
    double number = 0;
    bool root_of_samples = false;

    [[nodiscard]] double value(Index samples) const;
    [[nodiscard]] std::string text() const;
};

enum class EstimatorKind { full, spider, ema, storm };

/// A method is a row: one estimator, one step rule, their defaults, and the paper it comes from.
struct Method {
    struct Parameter {
        std::string_view name;
        Default fallback;
    };
    std::string_view name;
    std::string_view setting;
    EstimatorKind estimator;
    AlfAccumulator::Momentum momentum;
    std::vector<Parameter> parameters;
    std::string_view estimator_text;
    std::string_view step_text;
    std::string_view reference;
};

std::span<const Method> method_table();

/// Throws Error, listing the names, when there is no such method.
const Method& find_method(std::string_view name);

/// The parameters of a run: those given, checked, and the method's defaults for the rest.
Parameters resolve_parameters(const Method& method, const Parameters& given, Index samples);

}  // namespace alfcg

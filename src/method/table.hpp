#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "alfcg/method/catalogue.hpp"
#include "alfcg/solve/method.hpp"
#include "estimator/estimator.hpp"

namespace alfcg {

/// What a method is made from.
template <class Real>
struct MethodParts {
    Objective<Real>& objective;
    Batches& batches;
    const Parameters& parameters;  // resolved
    std::optional<Index> memory;   // as in Options

    [[nodiscard]] double operator()(std::string_view name) const { return parameters.number(name).value(); }
    /// As a count; more than any run could use is cut off. 0 where the method does not have it.
    [[nodiscard]] Index count(std::string_view name) const;
    [[nodiscard]] EstimatorParts<Real> estimator() const;
};

/// A method is a row: its name, its parameters, how it is made, and the paper it comes from.
struct MethodRow : MethodInfo {
    template <class Real>
    using Factory = std::function<std::unique_ptr<Method<Real>>(const MethodParts<Real>&)>;
    Factory<float> make_float;
    Factory<double> make_double;

    template <class Real>
    [[nodiscard]] std::unique_ptr<Method<Real>> make(const MethodParts<Real>& parts) const {
        if constexpr (std::is_same_v<Real, float>) {
            return make_float(parts);
        } else {
            return make_double(parts);
        }
    }
};

/// A name that leaves the choice to choose_method(), and what it falls back on.
constexpr std::string_view automatic_method = "auto";
constexpr std::string_view fallback_method = "alfcg-d";

std::span<const MethodRow> method_table();

/// Throws Error, listing the names, when there is no such method.
const MethodRow& find_method(std::string_view name);

}  // namespace alfcg

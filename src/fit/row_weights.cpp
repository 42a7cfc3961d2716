#include "fit/row_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg {

namespace {

std::optional<double> number_in(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// A label as classes are named: "1.0" is "1".
std::string class_name(const std::string& label, const Classes& classes) {
    if (!classes.numeric()) return label;
    const auto number = number_in(label.starts_with('+') ? std::string_view(label).substr(1) : label);
    return number ? format_number(*number) : label;
}

// The weight of each class.
std::vector<double> given_weights(const ClassWeights& given, const Classes& classes) {
    std::vector<double> weights(classes.names.size(), 1);
    for (const auto& [label, weight] : given.given) {
        const auto found = std::find(classes.names.begin(), classes.names.end(), class_name(label, classes));
        if (found == classes.names.end())
            throw QuantityError("class-weights",
                                fmt::format("names {}, a label that no row has; there are {}", label,
                                            listed(classes.names, "and")));
        weights[static_cast<std::size_t>(found - classes.names.begin())] = weight;
    }
    return weights;
}

template <class Real>
void multiply(Dataset<Real>& data, const Classes& classes, const std::vector<double>& factors) {
    data.weights.resize(static_cast<std::size_t>(rows(data.features)), 1);
    const std::vector<std::int32_t> codes = classes.encode(data.labels);
    for (std::size_t i = 0; i < codes.size(); ++i)
        data.weights[i] *= factors[static_cast<std::size_t>(codes[i])];
}

template <class Real>
bool take_out_zeros(Dataset<Real>& data, Ranks* ranks) {
    std::vector<bool> absent;
    for (const double weight : data.weights) absent.push_back(weight == 0);
    const double zeros = sum_over(ranks, static_cast<double>(std::count(absent.begin(), absent.end(), true)));
    if (zeros == 0) return false;
    if (zeros == sum_over(ranks, static_cast<double>(absent.size())))
        throw QuantityError("weights", fmt::format("of {} are all 0", data.name));
    if (!absent.empty()) take_rows(data, absent, ranks != nullptr);
    return true;
}

template <class Real>
void check_row_weights(const Dataset<Real>& data) {
    const Index count = rows(data.features);
    if (!data.weights.empty() && std::ssize(data.weights) != count)
        throw QuantityError(
            "weights", fmt::format("of {}: {} of them for {} rows", data.name, data.weights.size(), count));
    for (std::size_t i = 0; i < data.weights.size(); ++i)
        if (!std::isfinite(data.weights[i]) || data.weights[i] < 0)
            throw QuantityError("weights",
                                fmt::format("of {}, row {}: must be a finite number of at least 0, not {}",
                                            data.name, i + 1, data.weights[i]));
}

}  // namespace

ClassWeights ClassWeights::parse(const std::string& text) {
    ClassWeights weights;
    if (text.empty()) return weights;
    if (text == "balanced") {
        weights.balanced = true;
        return weights;
    }
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t last = std::min(text.find(',', first), text.size());
        const std::string entry = text.substr(first, last - first);
        const std::size_t colon = entry.rfind(':');
        const auto weight =
            colon == std::string::npos ? std::nullopt : number_in(std::string_view(entry).substr(colon + 1));
        if (!weight || !std::isfinite(*weight) || *weight < 0)
            throw QuantityError(
                "class-weights",
                fmt::format("must be balanced or LABEL:WEIGHT,... with weights of at least 0, not '{}'",
                            entry));
        if (!weights.given.emplace(entry.substr(0, colon), *weight).second)
            throw QuantityError("class-weights", fmt::format("names {} twice", entry.substr(0, colon)));
        first = last + 1;
    }
    return weights;
}

template <class Real>
bool weigh(Dataset<Real>& data, const ClassWeights& classes, Ranks* ranks) {
    agree(ranks, [&] { check_row_weights(data); });
    if (!classes.given.empty()) {
        const Classes found = find_classes(data.labels, ranks);
        multiply(data, found, given_weights(classes, found));
    }
    return take_out_zeros(data, ranks);
}

template <class Real>
void balance(Dataset<Real>& data, const Classes& classes, Ranks* ranks) {
    data.weights.resize(static_cast<std::size_t>(rows(data.features)), 1);
    std::vector<double> sums(classes.names.size(), 0);
    const std::vector<std::int32_t> codes = classes.encode(data.labels);
    for (std::size_t i = 0; i < codes.size(); ++i)
        sums[static_cast<std::size_t>(codes[i])] += data.weights[i];
    sum_over<double>(ranks, sums);
    const double share =
        std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(classes.names.size());
    for (double& sum : sums) sum = share / sum;
    multiply(data, classes, sums);
}

template bool weigh(Dataset<float>&, const ClassWeights&, Ranks*);
template bool weigh(Dataset<double>&, const ClassWeights&, Ranks*);
template void balance(Dataset<float>&, const Classes&, Ranks*);
template void balance(Dataset<double>&, const Classes&, Ranks*);

}  // namespace alfcg

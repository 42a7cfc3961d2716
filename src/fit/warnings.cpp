#include "fit/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "data/page_advice.hpp"

namespace alfcg {

template <class Real>
std::vector<std::string> warnings_of(const Model<Real>& model, const Matrix<Real>& start,
                                     const Predictions& answers, Ranks* ranks) {
    const auto weights = model.weights.span();
    const auto first = start.span();
    if (std::equal(weights.begin(), weights.end(), first.begin(), first.end())) {
        const bool zero = std::all_of(weights.begin(), weights.end(), [](Real w) { return w == 0; });
        return {fmt::format("the weights are still at their start{}: nothing was learned from the features",
                            zero ? ", zero" : "")};
    }
    if (model.classes.size() < 2) return {};
    // The largest class that a row is predicted as, and less the smallest.
    std::vector<double> ends(2, -std::numeric_limits<double>::infinity());
    for (const std::int32_t code : answers.classes) {
        ends[0] = std::max(ends[0], static_cast<double>(code));
        ends[1] = std::max(ends[1], -static_cast<double>(code));
    }
    if (ranks != nullptr) ranks->largest(ends);
    if (!std::isfinite(ends[0]) || ends[0] != -ends[1]) return {};
    return {
        fmt::format("every training row is predicted as '{}', one of {} classes: a larger `radius` or a "
                    "longer run may help",
                    model.classes.names[static_cast<std::size_t>(ends[0])], model.classes.size())};
}

template <class Real>
std::vector<std::string> warnings_about_units(const Problem<Real>& problem) {
    constexpr double far_apart = 100;
    const auto& data = problem.training;
    // Words that are seldom deviate little, and are in the same units as the others.
    const bool dense = std::holds_alternative<DenseFeatures<Real>>(data.features);
    if (problem.scaling.kind == Normalization::columns ||
        !(problem.ranks == nullptr ? dense : problem.ranks->all(dense)))
        return {};
    // Several passes, for a hint, are too much for a file that is read anew in each.
    const bool stays = !PageAdvice<Real>(data.features).on();
    if (!(problem.ranks == nullptr ? stays : problem.ranks->all(stays))) return {};
    const auto deviations =
        measure_scaling(data.features, Normalization::columns, problem.parts, data.weights, problem.ranks)
            .divisors;
    const auto [least, most] = std::minmax_element(deviations.begin(), deviations.end());
    if (!(*most > far_apart * *least)) return {};
    return {fmt::format(
        "the features are in units up to {:.1g} times apart, which makes runs long: `normalize` columns "
        "brings them together",
        *most / *least)};
}

template std::vector<std::string> warnings_about_units(const Problem<float>&);
template std::vector<std::string> warnings_about_units(const Problem<double>&);
template std::vector<std::string> warnings_of(const Model<float>&, const Matrix<float>&, const Predictions&,
                                              Ranks*);
template std::vector<std::string> warnings_of(const Model<double>&, const Matrix<double>&, const Predictions&,
                                              Ranks*);

}  // namespace alfcg

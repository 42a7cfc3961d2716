#include "fit/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "data/page_advice.hpp"

namespace alfcg {

template <class Real>
std::vector<std::string> warnings_of(const Model<Real>& model, const Matrix<Real>& start,
                                     const Predictions& answers) {
    const auto weights = model.weights.span();
    const auto first = start.span();
    if (std::equal(weights.begin(), weights.end(), first.begin(), first.end())) {
        const bool zero = std::all_of(weights.begin(), weights.end(), [](Real w) { return w == 0; });
        return {fmt::format("the weights are still at their start{}: nothing was learned from the features",
                            zero ? ", zero" : "")};
    }
    const auto& classes = answers.classes;
    const bool one = !classes.empty() && std::all_of(classes.begin(), classes.end(), [&](std::int32_t code) {
        return code == classes.front();
    });
    if (!one || model.classes.size() < 2) return {};
    return {
        fmt::format("every training row is predicted as '{}', one of {} classes: a larger `radius` or a "
                    "longer run may help",
                    model.classes.names[static_cast<std::size_t>(classes.front())], model.classes.size())};
}

template <class Real>
std::vector<std::string> warnings_about_units(const Problem<Real>& problem) {
    constexpr double far_apart = 100;
    const auto& data = problem.training;
    // Words that are seldom deviate little, and are in the same units as the others.
    if (problem.scaling.kind == Normalization::columns ||
        !std::holds_alternative<DenseFeatures<Real>>(data.features))
        return {};
    // Several passes, for a hint, are too much for a file that is read anew in each.
    if (PageAdvice<Real>(data.features).on()) return {};
    const auto deviations =
        measure_scaling(data.features, Normalization::columns, problem.parts, data.weights).divisors;
    const auto [least, most] = std::minmax_element(deviations.begin(), deviations.end());
    if (!(*most > far_apart * *least)) return {};
    return {fmt::format(
        "the features are in units up to {:.1g} times apart, which makes runs long: `normalize` columns "
        "brings them together",
        *most / *least)};
}

template std::vector<std::string> warnings_about_units(const Problem<float>&);
template std::vector<std::string> warnings_about_units(const Problem<double>&);
template std::vector<std::string> warnings_of(const Model<float>&, const Matrix<float>&, const Predictions&);
template std::vector<std::string> warnings_of(const Model<double>&, const Matrix<double>&,
                                              const Predictions&);

}  // namespace alfcg

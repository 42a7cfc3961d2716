#include "fit/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

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

template std::vector<std::string> warnings_of(const Model<float>&, const Matrix<float>&, const Predictions&);
template std::vector<std::string> warnings_of(const Model<double>&, const Matrix<double>&,
                                              const Predictions&);

}  // namespace alfcg

#include <fmt/format.h>

#include "alfcg/core/error.hpp"
#include "alfcg/fit/fit.hpp"

namespace alfcg {

namespace {

// What a column is divided by; rows are another matter.
double divisor_of(const Scaling& scaling, Index column) {
    if (scaling.kind == Normalization::columns) return scaling.divisors[static_cast<std::size_t>(column)];
    return scaling.kind == Normalization::spectral ? scaling.divisors.front() : 1;
}

template <class Real>
void check_fits(const Model<Real>& model, const Problem<Real>& problem) {
    const Shape shape = problem.objective->shape();
    const auto refuse = [](const std::string& what) { throw QuantityError("start", what); };
    if (loss_info(model.loss.name).target != loss_info(problem.loss.name).target)
        refuse(fmt::format("is a model for the {} loss, which predicts something else than the {} loss does",
                           model.loss.name, problem.loss.name));
    if (model.weights.cols() != shape.cols)
        refuse(fmt::format("is a model of {} features, the data have {}", model.weights.cols(), shape.cols));
    if (model.classes.names != problem.classes.names)
        refuse(model.classes.size() != problem.classes.size()
                   ? fmt::format("is a model of {} classes, the data have {}", model.classes.size(),
                                 problem.classes.size())
                   : "is a model of other classes than those of the data");
    if (!model.names.empty() && !problem.training.names.empty() && model.names != problem.training.names)
        refuse("is a model of features with other names, or in another order, than those of the data");
    if ((model.scaling.kind == Normalization::rows) != (problem.scaling.kind == Normalization::rows))
        refuse(fmt::format(
            "is a model of data with `normalize` {}, here it is {}: weights for normalised rows are no "
            "weights for others",
            to_text(model.scaling.kind), to_text(problem.scaling.kind)));
}

}  // namespace

template <class Real>
Matrix<Real> start_from(const Model<Real>& model, const Problem<Real>& problem) {
    check_fits(model, problem);
    Matrix<Real> weights = model.weights;
    for (Index l = 0; l < weights.rows(); ++l)
        for (Index j = 0; j < weights.cols(); ++j) {
            const double before = divisor_of(model.scaling, j);
            const double now = divisor_of(problem.scaling, j);
            if (before != now)
                weights(l, j) = static_cast<Real>(static_cast<double>(weights(l, j)) / before * now);
        }
    return weights;
}

template Matrix<float> start_from(const Model<float>&, const Problem<float>&);
template Matrix<double> start_from(const Model<double>&, const Problem<double>&);

}  // namespace alfcg

#include "objective/block_loss.hpp"

#include <algorithm>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "kernels/losses.hpp"

namespace alfcg {

template <class Real>
BlockLoss<Real>::BlockLoss(const Targets& targets, const LossOptions& loss)
    : loss_(loss), outputs_(targets.outputs) {
    if (!(loss.threshold > 0) || !std::isfinite(loss.threshold))
        throw Error("the huber threshold must be positive");
    if (!(loss.width > 0) || !std::isfinite(loss.width)) throw Error("the welsch width must be positive");
    const auto take = [&](const auto& values) {
        targets_.resize(static_cast<std::size_t>(
            kernels::padded<Real>(static_cast<Index>(values.size()) + kernels::padded<Real>(1))));
        std::transform(values.begin(), values.end(), targets_.begin(),
                       [](auto value) { return static_cast<Real>(value); });
    };
    if (loss.kind == Loss::multinomial) {
        take(targets.classes);
    } else {
        take(targets.values);
    }
}

template <class Real>
double BlockLoss<Real>::apply(Real* scores, Index count, kernels::ScoreLayout layout, const Real* targets,
                              double weight) const {
    switch (loss_.kind) {
        case Loss::multinomial:
            return kernels::softmax_loss(scores, count, outputs_, layout, targets, weight);
        case Loss::logistic:
            return kernels::logistic_loss(scores, count, targets, weight);
        case Loss::sigmoid:
            return kernels::sigmoid_loss(scores, count, targets, weight);
        case Loss::squared:
            return kernels::squared_loss(scores, count, targets, weight);
        case Loss::huber:
            return kernels::huber_loss(scores, count, targets, weight, loss_.threshold);
        case Loss::welsch:
            return kernels::welsch_loss(scores, count, targets, weight, loss_.width);
    }
    return 0;
}

template class BlockLoss<float>;
template class BlockLoss<double>;

}  // namespace alfcg

#include "objective/block_loss.hpp"

#include <algorithm>

namespace alfcg {

template <class Real>
BlockLoss<Real>::BlockLoss(const Targets& targets, const LossSpec& loss)
    : judge_(find_loss(loss.name).make<Real>(loss.parameters)),
      relative_(find_loss(loss.name).relative),
      outputs_(targets.outputs) {
    const auto take = [&](const auto& values) {
        targets_.resize(static_cast<std::size_t>(
            kernels::padded<Real>(static_cast<Index>(values.size()) + kernels::padded<Real>(1))));
        std::transform(values.begin(), values.end(), targets_.begin(),
                       [](auto value) { return static_cast<Real>(value); });
    };
    if (find_loss(loss.name).target == TargetKind::classes) {
        take(targets.classes);
    } else {
        take(targets.values);
    }
}

template class BlockLoss<float>;
template class BlockLoss<double>;

}  // namespace alfcg

#include "objective/block_loss.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

// f(value) for each, and room for a whole vector of them at the end.
template <class Real, class Value, class Map>
void take(const std::vector<Value>& values, AlignedVector<Real>& to, const Map& map) {
    to.resize(static_cast<std::size_t>(
        kernels::padded<Real>(static_cast<Index>(values.size()) + kernels::padded<Real>(1))));
    std::transform(values.begin(), values.end(), to.begin(),
                   [&](Value value) { return static_cast<Real>(map(value)); });
}

// What weights are multiplied with to have mean 1.
double weight_factor(const std::vector<double>& weights, const RowShare& rows) {
    if (std::any_of(weights.begin(), weights.end(), [](double w) { return !std::isfinite(w) || w < 0; }))
        throw QuantityError("weights", "must be finite numbers of at least 0");
    const double sum = sum_over(rows.ranks, std::accumulate(weights.begin(), weights.end(), 0.0));
    if (!(sum > 0)) throw QuantityError("weights", "must not all be 0");
    return static_cast<double>(rows.total) / sum;
}

}  // namespace

template <class Real>
BlockLoss<Real>::BlockLoss(const Targets& targets, const LossSpec& loss, double shift, const RowShare& rows)
    : judge_(find_loss(loss.name).make<Real>(loss.parameters)),
      bend_(find_loss(loss.name).bend),
      most_bend_(find_loss(loss.name).most_bend),
      parameter_(find_loss(loss.name).parameter(loss.parameters)),
      relative_(find_loss(loss.name).relative),
      outputs_(targets.outputs) {
    if (find_loss(loss.name).target == TargetKind::classes) {
        take(targets.classes, targets_, [](std::int32_t number) { return number; });
    } else {
        take(targets.values, targets_, [shift](double value) { return value - shift; });
    }
    if (targets.weights.empty()) return;
    const double factor =
        rows.weighted ? weight_factor(targets.weights, rows) : 1;  // of a row that stands in for none
    take(targets.weights, weights_, [factor](double weight) { return weight * factor; });
}

template class BlockLoss<float>;
template class BlockLoss<double>;

}  // namespace alfcg

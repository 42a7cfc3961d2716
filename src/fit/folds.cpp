#include <algorithm>
#include <numeric>
#include <utility>

#include "alfcg/fit/path.hpp"
#include "data/random_stream.hpp"

namespace alfcg {

std::vector<Index> fold_of_rows(Index rows, const std::vector<std::int32_t>& classes, Index folds,
                                std::uint64_t seed) {
    RandomStream stream(seed, 1);  // not that of the hold-out
    std::vector<std::size_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[stream.below(k)]);
    if (!classes.empty())
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t one, std::size_t other) { return classes[one] < classes[other]; });
    // Dealt out like cards, one class after the other.
    std::vector<Index> result(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) result[order[k]] = static_cast<Index>(k) % folds;
    return result;
}

}  // namespace alfcg

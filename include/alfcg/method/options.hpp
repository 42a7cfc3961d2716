#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alfcg/core/parameters.hpp"
#include "alfcg/solve/checkpoints.hpp"
#include "alfcg/solve/limits.hpp"

namespace alfcg {

/// A method by name, and all that a run with it needs to know.
/// How rows are drawn into batches: each on its own, with replacement; or blocks of rows that lie side by side in random order, from a random
/// row on, so that every row is as likely as any other at every place of a batch, comes once an epoch, and a batch lies in few pages.
enum class BatchOrder { random, blocks };

struct Options : Limits {
    std::string method = "auto";  // a name from methods(); "auto": what suits the region, see choose_method
    /// Setting one that the method does not have is an error; `methods()` lists which has which.
    Parameters parameters;

    /// Bytes that may be kept of copies and products of the data, as far as there is a choice: by the objective, and by alfcg-c. None:
    /// half of what is free; for alfcg-c a quarter of what the data take, or 64 MiB where that is more, but no more than that half.
    std::optional<Index> memory;
    BatchOrder batch_order = BatchOrder::random;

    std::uint64_t seed = 0;
    /// Draw these batches, one after the other, instead of the random stream; the run fails when they run
    /// out.
    std::optional<std::vector<std::vector<Index>>> batches;
    /// Sees every batch drawn.
    std::function<void(std::span<const Index>)> on_draw;

    /// What the run depends on is added to the facts: the method with its parameters, seed, batches, shape and starting point by solve(),
    /// data, loss and region by fit().
    Checkpoints checkpoints;
};

}  // namespace alfcg

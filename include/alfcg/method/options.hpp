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
struct Options : Limits {
    std::string method = "auto";  // a name from methods(); "auto": what suits the region, see choose_method
    /// Setting one that the method does not have is an error; `methods()` lists which has which.
    Parameters parameters;

    /// Bytes that a method may keep of copies and products of the data, as far as it has a choice (alfcg-c); none: a quarter of what the
    /// data take, or 64 MiB where that is more.
    std::optional<Index> memory;

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

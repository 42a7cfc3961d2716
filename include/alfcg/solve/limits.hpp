#pragma once

#include <limits>
#include <optional>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// When a run ends: at the first of these that is reached.
struct Limits {
    Index max_iterations = std::numeric_limits<Index>::max();
    double max_epochs = std::numeric_limits<double>::infinity();   // component gradients / N
    double max_seconds = std::numeric_limits<double>::infinity();  // the method's own time, metrics excluded
    std::optional<double> gap;  // converged when the exact gap is at most this
    /// Iterations between two looks at the exact gap; 0: every one where it costs nothing, else once an
    /// epoch.
    Index gap_every = 0;

    /// Throws Error when something makes no sense.
    void verify() const;
};

}  // namespace alfcg

#pragma once

#include <limits>
#include <optional>

#include "alfcg/core/matrix.hpp"
#include "alfcg/solve/account.hpp"

namespace alfcg {

/// When a run ends: at the first of these that is reached.
struct Limits {
    Index max_iterations = std::numeric_limits<Index>::max();
    double max_epochs = std::numeric_limits<double>::infinity();   // component gradients / N
    double max_seconds = std::numeric_limits<double>::infinity();  // the method's own time, metrics excluded
    Clock clock = Clock::wall;                                     // by which these seconds are measured
    std::optional<double> gap;  // converged when the exact gap is at most this
    /// Converged when the exact gap is at most this share of max(|F|, F₀ − F), where F₀ is the objective at the start;
    /// 0: off.
    double tolerance = 0;
    /// Iterations between two looks at the exact gap; 0: every one where it costs nothing, else once an epoch, for a
    /// tolerance alone once in a sixteenth of the epochs so far where that is more.
    Index gap_every = 0;

    /// Throws Error when something makes no sense.
    void verify() const;
};

}  // namespace alfcg

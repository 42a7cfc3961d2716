#pragma once

#include <optional>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// What a step rule may look at: scalars only, so that it never learns where the iterate lives.
struct StepInput {
    Index iteration = 0;
    double gap = 0;             // h(x) − h(v) − <g, v − x>: the gap as the estimator sees it
    double length_squared = 0;  // ‖v − x‖²
};

class StepRule {
  public:
    virtual ~StepRule() = default;

    /// Called before g_t is formed; the momentum α_t when the rule steers the estimator.
    virtual std::optional<double> begin(Index iteration) = 0;
    /// η_t in [0, 1].
    virtual double step(const StepInput& input) = 0;
    /// L_t, where the rule has one.
    [[nodiscard]] virtual std::optional<double> curvature() const = 0;
    /// Called after the move with ‖x_{t+1} − x_t‖.
    virtual void moved(double distance) = 0;
};

/// min(1, gap / (L ‖v − x‖²)); 0 when the gap is not positive or there is nowhere to go (spec 2).
double short_step(double gap, double curvature, double length_squared);

}  // namespace alfcg

#pragma once

#include <cmath>
#include <type_traits>

#include "alfcg/core/archive.hpp"

namespace alfcg {

/// Whether a run still gets anywhere.
template <class Real>
class Progress {
  public:
    /// At an outer step: whether neither f + h nor the gap has fallen for long.
    bool is_stuck(double objective, double gap) {
        const bool lower = idle_ < 0 || objective < mark_ - noise(objective);
        const bool nearer = idle_ < 0 || gap < fallen * least_gap_;
        if (lower) mark_ = objective;
        if (nearer) least_gap_ = gap;
        idle_ = lower || nearer ? 0 : idle_ + 1;
        return idle_ > most_idle_steps;
    }
    void archive(Archive& state) { state(mark_, least_gap_, idle_); }
    /// Values of f + h differ by this for no reason.
    [[nodiscard]] static double noise(double objective) {
        return (std::is_same_v<Real, float> ? 1e-7 : 1e-14) * std::abs(objective);
    }

  private:
    // A gap has fallen when it is below this share of what it was; outer steps without that, or a lower value.
    static constexpr double fallen = 0.9;
    static constexpr int most_idle_steps = 12;

    double mark_ = 0;       // f + h when it last fell by more than rounding
    double least_gap_ = 0;  // the gap when it last fell by much
    int idle_ = -1;         // outer steps since either did
};

}  // namespace alfcg

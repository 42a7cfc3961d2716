#pragma once

#include <algorithm>
#include <span>

#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// Pouring `volume` > 0 of water over ground of heights b_i >= 0, of which at least one is 0, gives the level
/// δ with Σ max(δ - b_i, 0) = volume. Exact up to rounding, ties or not, in linear time; reorders the
/// heights.
double water_level(std::span<double> heights, double volume);

/// Projection of t / (tightness · largest), t >= 0 outside, onto the unit simplex: magnitudes lose a common
/// amount until they sum to one. It is told through the distances below the largest, so that nothing cancels
/// when tightness is small.
struct L1Projection {
    double largest = 1;
    double volume = 1;
    double level = 0;

    [[nodiscard]] double below(double t) const { return (largest - t) / largest; }
    [[nodiscard]] double operator()(double t) const { return std::max(level - below(t), 0.0) / volume; }
};

/// The projection of n magnitudes t(i) with the given largest one. It serves l_p balls with p = 1, and the
/// singular values of the nuclear ball.
template <class Sizes>
L1Projection project_l1(Index n, const Sizes& t, double largest, double tightness,
                        AlignedVector<double>& scratch) {
    // A tightness under half a unit in the last place leaves nothing but the exact ties, which share evenly.
    L1Projection projection{largest, std::max(tightness, 0x1p-60), 0};
    scratch.clear();
    for (Index i = 0; i < n; ++i)  // the level is at most the volume: what lies lower ends up at zero
        if (const double height = projection.below(t(i)); height < projection.volume)
            scratch.push_back(height);
    projection.level = water_level(scratch, projection.volume);
    return projection;
}

}  // namespace alfcg::region

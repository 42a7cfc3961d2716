#pragma once

#include <vector>

#include "core/function_ref.hpp"

namespace alfcg {

/// A model of f around a point: <g, d> + ½ <d, H d> with d the way from there, and l1 ‖u‖₁, over the u with ‖u‖₁ ≤ radius. Some entries
/// of u are free: no norm minds them.
struct L1Model {
    double radius = 1;
    double l1 = 0;
    std::vector<char> free;
    std::vector<double> gradient;
    std::vector<double> diagonal;  // of H, roughly; positive
    FunctionRef<void(const std::vector<double>& d, std::vector<double>& product)> curve;  // H d

    /// How far the smooth part with gradient q at u may be above its minimum over the ball, and what Newton steps in the free entries
    /// promise.
    [[nodiscard]] double gap(const std::vector<double>& q, const std::vector<double>& u) const;
};

/// Minimises the model from u on, where the point is, until its gap is at most `tolerance`, or so many products with H have been
/// made; returns how many were. Projected steps tell which entries are zero, conjugate gradients do the rest.
int minimize(const L1Model& model, double tolerance, int budget, std::vector<double>& u);

}  // namespace alfcg

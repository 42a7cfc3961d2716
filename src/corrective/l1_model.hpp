#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "alfcg/core/matrix.hpp"
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
    /// Coordinate descent on the model from u on, with a multiplier of the ball to begin with; returns the one it ends with (both with
    /// l1), and u may be a little outside. None: it is not to be had.
    std::function<double(double multiplier, std::vector<double>& u)> walk = {};

    /// How far the smooth part with gradient q at u may be above its minimum over the ball, and what Newton steps in the free entries
    /// promise.
    [[nodiscard]] double gap(const std::vector<double>& q, const std::vector<double>& u) const;
};

/// Points of the ball nearest to others, in the metric of a diagonal.
class L1Projection {
  public:
    /// Of z, after all its magnitudes have lost l1, `scale` times the diagonal being the metric; returns the multiplier of the ball, with l1.
    /// Entries that are free stay.
    double operator()(const std::vector<double>& diagonal, const std::vector<char>& free, double radius,
                      double l1, std::vector<double>& z, double scale = 1);

  private:
    std::vector<std::pair<double, std::size_t>> depths_;
};

/// Minimises the model of f around a point, from u on, until its gap is at most `tolerance`, or so many products with H have been made;
/// returns the gap. Walks, or accelerated steps where there are none, tell which entries are zero, conjugate gradients do the rest.
double minimize(const L1Model& model, const std::vector<double>& point, double tolerance, int budget,
                std::vector<double>& u);

}  // namespace alfcg

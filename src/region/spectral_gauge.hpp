#pragma once

#include <Eigen/Core>
#include <limits>

#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// A norm of singular values, which are given as t ≥ 0, the largest first. Vectors are short: nothing here is optimised.
class SpectralGauge {
  public:
    /// ‖t‖_p, 1 < p ≤ ∞.
    static SpectralGauge schatten(double p) { return {p, 0}; }
    /// The sum of the k largest.
    static SpectralGauge ky_fan(Index k) { return {std::numeric_limits<double>::infinity(), k}; }

    [[nodiscard]] double norm(const Eigen::VectorXd& t) const;
    /// max <t, v> over the vectors of norm 1.
    [[nodiscard]] double dual(const Eigen::VectorXd& t) const;
    /// Such a v, t not zero.
    [[nodiscard]] Eigen::VectorXd vertex(const Eigen::VectorXd& t) const;
    /// The longest Euclidean length of so many values with norm 1.
    [[nodiscard]] double length(Index count) const;

    struct Shrunk {
        Eigen::VectorXd values;
        bool active = false;  // the norm is the radius
    };
    /// argmin ½‖u − t‖² + own ‖u‖ over ‖u‖ ≤ radius; own < dual(t).
    [[nodiscard]] Shrunk shrink(const Eigen::VectorXd& t, double own, double radius) const;

  private:
    SpectralGauge(double p, Index k) : p_(p), k_(k) {}

    /// The nearest vector whose dual norm is at most `bound`, and the nearest whose norm is at most `radius`.
    [[nodiscard]] Eigen::VectorXd project_dual(const Eigen::VectorXd& t, double bound) const;
    [[nodiscard]] Eigen::VectorXd project(const Eigen::VectorXd& t, double radius) const;

    double p_;
    Index k_;  // 0: the l_p norm
};

/// x_i = min(max(t_i − θ, 0), cap) with the θ for which they add up to `total`, 0 < total ≤ cap · count: the nearest such vector.
/// It is told through the distances below the largest t, so that nothing cancels when cap is small.
Eigen::VectorXd project_capped(const Eigen::VectorXd& t, double cap, double total);

}  // namespace alfcg::region

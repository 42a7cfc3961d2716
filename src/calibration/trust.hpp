#pragma once

#include <optional>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// The scalars of the calibrated step: curvature C_t, reliability γ_t, accumulator S_t, caution κ_t, and
/// L_t = κ_t (C_t/γ_t) (1 + S_t)^{1/2}, or ^{1/4} where the run may end at a mean of its points.
class Trust {
  public:
    /// No direction is taken to be worth less than this share of what it promises.
    explicit Trust(double least_reliability, bool mean_follows = false)
        : least_reliability_(least_reliability), mean_follows_(mean_follows) {}

    /// Curvature along the first direction, its gap, and ‖∇f(x_0)‖, the unit of δ.
    void begin(double curvature, double gap, double unit);
    /// A curvature seen on the last move, so many iterations after the one seen before it.
    void see_curvature(Index iteration, double secant, Index later);
    /// A curvature that must not be undercut.
    void raise_curvature(double curvature);
    /// What the last direction promised (gap) and what it was worth to a batch that did not choose it.
    void see_gap(Index iteration, double promised, double honest);
    /// A part of the way went too far by this ratio of slopes, or not.
    void overshot(double ratio);
    void went_well();
    /// L_t, to be asked for once an iteration.
    double make_curvature();
    /// Adds δ_t².
    void moved(double distance);

    [[nodiscard]] double curvature() const { return curvature_; }
    [[nodiscard]] double secant() const { return secant_; }
    [[nodiscard]] double accumulated() const { return sum_; }
    [[nodiscard]] double largest() const { return largest_; }
    /// L_t without the accumulator.
    [[nodiscard]] double scale() const;

    void archive(Archive& state) {
        state(secant_, promised_, honest_, caution_, sum_, largest_, unit_, curvature_);
    }

  private:
    double least_reliability_;
    bool mean_follows_;
    double secant_ = 0;    // C_t
    double promised_ = 0;  // running means of see_gap
    double honest_ = 0;
    double caution_ = 1;  // κ_t
    double sum_ = 0;      // S_t
    double largest_ = 0;  // of the δ²
    double unit_ = 1;
    double curvature_ = 0;  // L_t
};

/// Sums what fresh batches say about a part of the way: Σ η <∇_B f(x_{t+1}), d_t> estimates, without bias,
/// a bound on the change of f.
class EpochWatch {
  public:
    void clear();
    /// A move by `step` that promised `gap`, and the slope a fresh batch sees at its end.
    void see(double step, double gap, double slope);
    /// The way went up by more than it promised to go down and more than noise explains.
    [[nodiscard]] bool alarming() const;
    [[nodiscard]] bool descending() const { return change_ < 0; }
    [[nodiscard]] bool surely_descending() const;

    void archive(Archive& state) { state(change_, promised_, variance_, typical_, seasoned_); }

  private:
    double change_ = 0;
    double promised_ = 0;
    double variance_ = 0;
    double typical_ = 0;  // running mean of slope², kept from one part to the next
    bool seasoned_ = false;
};

}  // namespace alfcg

#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "corrective/factor_sweeps.hpp"

namespace alfcg {

/// From the origin along the optima of f + λ‖x‖_*, about, as λ falls: a few sweeps for each. Norm and rank grow from step to step.
template <class Real>
class FactorPath {
  public:
    /// At the origin, with this gradient and these biases. `most`: the largest rank that may be kept, 0: any.
    FactorPath(FactorSweeps<Real>& sweeps, Objective<Real>& objective, const Iterate<Real>& origin,
               Matrix<Real> gradient)
        : sweeps_(sweeps),
          objective_(objective),
          threads_(origin.threads()),
          x_(*origin.factors()),
          biases_(origin.intercept().at),
          gradient_(std::move(gradient)) {
        look();
        penalty_ = steepest();
    }

    /// To a penalty that is such a share of the last one, or, where no direction would be new there, on towards the one of the next.
    void step(double share) {
        const bool alone = steepest() < share * penalty_;
        penalty_ = alone ? std::max(steepest(), least_share * penalty_) : share * penalty_;
        sweeps_.begin(x_, biases_, penalty_);
        for (int k = 0; k < sweeps_per_step; ++k) sweeps_.sweep(objective_, penalty_);
        value_ = sweeps_.evaluate(objective_, gradient_);
        biases_ = sweeps_.biases();
        const Index most = x_.most();
        x_ = sweeps_.release(most);
        norm_ = 0;
        for (const double size : x_.singular_values()) norm_ += size;
        look();
    }

    [[nodiscard]] double penalty() const { return penalty_; }
    /// f there.
    [[nodiscard]] double value() const { return value_; }
    [[nodiscard]] double norm() const { return norm_; }
    [[nodiscard]] const Factors<Real>& x() const { return x_; }
    [[nodiscard]] const std::vector<double>& biases() const { return biases_; }
    /// How steep f is across x, as penalties are.
    [[nodiscard]] double steepest() const { return sweeps_.slopes().size() > 0 ? sweeps_.slopes()(0) : 0; }

    static constexpr int sweeps_per_step = 2;
    /// Looks at all observations.
    static constexpr Index looks_per_step = 2 * (sweeps_per_step + FactorSweeps<Real>::rounds) + 1;

  private:
    static constexpr double least_share = 0.5;

    void look() { sweeps_.look(x_, *objective_.pattern(), gradient_, true, {}, threads_); }

    FactorSweeps<Real>& sweeps_;
    Objective<Real>& objective_;
    int threads_;
    Factors<Real> x_;
    std::vector<double> biases_;
    Matrix<Real> gradient_;
    double penalty_ = 0;
    double value_ = 0;
    double norm_ = 0;
};

}  // namespace alfcg

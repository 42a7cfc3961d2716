#pragma once

#include <memory>
#include <optional>

#include "alfcg/core/matrix.hpp"
#include "alfcg/objective/objective.hpp"
#include "estimator/batches.hpp"

namespace alfcg {

/// What came of one estimate.
struct Estimate {
    Index cost = 0;               // component gradients used
    std::optional<double> value;  // f(x_t), given when g_t is exactly ∇f(x_t)
    std::optional<double> alpha;  // momentum used, where there is one
};

/// Where g_t comes from (spec 3).
template <class Real>
class Estimator {
  public:
    virtual ~Estimator() = default;
    /// On entry `gradient` holds g_{t−1} (nothing useful at t = 0), on return g_t. `alpha` is α_t when the
    /// step rule steers the momentum.
    virtual Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> alpha,
                              Matrix<Real>& gradient) = 0;
    /// Whether g_t is a sum of gradients with factors that do not depend on them.
    [[nodiscard]] virtual bool linear() const { return true; }
    /// What it remembers besides g_{t−1}, for checkpoints.
    virtual void archive(Archive& /*state*/) {}
};

/// What the estimators are made from; each takes what it needs.
template <class Real>
struct EstimatorParts {
    Objective<Real>& objective;
    Batches& batches;
    Index batch = 1;      // rows per batch
    Index period = 0;     // iterations between resets; 0: none after the start
    Index reset = 0;      // rows of a reset; 0: all of them
    Index groups = 5;     // median of means: number of batches
    double momentum = 0;  // heavy ball
    double power =
        0;  // α_t = (t+1)^{−power} where the step rule gives no α_t; b_t = ⌊(t+1)^{2/3}⌋ has its own
};

/// ∇f(x_t).
template <class Real>
std::unique_ptr<Estimator<Real>> full_estimator(const EstimatorParts<Real>& parts);
/// m g_{t−1} + (1−m) ∇f(x_t), g_0 = ∇f(x_0).
template <class Real>
std::unique_ptr<Estimator<Real>> heavy_ball_estimator(const EstimatorParts<Real>& parts);
/// ∇_B f(x_t).
template <class Real>
std::unique_ptr<Estimator<Real>> mini_batch_estimator(const EstimatorParts<Real>& parts);
/// ∇_B f(x_t) with b_t = ⌊(t+1)^{2/3}⌋ rows.
template <class Real>
std::unique_ptr<Estimator<Real>> growing_batch_estimator(const EstimatorParts<Real>& parts);
/// Coordinate-wise median of `groups` batch gradients.
template <class Real>
std::unique_ptr<Estimator<Real>> median_estimator(const EstimatorParts<Real>& parts);
/// SVRG: ∇_B f(x_t) − ∇_B f(x̃) + ∇f(x̃); x̃ = x_t every `period` iterations.
template <class Real>
std::unique_ptr<Estimator<Real>> svrg_estimator(const EstimatorParts<Real>& parts);
/// SAGA: ∇_B f(x_t) − mean_{i∈B} a_i + ā, then a_i = ∇f_i(x_t); the table is filled at x_0.
template <class Real>
std::unique_ptr<Estimator<Real>> saga_estimator(const EstimatorParts<Real>& parts);
/// SPIDER, SARAH: every `period` iterations a reset, else g_{t−1} + ∇_B f(x_t) − ∇_B f(x_{t−1}).
template <class Real>
std::unique_ptr<Estimator<Real>> spider_estimator(const EstimatorParts<Real>& parts);
/// EMA: (1−α_t) g_{t−1} + α_t ∇_B f(x_t).
template <class Real>
std::unique_ptr<Estimator<Real>> ema_estimator(const EstimatorParts<Real>& parts);
/// STORM: (1−α_t)(g_{t−1} − ∇_B f(x_{t−1})) + ∇_B f(x_t), the same batch twice; with a period, full resets.
template <class Real>
std::unique_ptr<Estimator<Real>> storm_estimator(const EstimatorParts<Real>& parts);

/// The largest b with b³ ≤ (t+1)².
Index growing_batch_size(Index iteration);

}  // namespace alfcg

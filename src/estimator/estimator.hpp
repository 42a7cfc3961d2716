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
    std::optional<double> value;  // f(x_t), known exactly when g_t is the full gradient
    std::optional<double> alpha;  // momentum used, where there is one
};

/// Where g_t comes from (spec 3).
template <class Real>
class Estimator {
  public:
    virtual ~Estimator() = default;
    /// On entry `gradient` holds g_{t−1} (nothing useful at t = 0), on return g_t. `alpha` is α_t when the step rule
    /// steers the momentum.
    virtual Estimate estimate(Index iteration, const Matrix<Real>& x, std::optional<double> alpha,
                              Matrix<Real>& gradient) = 0;
};

/// ∇f(x_t).
template <class Real>
std::unique_ptr<Estimator<Real>> full_estimator(Objective<Real>& objective);

/// SPIDER: every `period` iterations ∇f(x_t), else g_{t−1} + ∇_B f(x_t) − ∇_B f(x_{t−1}).
template <class Real>
std::unique_ptr<Estimator<Real>> spider_estimator(Objective<Real>& objective, Batches& batches, Index period,
                                                  Index batch);

/// EMA: (1−α_t) g_{t−1} + α_t ∇_B f(x_t).
template <class Real>
std::unique_ptr<Estimator<Real>> ema_estimator(Objective<Real>& objective, Batches& batches, Index batch);

/// STORM: (1−α_t)(g_{t−1} − ∇_B f(x_{t−1})) + ∇_B f(x_t), the same batch twice.
template <class Real>
std::unique_ptr<Estimator<Real>> storm_estimator(Objective<Real>& objective, Batches& batches, Index batch);

}  // namespace alfcg

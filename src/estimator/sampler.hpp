#pragma once

#include <optional>

#include "alfcg/objective/objective.hpp"
#include "estimator/batches.hpp"

namespace alfcg {

/// Batch gradients as every stochastic estimator wants them: a batch size of N or more means every row once,
/// no draw.
template <class Real>
class Sampler {
  public:
    struct Answer {
        Index cost = 0;               // component gradients used
        std::optional<double> value;  // f(x), known when every row was used
    };

    Sampler(Objective<Real>& objective, Batches& batches) : objective_(objective), batches_(batches) {}

    /// ∇f(x).
    Answer full(const Matrix<Real>& x, Matrix<Real>& at_x) {
        return {objective_.samples(), objective_.evaluate(x, at_x)};
    }
    /// ∇_B f(x).
    Answer gradient(Index batch, const Matrix<Real>& x, Matrix<Real>& at_x) {
        if (batch >= objective_.samples()) return full(x, at_x);
        const auto rows = batches_.draw(batch);
        objective_.batch_gradient(rows, x, at_x);
        return {static_cast<Index>(rows.size()), std::nullopt};
    }
    /// ∇_B f at two points with the same B.
    Answer gradients(Index batch, const Matrix<Real>& x, const Matrix<Real>& y, Matrix<Real>& at_x,
                     Matrix<Real>& at_y) {
        if (batch >= objective_.samples()) return {full(x, at_x).cost + full(y, at_y).cost, std::nullopt};
        const auto rows = batches_.draw(batch);
        objective_.batch_gradients(rows, x, y, at_x, at_y);
        return {2 * static_cast<Index>(rows.size()), std::nullopt};
    }

  private:
    Objective<Real>& objective_;
    Batches& batches_;
};

}  // namespace alfcg

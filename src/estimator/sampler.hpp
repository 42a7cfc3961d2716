#pragma once

#include "alfcg/objective/objective.hpp"
#include "estimator/batches.hpp"

namespace alfcg {

/// Batch gradients as every stochastic estimator wants them: a batch size of N or more means every row once, no draw.
template <class Real>
class Sampler {
  public:
    Sampler(Objective<Real>& objective, Batches& batches) : objective_(objective), batches_(batches) {}

    /// ∇_B f(x); returns the component gradients used.
    Index gradient(Index batch, const Matrix<Real>& x, Matrix<Real>& at_x) {
        if (batch >= batches_.samples()) {
            objective_.evaluate(x, at_x);
            return batches_.samples();
        }
        const auto rows = batches_.draw(batch);
        objective_.batch_gradient(rows, x, at_x);
        return static_cast<Index>(rows.size());
    }
    /// ∇_B f at two points with the same B.
    Index gradients(Index batch, const Matrix<Real>& x, const Matrix<Real>& y, Matrix<Real>& at_x,
                    Matrix<Real>& at_y) {
        if (batch >= batches_.samples()) {
            objective_.evaluate(x, at_x);
            objective_.evaluate(y, at_y);
            return 2 * batches_.samples();
        }
        const auto rows = batches_.draw(batch);
        objective_.batch_gradients(rows, x, y, at_x, at_y);
        return 2 * static_cast<Index>(rows.size());
    }

  private:
    Objective<Real>& objective_;
    Batches& batches_;
};

}  // namespace alfcg

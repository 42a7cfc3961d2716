#pragma once

#include <optional>

#include "alfcg/objective/objective.hpp"
#include "estimator/batches.hpp"
#include "kernels/vector.hpp"

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
    Answer full(const Iterate<Real>& x, Matrix<Real>& at_x) {
        return {objective_.samples(), objective_.evaluate(x, at_x)};
    }
    /// ∇_B f(x).
    Answer gradient(Index batch, const Iterate<Real>& x, Matrix<Real>& at_x) {
        if (batch >= objective_.samples()) return full(x, at_x);
        const auto rows = draw(batch);
        objective_.batch_gradient(rows, x, at_x);
        return {static_cast<Index>(rows.size()), std::nullopt};
    }
    /// gradient = keep · gradient + at_x ∇_B f(x) + at_y ∇_B f(y), with the same B.
    Answer blend(Index batch, const Blend<Real>& blend, Matrix<Real>& gradient) {
        const Index points = blend.y == nullptr ? 1 : 2;
        if (batch < objective_.samples()) {
            const auto rows = draw(batch);
            objective_.blend(rows, blend, gradient, at_x_);
            return {points * static_cast<Index>(rows.size()), std::nullopt};
        }
        objective_.evaluate(*blend.x, at_x_);
        if (blend.slopes != nullptr) blend.slopes->at_x = slope(at_x_, blend);
        if (blend.keep == 0) gradient.fill(0);
        if (blend.y != nullptr) {
            // The difference first: where the gradient is ∇f(y), it vanishes exactly.
            objective_.evaluate(*blend.y, at_y_);
            if (blend.slopes != nullptr) blend.slopes->at_y = slope(at_y_, blend);
            const double factor = blend.keep == 0 ? 1 : blend.keep;
            kernels::axpby(at_x_.size(), blend.at_y / factor, at_y_.data(), 1, gradient.data());
        }
        kernels::axpby(at_x_.size(), blend.at_x, at_x_.data(), blend.keep == 0 ? 1 : blend.keep,
                       gradient.data());
        return {points * objective_.samples(), std::nullopt};
    }

  private:
    // Most batches are followed by another of the same size.
    std::span<const Index> draw(Index batch) {
        const auto rows = batches_.draw(batch);
        objective_.expect(batches_.upcoming(batch));
        return rows;
    }
    static double slope(const Matrix<Real>& gradient, const Blend<Real>& blend) {
        return sum_over(gradient.shared_by(),
                        kernels::direction(gradient.size(), gradient.data(), blend.y->seen().data(), 1,
                                           blend.x->seen().data())
                            .slope);
    }

    Objective<Real>& objective_;
    Batches& batches_;
    Matrix<Real> at_x_;
    Matrix<Real> at_y_;
};

}  // namespace alfcg

#pragma once

#include <memory>
#include <span>

#include "alfcg/objective/objective.hpp"
#include "objective/row_share.hpp"

namespace alfcg {

/// A linear model, wherever its rows are: what SAGA's memory asks of it.
template <class Real>
class LinearModel : public Objective<Real> {
  public:
    /// Which of the rows are here. What follows counts them from the first that is.
    [[nodiscard]] virtual const RowShare& share() const = 0;
    /// residuals[k * outputs + l] = ∂loss/∂score_l of row rows[k] at x: a component gradient is the outer
    /// product of its residual and its features. `count`: such rows on all ranks.
    virtual void residuals(std::span<const Index> rows, const Iterate<Real>& x, Index count,
                           Real* residuals) = 0;
    /// The same where the intercept is at its best, so that ranks need not be of one mind.
    virtual void own_residuals(std::span<const Index> rows, const Iterate<Real>& x, Real* residuals) = 0;
    /// gradient = Σ_k residuals[k] ⊗ features of rows[k], over all ranks.
    virtual void combine(std::span<const Index> rows, const Real* residuals, Matrix<Real>& gradient) = 0;

    /// N x outputs residuals in place of N gradients.
    std::unique_ptr<GradientTable<Real>> gradient_table() override;
};

}  // namespace alfcg

#pragma once

#include <functional>
#include <memory>
#include <span>

#include "alfcg/core/matrix.hpp"
#include "alfcg/data/features.hpp"
#include "alfcg/objective/loss.hpp"

namespace alfcg {

/// f, the smooth part: a mean over `samples()` rows, (1/N) Σ f_i. An objective keeps scratch memory between calls:
/// use one per solve that runs at the same time (the data behind it may be shared).
template <class Real>
class Objective {
  public:
    virtual ~Objective() = default;

    /// Shape of x and of its gradients.
    [[nodiscard]] virtual Shape shape() const = 0;
    /// N; 1 for a function that is no sum.
    [[nodiscard]] virtual Index samples() const = 0;

    /// Value and gradient over every row, in one pass.
    virtual double evaluate(const Matrix<Real>& x, Matrix<Real>& gradient) = 0;
    /// Value alone.
    virtual double value(const Matrix<Real>& x) = 0;
    /// Mean gradient over the rows listed; a row listed twice counts twice.
    virtual void batch_gradient(std::span<const Index> rows, const Matrix<Real>& x, Matrix<Real>& gradient) = 0;
    /// The same batch at two points.
    virtual void batch_gradients(std::span<const Index> rows, const Matrix<Real>& x, const Matrix<Real>& y,
                                 Matrix<Real>& gradient_x, Matrix<Real>& gradient_y) {
        batch_gradient(rows, x, gradient_x);
        batch_gradient(rows, y, gradient_y);
    }
};

/// The loss of a linear model on data, averaged over the rows. `features` must outlive it; threads = 0: all cores.
template <class Real>
std::unique_ptr<Objective<Real>> linear_objective(const Features<Real>& features, Targets targets,
                                                  const LossOptions& loss, int threads = 0);

/// The caller's function: writes the gradient at x and returns the value.
template <class Real>
using Function = std::function<double(std::span<const Real> x, std::span<Real> gradient)>;
template <class Real>
std::unique_ptr<Objective<Real>> custom_objective(Shape shape, Function<Real> function);

/// The caller's finite sum: mean value over the rows listed (0-based, may repeat), and its gradient.
template <class Real>
using SumFunction =
    std::function<double(std::span<const Index> rows, std::span<const Real> x, std::span<Real> gradient)>;
template <class Real>
std::unique_ptr<Objective<Real>> custom_sum(Shape shape, Index samples, SumFunction<Real> function);

}  // namespace alfcg

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "alfcg/core/matrix.hpp"
#include "alfcg/data/features.hpp"
#include "alfcg/objective/loss.hpp"
#include "alfcg/region/vertex.hpp"

namespace alfcg {

/// A remembered component gradient a_i for every row, in whatever form is small: SAGA's memory.
template <class Real>
class GradientTable {
  public:
    virtual ~GradientTable() = default;
    /// a_i = ∇f_i(x) for every row; writes their mean, which is ∇f(x), and returns f(x).
    virtual double fill(const Matrix<Real>& x, Matrix<Real>& mean) = 0;
    /// Writes mean_{i∈B} (∇f_i(x) − a_i), where a row listed twice counts twice, and (1/N) Σ (∇f_i(x) − a_i)
    /// over the distinct rows of B, which is what the mean of the table gains; then sets a_i = ∇f_i(x) for i
    /// ∈ B.
    virtual void exchange(std::span<const Index> rows, const Matrix<Real>& x, Matrix<Real>& batch_change,
                          Matrix<Real>& mean_change) = 0;
};

/// How a batch's gradients slope along the way from y to x: <∇_B f(x), x − y> and <∇_B f(y), x − y>.
struct Slopes {
    double at_x = 0;
    double at_y = 0;
};

/// What becomes of a batch's gradients: keep · g + at_x ∇_B f(x) + at_y ∇_B f(y).
template <class Real>
struct Blend {
    double keep = 0;
    double at_x = 1;
    const Matrix<Real>* x = nullptr;
    double at_y = 0;
    const Matrix<Real>* y = nullptr;  // null: no second point
    /// x has come here by moves that were all announced (Objective::moved); y, if any, is where the last one began.
    bool announced = false;
    Slopes* slopes = nullptr;  // where there is a second point: filled in, at next to no cost
};

/// f, the smooth part: a mean over `samples()` rows, (1/N) Σ f_i. An objective keeps scratch memory between
/// calls: use one per solve that runs at the same time (the data behind it may be shared).
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
    virtual void batch_gradient(std::span<const Index> rows, const Matrix<Real>& x,
                                Matrix<Real>& gradient) = 0;
    /// gradient = keep · gradient + at_x ∇_B f(x) + at_y ∇_B f(y), B the rows listed. The general one needs the
    /// batch gradient at one point, and then the other; `scratch` may be written to.
    virtual void blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
                       Matrix<Real>& scratch);
    /// The rows that will be listed next, as far as known, for the next call alone: they may be fetched while it
    /// computes. Results do not depend on it.
    virtual void expect(std::span<const Index> /*rows*/) {}
    /// An empty table for this objective, which must outlive it. The general one keeps N gradients.
    virtual std::unique_ptr<GradientTable<Real>> gradient_table();

    /// From here on this very matrix is an iterate that changes only by x += η (v − x), each announced by
    /// moved(): a linear model then remembers its scores. Null ends it. Results agree to rounding.
    virtual void follow(const Matrix<Real>* /*x*/) {}
    /// The vertex that value_along() looks towards.
    virtual void aim(const Vertex<Real>& /*vertex*/) {}
    /// f(x + η (v − x)) without a pass over the data; none when that is not to be had.
    virtual std::optional<double> value_along(double /*step*/) { return std::nullopt; }
    /// The iterate has made its step towards this vertex.
    virtual void moved(const Vertex<Real>& /*vertex*/, double /*step*/) {}
};

/// The loss of a linear model on data, averaged over the rows. `features` must outlive it; threads = 0: all
/// cores.
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

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/ranks.hpp"
#include "alfcg/data/features.hpp"
#include "alfcg/objective/hull.hpp"
#include "alfcg/objective/loss.hpp"
#include "alfcg/objective/part.hpp"
#include "alfcg/point/iterate.hpp"

namespace alfcg {

class Device;

/// A remembered component gradient a_i for every row, in whatever form is small: SAGA's memory.
template <class Real>
class GradientTable {
  public:
    virtual ~GradientTable() = default;
    /// a_i = ∇f_i(x) for every row; writes their mean, which is ∇f(x), and returns f(x).
    virtual double fill(const Iterate<Real>& x, Matrix<Real>& mean) = 0;
    /// Writes mean_{i∈B} (∇f_i(x) − a_i), where a row listed twice counts twice, and (1/N) Σ (∇f_i(x) − a_i)
    /// over the distinct rows of B, which is what the mean of the table gains; then sets a_i = ∇f_i(x) for i
    /// ∈ B.
    virtual void exchange(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& batch_change,
                          Matrix<Real>& mean_change) = 0;
    /// For checkpoints.
    virtual void archive(Archive& state) = 0;
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
    const Iterate<Real>* x = nullptr;
    double at_y = 0;
    const Iterate<Real>* y = nullptr;  // null: no second point
    Slopes* slopes = nullptr;          // where there is a second point: filled in, at next to no cost
};

/// Roughly Σ values_k v_k v_kᵀ + rest · (the identity on what is orthogonal to all v_k).
template <class Real>
struct SecondMoments {
    Matrix<Real> vectors;  // the v_k, orthonormal, one a row
    std::vector<double> values;
    double rest = 0;  // positive
};

/// x = left · rightᵀ in `width` columns, with a number for every row and column beside it. Lines are padded with zeros to whole cache
/// lines, and leave room for one column more.
template <class Real>
struct TwoFactors {
    Matrix<Real> left;
    Matrix<Real> right;
    Index width = 0;
    std::vector<double> row_biases;  // empty: none
    std::vector<double> column_biases;
    bool fit_biases = false;             // with the lines; else they stay as they are
    std::optional<double> bias_penalty;  // none: the objective's own
};

/// f, the smooth part: a mean over `samples()` rows, (1/N) Σ f_i. An objective keeps scratch memory between
/// calls: use one per solve that runs at the same time (the data behind it may be shared). It may also keep what it
/// computed at a point, as long as it looks at versions and moves before it uses that again; results agree to rounding.
/// What is not a sum needs shape() and evaluate().
template <class Real>
class Objective {
  public:
    virtual ~Objective() = default;

    /// Shape of x and of its gradients.
    [[nodiscard]] virtual Shape shape() const = 0;
    /// The places that f looks at, where these are few: x is kept as factors then (Iterate), and gradients are the entries there, in a
    /// matrix of one row. Null: all entries of both.
    [[nodiscard]] virtual const Pattern* pattern() const { return nullptr; }
    /// N; 1 for a function that is no sum.
    [[nodiscard]] virtual Index samples() const { return 1; }
    /// Numbers that a pass over all rows looks at.
    [[nodiscard]] virtual Index entries() const { return samples() * shape().cols; }
    /// Bytes of the data that such a pass brings to a device, where they do not fit.
    [[nodiscard]] virtual double streamed() const { return 0; }
    /// The ranks that have a share of the rows each, where there are several: all of them make the same calls. samples(), entries() and the
    /// numbers of rows are those of all rows together, rank by rank.
    [[nodiscard]] virtual Ranks* ranks() const { return nullptr; }

    /// Whether gradients are to be shares of them from now on (Matrix::shared_by), which every rank keeps to itself. Of one process: ignored.
    virtual void keep_shares(bool /*keep*/) {}

    /// Value and gradient over every row, in one pass.
    virtual double evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) = 0;
    /// Value alone.
    virtual double value(const Iterate<Real>& x);
    /// f(x + step · d): what a line search asks for, several times with the same move.
    virtual double value_after(const Iterate<Real>& x, const Move<Real>& move, double step);
    /// <∇f(x + step · d), d>, in the same way.
    virtual double slope_after(const Iterate<Real>& x, const Move<Real>& move, double step);
    /// Mean gradient over the rows listed; a row listed twice counts twice.
    virtual void batch_gradient(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& gradient);
    /// gradient = keep · gradient + at_x ∇_B f(x) + at_y ∇_B f(y), B the rows listed. The general one needs the
    /// batch gradient at one point, and then the other; `scratch` may be written to.
    virtual void blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
                       Matrix<Real>& scratch);
    /// The rows that will be listed next, as far as known, for the next call alone: they may be fetched while it
    /// computes. Results do not depend on it.
    virtual void expect(std::span<const Index> /*rows*/) {}
    /// An empty table for this objective, which must outlive it. The general one keeps N gradients.
    virtual std::unique_ptr<GradientTable<Real>> gradient_table();

    /// f where all columns of x but those listed (increasing) are zero. The general one is no cheaper than f.
    virtual std::unique_ptr<Part<Real>> part(std::span<const Index> columns);
    /// Bytes that a column takes in such a part, at least.
    [[nodiscard]] virtual Index column_bytes(Index /*column*/) {
        return samples() * static_cast<Index>(sizeof(Real));
    }
    /// What second derivatives along the entries of x are at most, roughly; empty where that is not known, or dear to find out.
    virtual std::vector<double> most_curvatures() { return {}; }
    /// f where x = S · directions; as many columns as x has, a row for each direction.
    virtual std::unique_ptr<Part<Real>> part(const Matrix<Real>& directions);
    /// f on all of its space, as about so many of its rows tell it that are drawn at random, each weighed by how seldom it is: rows
    /// whose loss bends at x, as far as is known, more often than others. The general one, and as many rows as there are: f itself.
    virtual std::unique_ptr<Part<Real>> sample(const Iterate<Real>& x, Index rows, std::uint64_t seed);
    /// f over the hull of points that are still to come.
    virtual std::unique_ptr<Hull<Real>> hull();

    /// The mean of φφᵀ over the rows' features φ, from some of them, where f depends on products with features alone: what f's
    /// curvature looks like on every row of x. None for other functions, and where directions cost too much beside a pass.
    virtual std::optional<SecondMoments<Real>> second_moments() { return std::nullopt; }

    /// Of an objective with a pattern: the lines of left that are best for right, then the other way round, for f times samples() plus
    /// (penalty/2) (‖left‖² + ‖right‖²), or for a parabola in its place where f is none.
    virtual void sweep(TwoFactors<Real>& factors, double penalty);
    /// f there, with the biases as they are, and its gradient.
    virtual double evaluate_product(const TwoFactors<Real>& factors, Matrix<Real>& gradient);

    /// The best intercepts at x, one per output, where the objective has some: f(x) is the minimum over them.
    virtual std::vector<double> intercept(const Iterate<Real>& /*x*/) { return {}; }
    /// Whether they are at x, which has been looked at: where a loss is flat far out, they move by so much a look and no more.
    virtual bool settled(const Iterate<Real>& /*x*/) const { return true; }
    /// Whether the gradient of a convex f at x, which has been looked at, bounds f from below. It does not where the best intercepts have been
    /// sought in vain, in a precision that does not tell scores apart; f is at least 0 then.
    virtual bool certifies(const Iterate<Real>& /*x*/) const { return true; }

    /// What it remembers from one call to the next, for checkpoints: results may depend on it, if only by rounding.
    virtual void archive(Archive& /*state*/) {}

  private:
    Matrix<Real> unused_;  // gradient of a call that wants the value alone
    Iterate<Real> after_;  // x + step · d
};

/// The loss of a linear model on data, averaged over the rows by their weights. It keeps a view of `features`, and with it what they own;
/// the caller's own arrays must outlive it. threads = 0: all cores. With an intercept, f(W) = min_b (1/N) Σ loss(W x_i + b, y_i).
/// Copies of the data that suit passes better, and scores that are remembered, are kept where they take at most `memory` bytes; none:
/// half of what is free. With ranks, features and targets are this rank's share of the rows, none if need be. With a device, of one rank, rows
/// are copied there, and what goes through them is done there.
template <class Real>
std::unique_ptr<Objective<Real>> linear_objective(const Features<Real>& features, Targets targets,
                                                  const LossSpec& loss, int threads = 0,
                                                  bool intercept = false,
                                                  std::optional<Index> memory = std::nullopt,
                                                  Ranks* ranks = nullptr,
                                                  std::shared_ptr<Device> device = nullptr);

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

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/point/iterate.hpp"

namespace alfcg {

/// f on part of its space: x = S·B for a few directions B of the features (some of them, or any others), or some of the rows of f with
/// all features, B = I; and where f has an intercept one more column of S, the last, that nothing constrains. What it computes costs
/// what the part costs, not what all of f does. The objective must outlive it.
template <class Real>
class Part {
  public:
    virtual ~Part() = default;

    /// Shape of S: outputs x directions, and the intercept's column.
    [[nodiscard]] virtual Shape shape() const = 0;
    /// Columns at the end of S that nothing constrains: 0 or 1.
    [[nodiscard]] virtual Index free_columns() const { return 0; }
    /// Whether f stays the same where a number is added to all entries of a column of S.
    [[nodiscard]] virtual bool relative() const { return false; }
    /// What a call costs, as a share of a pass over all of the data.
    [[nodiscard]] virtual double share() const = 0;

    /// f at S, and its gradient; the other calls look from there.
    virtual double evaluate(const Matrix<Real>& s, Matrix<Real>& gradient) = 0;
    /// ∇²f(S) D, where a sample's loss is not convex without what is negative of its second derivative, and where it is straight with what it
    /// bends further on. D is where the next calls go.
    virtual void curve(const Matrix<Real>& d, Matrix<Real>& product) = 0;
    /// <D, ∇²f(S) D>; D is where the next calls go.
    virtual double aim(const Matrix<Real>& d);
    /// From the next point on, second derivatives are mixed with the largest that the loss can have anywhere, which are weighed by
    /// `stiffness`, 0 to 1: with 1 a model is nowhere below f.
    virtual void stiffen(double /*stiffness*/) {}
    /// f(S + step · D).
    virtual double value_after(double step) = 0;
    /// S += step · D: f there, and its gradient.
    virtual double advance(double step, Matrix<Real>& gradient) = 0;

    /// Roughly the diagonal of ∇²f(S), in the shape of S.
    virtual void curvatures(Matrix<double>& diagonal) = 0;
    /// All of ∇²f(S), where S has one row, as about `rows` of the samples have it, or more where that is no dearer; returns how many
    /// did, 0 where the matrix would cost more than it is worth: unless it may be `dear`, also where a product with it costs more than curve().
    virtual Index curvature_matrix(Index /*rows*/, bool /*dear*/, Matrix<double>& /*matrix*/) { return 0; }
    /// Samples that f is the mean over, where there are any.
    [[nodiscard]] virtual Index samples() const { return 0; }

    /// Coordinate descent: u, a point near S, goes down the model <slopes, u − S> + ½ <u − S, (∇²f(S) + l2) (u − S)> + l1 ‖u‖₁ over
    /// ‖u‖₁ ≤ radius in one entry after the other, through all of them and then through those that still count, until a turn brings less
    /// than `share` of what all have, or so many are made. The ball stands in the model as a multiplier that rises and falls with ‖u‖₁:
    /// u may end a little outside. What is free is in no norm. Returns the multiplier, with l1; none where f has no use for it.
    struct Walk {
        std::span<const double> slopes;
        std::span<const double> least;  // curvatures that steps are made for, at least
        double l1 = 0;
        double l2 = 0;
        double radius = 1;
        double multiplier = 0;  // to begin with
        int turns = 0;
        double share = 0;
    };
    virtual std::optional<double> walk(const Walk& /*walk*/, const Matrix<Real>& /*s*/,
                                       std::span<double> /*u*/) {
        return std::nullopt;
    }

    /// products = directions · M, as many columns as S has without the free ones, where M is the mean of ∇²f(S) over the outputs, each
    /// by itself; mean: that of the features, samples being weighed as in M. Returns what M would be for a feature that is 1 for every
    /// sample; 0, and nothing else, where that is not known.
    virtual double spread(const Matrix<Real>& /*directions*/, Matrix<Real>& /*products*/,
                          std::vector<double>& /*mean*/) {
        return 0;
    }

    /// Writes the intercept at x to the free column of S.
    virtual void take_intercept(const Iterate<Real>& /*x*/, Matrix<Real>& /*s*/) const {}
    /// Where x moves next, the intercept will be that of S.
    virtual void leave_intercept(const Matrix<Real>& /*s*/, const Iterate<Real>& /*x*/) const {}

    /// x will be where S is, and this move leads there, if it is made in full: what is known there need not be found out again when all of
    /// f is looked at.
    virtual void leave(Version /*move*/, double /*value*/, const Matrix<Real>& /*gradient*/) const {}

    /// What it knows of where it was looked at last, for checkpoints.
    virtual void archive(Archive& state) = 0;
};

}  // namespace alfcg

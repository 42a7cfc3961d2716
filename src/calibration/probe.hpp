#pragma once

#include <limits>
#include <span>

#include "alfcg/objective/objective.hpp"

namespace alfcg {

/// How far along the first direction curvature is looked for first.
constexpr double first_probe = 1e-3;

/// What stands for no curvature: a short step with it is a whole one.
constexpr double least_curvature = std::numeric_limits<double>::min();

/// ‖g‖.
template <class Real>
double norm(const Matrix<Real>& g);

/// Measures the curvature of f along a direction by a gradient a little further on.
template <class Real>
class Probe {
  public:
    explicit Probe(Objective<Real>& objective) : objective_(objective) {}

    /// The secant <∇f(x + τd) − g, d> / (τ‖d‖²), d = v − x, g = ∇f(x): the mean curvature on the way. Without
    /// `rows` f is the mean over all of them, else over these. What is not positive is
    /// `least_curvature`. One evaluation.
    double curvature(std::span<const Index> rows, const Iterate<Real>& x, const Matrix<Real>& g,
                     const Vertex<Real>& vertex, double tau);
    /// The same with ∇f(x) taken first: two evaluations.
    double curvature(std::span<const Index> rows, const Iterate<Real>& x, const Vertex<Real>& vertex,
                     double tau);

    struct Found {
        double curvature = least_curvature;
        Index cost = 0;  // component gradients
    };
    /// The curvature on the way that a short step with it goes: looked for from `first_probe` on down, until it
    /// is that of a way no longer than the step and does not rise any more as the way gets shorter.
    /// `full` is ∇f(x), used where there are no `rows`.
    Found curvature_at_step(std::span<const Index> rows, const Iterate<Real>& x, const Matrix<Real>& full,
                            const Vertex<Real>& vertex, double gap);

    /// ∇f(x) of the last call that took it.
    [[nodiscard]] const Matrix<Real>& gradient() const { return at_x_; }

  private:
    void evaluate(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& gradient);

    Objective<Real>& objective_;
    Matrix<Real> at_x_;
    Iterate<Real> point_;
    Matrix<Real> at_point_;
};

}  // namespace alfcg

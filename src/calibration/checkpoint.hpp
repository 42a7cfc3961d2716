#pragma once

#include "alfcg/point/iterate.hpp"

namespace alfcg {

/// A point with its exact gradient, to judge later points by without a function value. For convex f
/// A ≤ F(x) − F(s) ≤ B with A = <∇f(s), x − s> + h(x) − h(s) and B = <∇f(x), x − s> + h(x) − h(s).
template <class Real>
struct Checkpoint {
    Vertex<Real> point;  // s, as a point to go back to
    Matrix<Real> gradient;

    struct Bounds {
        double least = 0;  // A
        double most = 0;   // B
        double distance_squared = 0;

        /// B over −A: below 0 F is lower at x; at 1 the two slopes would balance.
        [[nodiscard]] bool beyond(double share) const { return most > share * (least < 0 ? -least : 0); }
    };

    void set(const Iterate<Real>& x, const Matrix<Real>& gradient_there, double composite);
    [[nodiscard]] Bounds bounds(const Iterate<Real>& x, const Matrix<Real>& gradient_at_x,
                                double composite) const;
    void archive(Archive& state) { state(point, gradient); }
};

}  // namespace alfcg

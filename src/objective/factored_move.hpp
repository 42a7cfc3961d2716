#pragma once

#include "alfcg/point/iterate.hpp"
#include "kernels/dense.hpp"

namespace alfcg {

/// A vertex s·u·wᵀ.
template <class Real>
struct VertexFactors {
    double scale = 0;           // s; zero for the origin, whose factors do not count
    AlignedVector<Real> left;   // u
    AlignedVector<Real> right;  // w

    /// Takes those of a vertex of rank one, or of the origin; false for others.
    bool take(const Vertex<Real>& vertex);
    void archive(Archive& state) { state(scale, left, right); }
    /// Scores of samples at x, and X w, become scores at keep · x + coefficient · s·u·wᵀ.
    void mix(double keep, double coefficient, const Real* projection, Index samples, Index outputs,
             Real* scores, kernels::ScoreLayout layout) const;
};

/// x ← keep · x + coefficient · vertex.
template <class Real>
struct FactoredMove {
    VertexFactors<Real> vertex;
    double keep = 1;
    double coefficient = 0;

    /// Takes a move with one atom of rank one, or the origin; false for others.
    bool take(const MadeMove<Real>& made);
    void archive(Archive& state) { state(vertex, keep, coefficient); }
};

}  // namespace alfcg

#pragma once

#include "alfcg/region/vertex.hpp"
#include "kernels/dense.hpp"

namespace alfcg {

/// A vertex s·u·wᵀ.
template <class Real>
struct VertexFactors {
    double scale = 0;           // s; zero for the origin, whose factors do not count
    AlignedVector<Real> left;   // u
    AlignedVector<Real> right;  // w

    /// Takes those of a zero, one-hot or rank-one vertex; false for a dense one.
    bool take(const Vertex<Real>& vertex);
    /// Scores of samples at x, and X w, become scores at x + step (s·u·wᵀ − x).
    void mix(double step, const Real* projection, Index samples, Index outputs, Real* scores,
             kernels::ScoreLayout layout) const;
};

/// x += step (vertex − x).
template <class Real>
struct FactoredMove {
    VertexFactors<Real> vertex;
    double step = 0;
};

}  // namespace alfcg

#pragma once

#include "alfcg/core/matrix.hpp"
#include "alfcg/region/vertex.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

/// <g, v − x> and ‖v − x‖², in one pass over x and g; rank-one and one-hot vertices are never written out.
template <class Real>
kernels::Direction direction_to(const Vertex<Real>& vertex, const Matrix<Real>& gradient,
                                const Matrix<Real>& x);

/// x += step (v − x).
template <class Real>
void move_towards(const Vertex<Real>& vertex, double step, Matrix<Real>& x);

}  // namespace alfcg

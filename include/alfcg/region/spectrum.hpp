#pragma once

#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// All min(rows, cols) singular values, largest first, each within a few units in the last place of the
/// largest (of double, whatever Real is). Throws Error when an entry is not finite.
template <class Real>
std::vector<double> singular_values(const Matrix<Real>& x);

/// Number of singular values above σ₁ · max(rows, cols) · ε, with ε the spacing of Real at 1: NumPy's
/// matrix_rank.
template <class Real>
Index numerical_rank(const Matrix<Real>& x);
/// The same from its singular values, largest first.
template <class Real>
Index numerical_rank(const std::vector<double>& values, Shape shape);

}  // namespace alfcg

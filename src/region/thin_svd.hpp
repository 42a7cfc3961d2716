#pragma once

#include <Eigen/Core>

#include "alfcg/core/matrix.hpp"
#include "core/decompositions.hpp"

namespace alfcg::region {

/// Singular value decomposition through a thin QR of the long side and an SVD of the small square factor.
/// Slower than the Gram matrix, but small singular values keep their digits: the Gram matrix would square
/// them away.
template <class Real>
class ThinSvd {
  public:
    /// Decomposes scale · x, all entries finite.
    ThinSvd(const Matrix<Real>& x, double scale, bool vectors);

    /// Largest first.
    [[nodiscard]] const Eigen::VectorXd& values() const { return triplets_.values; }

    /// Writes -Σ_i size_i · u_i v_iᵀ (needs vectors).
    void write_negative(const Eigen::VectorXd& sizes, Matrix<Real>& result) const;

  private:
    Reflections tall_;           // of x, or of its transpose when that is the taller
    SingularTriplets triplets_;  // of the square factor
};

}  // namespace alfcg::region

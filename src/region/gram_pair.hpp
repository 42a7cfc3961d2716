#pragma once

#include "alfcg/core/matrix.hpp"
#include "region/leading_eigenvector.hpp"

namespace alfcg::region {

/// Leading singular pair of a matrix with one short side, from its Gram matrix: exact to rounding. Nothing is
/// allocated once the shape has been seen, unless LeadingEigenvector must decompose the whole.
class GramPair {
  public:
    static constexpr Index largest_side = 256;

    /// False when the matrix is zero. Throws Error when an entry is not finite.
    template <class Real>
    bool solve(const Matrix<Real>& gradient, int threads);

    [[nodiscard]] double scale() const { return scale_; }  // what the gradient was multiplied by
    [[nodiscard]] double value() const { return value_; }  // scale · σ₁
    [[nodiscard]] const AlignedVector<double>& left() const { return wide_ ? shorter_ : longer_; }
    [[nodiscard]] const AlignedVector<double>& right() const { return wide_ ? longer_ : shorter_; }

  private:
    double scale_ = 1;
    double value_ = 0;
    bool wide_ = true;
    AlignedVector<double> shorter_;  // unit vector of the shorter side
    AlignedVector<double> longer_;
    AlignedVector<double> gram_;
    AlignedVector<double> scratch_;
    LeadingEigenvector eigenvector_;
};

}  // namespace alfcg::region

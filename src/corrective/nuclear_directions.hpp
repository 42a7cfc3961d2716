#pragma once

#include <Eigen/Core>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg::faces {

/// Sides up to here have a Gram matrix that is decomposed.
constexpr Index short_side = 256;

/// A few directions of the features, orthonormal: those that x is made of, and those along which f goes down.
template <class Real>
class Directions {
  public:
    /// As rows.
    [[nodiscard]] const Matrix<Real>& rows() const { return basis_; }
    [[nodiscard]] Index count() const { return basis_.rows(); }
    /// S with x = S · rows, for an x that is made of them.
    [[nodiscard]] Matrix<Real> coefficients(const Matrix<Real>& x) const;
    /// S · rows.
    void combine(const Matrix<Real>& s, Matrix<Real>& x) const;

    /// Begins anew with those that x is made of.
    void begin(const Matrix<Real>& x);
    /// More: those that g is steepest along, at most so many.
    void add_steepest(const Matrix<Real>& g, Index most);
    /// Fewer: those that `now` is made of, and then those that lead from `before` to it, coefficients both, at most so many.
    void keep(const Matrix<Real>& now, const Matrix<Real>& before, Index most);

    void archive(Archive& state) { state(basis_); }

  private:
    using Rows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    [[nodiscard]] Eigen::Map<const Rows> view() const {
        return {basis_.data(), basis_.rows(), basis_.cols()};
    }
    void append(Rows more);

    Matrix<Real> basis_;
};

}  // namespace alfcg::faces

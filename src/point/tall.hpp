#pragma once

#include <Eigen/Core>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

// Tables with many lines and few columns: the first `width` numbers of every line, which is padded with zeros to whole vectors.

/// Numbers of a line with room for so many.
template <class Real>
constexpr Index line_length(Index width) {
    constexpr Index lanes = 64 / static_cast<Index>(sizeof(Real));
    return (width + lanes - 1) / lanes * lanes;
}

/// tableᵀ · table, summed up in double precision.
template <class Real>
Eigen::MatrixXd gram_of(const Matrix<Real>& table, Index width);

/// table ← table · by, which is no wider than a line.
template <class Real>
void turn(Matrix<Real>& table, Index width, const Eigen::MatrixXd& by);

/// Takes from the columns what orthonormal ones hold of them, whose lines are `stride` numbers apart.
template <class Real>
void take_away(const Real* basis, Index stride, Index width, Matrix<Real>& table);

/// Makes the columns orthonormal, perhaps fewer of them; returns T with old table = new table · T. A single pass leaves columns that were nearly
/// alike at no more than about right angles.
template <class Real>
Eigen::MatrixXd orthonormalize(Matrix<Real>& table, Index width, int passes = 2);

}  // namespace alfcg

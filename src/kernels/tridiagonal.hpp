#pragma once

#include "alfcg/core/matrix.hpp"

namespace alfcg::kernels {

/// A symmetric matrix in tridiagonal form, Qᵀ A Q = T, by Householder reflections (1 - c h hᵀ). Nothing is allocated once
/// the size has been seen.
class Tridiagonal {
  public:
    /// Of `scale` times the matrix, side x side, the trace then being near 1.
    void compute(const double* matrix, Index side, double scale);

    [[nodiscard]] const AlignedVector<double>& diagonal() const { return diagonal_; }
    /// Entry i belongs to rows i and i + 1; the last one is zero.
    [[nodiscard]] const AlignedVector<double>& off() const { return off_; }
    /// vector = Q vector.
    void transform_back(double* vector);

  private:
    void resize(Index side);
    void reflect(Index k);

    Index side_ = 0;
    Index stride_ = 0;
    AlignedVector<double> work_;        // what is left of the matrix, rows padded with zeros
    AlignedVector<double> reflectors_;  // h of each step, with zeros in front
    AlignedVector<double> coefficients_;
    AlignedVector<double> diagonal_;
    AlignedVector<double> off_;
    AlignedVector<double> vector_;  // padded with zeros
};

}  // namespace alfcg::kernels

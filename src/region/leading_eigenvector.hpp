#pragma once

#include "alfcg/core/matrix.hpp"
#include "kernels/tridiagonal.hpp"

namespace alfcg::region {

/// An eigenvector of the largest eigenvalue of a positive semidefinite matrix, to rounding: tridiagonal form,
/// the largest root of its characteristic polynomial from above, inverse iteration there. A fraction of a
/// full decomposition, and self-checking: the root bounds the spectrum, and the vector must attain it, else a
/// full decomposition answers, which allocates. Nothing else is allocated once the size has been seen.
class LeadingEigenvector {
  public:
    /// The matrix is side x side, symmetric, not zero; writes a unit vector.
    void solve(const double* entries, Index side, double* vector);

  private:
    [[nodiscard]] std::size_t size() const { return tridiagonal_.diagonal().size(); }
    [[nodiscard]] double diagonal(std::size_t i) const { return tridiagonal_.diagonal()[i]; }
    [[nodiscard]] double off(std::size_t i) const { return tridiagonal_.off()[i]; }
    [[nodiscard]] bool bounds(double x);
    [[nodiscard]] double laguerre_step() const;
    [[nodiscard]] double root_from_above(double trace);
    [[nodiscard]] bool inverse_iteration(double x);

    kernels::Tridiagonal tridiagonal_;  // T, a multiple of the matrix in another basis
    AlignedVector<double> inverse_;     // 1/δ_i with x - T = L diag(δ) Lᵀ
    AlignedVector<double> vector_;
};

}  // namespace alfcg::region

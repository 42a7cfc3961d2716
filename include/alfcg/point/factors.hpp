#pragma once

#include <span>
#include <vector>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"
#include "alfcg/point/move.hpp"

namespace alfcg {

/// A matrix of low rank as left · core · rightᵀ, `left` and `right` orthonormal: memory for (rows + columns) · width numbers. What is
/// added widens the bases by what they do not hold yet; when they are twice as wide as they need have been, or wider than allowed,
/// singular values say what is left out. Every sum of squares comes from the core, as a difference and not of one.
template <class Real>
class Factors {
  public:
    Factors() = default;
    /// The origin. `most`: the largest rank that may be kept, 0: any; what is left out beyond it is lost.
    explicit Factors(Shape shape, Index most = 0);
    /// left · rightᵀ of tables with `width` columns, whose lines are as long in both and padded with zeros to whole cache lines.
    Factors(Matrix<Real> left, Matrix<Real> right, Index width, Index most = 0);

    [[nodiscard]] Shape shape() const { return shape_; }
    [[nodiscard]] Index most() const { return most_; }
    [[nodiscard]] Index width() const { return width_; }
    /// Whether singular values are on the diagonal of the core already, and compress() has nothing to do.
    [[nodiscard]] bool diagonal() const;
    /// Whether there is no room for more, so that steps lose something.
    [[nodiscard]] bool full() const { return most_ > 0 && width_ >= most_; }
    /// Rows of a basis, `stride()` numbers apart, zero beyond the width: whole vectors may be read.
    [[nodiscard]] Index stride() const { return stride_; }
    [[nodiscard]] const Real* left(Index row) const { return left_.data() + row * stride_; }
    [[nodiscard]] const Real* right(Index row) const { return right_.data() + row * stride_; }
    [[nodiscard]] double core(Index i, Index j) const { return core_[place(i, j)]; }

    /// x ← keep · x + Σ coefficient · atom, of atoms that are sums of pairs. True where something was lost: x is then another point.
    bool combine(double keep, std::span<const double> coefficients,
                 std::span<const Vertex<Real>* const> atoms);
    /// Singular values on the diagonal of the core, largest first; those that rounding has left go, and so do those beyond the `most`-th,
    /// which is told. They may be called at any time: the point is the same to rounding.
    bool compress();
    /// Of the largest kept to the smallest; compresses if need be.
    [[nodiscard]] std::vector<double> singular_values() const;

    [[nodiscard]] double norm() const;
    [[nodiscard]] double at(Index i, Index j) const;
    /// ‖d‖² of a move from here, all atoms sums of pairs.
    [[nodiscard]] double length_squared(const Move<Real>& move) const;
    /// All entries, written out.
    [[nodiscard]] Matrix<Real> to_matrix() const;
    /// The same point as a sum of pairs.
    void to_vertex(Vertex<Real>& vertex) const;

    void archive(Archive& state) { state(shape_, most_, width_, stride_, settled_, left_, right_, core_); }

  private:
    static constexpr Index lanes = 64 / static_cast<Index>(sizeof(Real));

    [[nodiscard]] std::size_t place(Index i, Index j) const {
        return static_cast<std::size_t>(i * stride_ + j);
    }
    void widen(Index width);
    // Lines of another length, and what they hold.
    void lay_out(Index stride);
    void take_in_all(std::span<const double> coefficients, std::span<const Vertex<Real>* const> atoms);
    // Makes the columns of both tables orthonormal; the core takes what that changes.
    void straighten();
    // What a vector is made of: `width` products with the basis, and what is left over, which joins the basis where it is long enough.
    Index take_in(Matrix<Real>& basis, const Real* vector, Index length, std::vector<double>& along);

    Shape shape_;
    Index most_ = 0;
    Index width_ = 0;
    Index stride_ = 0;
    Index settled_ = 0;  // width after the last compression
    Matrix<Real> left_;
    Matrix<Real> right_;
    std::vector<double> core_;  // stride x stride
};

}  // namespace alfcg

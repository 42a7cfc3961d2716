#pragma once

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// What an oracle answers. A vertex says what it is, so that nobody forms r·u·vᵀ without need.
template <class Real>
struct Vertex {
    enum class Kind {
        zero,      // the origin
        one_hot,   // `scale` at the row-major position `index`, zero elsewhere
        rank_one,  // scale · left · rightᵀ
        dense      // all entries in `dense`
    };

    Kind kind = Kind::zero;
    Shape shape;
    Index index = 0;
    double scale = 0;
    AlignedVector<Real> left;   // shape.rows entries
    AlignedVector<Real> right;  // shape.cols entries
    Matrix<Real> dense;
    double composite = 0;  // h at this vertex

    /// Entry at (i, j).
    [[nodiscard]] double at(Index i, Index j) const {
        switch (kind) {
            case Kind::zero:
                return 0;
            case Kind::one_hot:
                return i * shape.cols + j == index ? scale : 0;
            case Kind::rank_one:
                return scale * static_cast<double>(left[static_cast<std::size_t>(i)]) *
                       static_cast<double>(right[static_cast<std::size_t>(j)]);
            case Kind::dense:
                return static_cast<double>(dense(i, j));
        }
        return 0;
    }
    /// All entries, written out.
    [[nodiscard]] Matrix<Real> to_matrix() const {
        Matrix<Real> full(shape);
        for (Index i = 0; i < shape.rows; ++i)
            for (Index j = 0; j < shape.cols; ++j) full(i, j) = static_cast<Real>(at(i, j));
        return full;
    }
};

}  // namespace alfcg

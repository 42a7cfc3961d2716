#pragma once

#include <cstddef>
#include <vector>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// A point of a region, in the form in which it is small: nobody forms r·u·vᵀ without need. One kind at a time holds;
/// comparing, hashing and copying cost what that kind holds, and memory of the others stays for an oracle whose answers
/// change their kind.
template <class Real>
struct Vertex {
    enum class Kind {
        zero,      // the origin
        one_hot,   // `scale` at the row-major position `index`, zero elsewhere
        sparse,    // `values` at the row-major `positions` (increasing), zero elsewhere
        rank_one,  // scale · left · rightᵀ
        low_rank,  // Σ scales[k] · left_k · right_kᵀ, the pairs one after the other in `left` and `right`
        dense      // all entries in `dense`
    };

    Kind kind = Kind::zero;
    Shape shape;
    Index index = 0;
    double scale = 0;
    std::vector<Index> positions;
    AlignedVector<Real> values;
    std::vector<double> scales;
    AlignedVector<Real> left;   // shape.rows entries a pair
    AlignedVector<Real> right;  // shape.cols entries a pair
    Matrix<Real> dense;
    double composite = 0;  // h at this point

    Vertex() = default;
    Vertex(const Vertex& other) { *this = other; }
    Vertex(Vertex&&) noexcept = default;
    Vertex& operator=(const Vertex& other);
    Vertex& operator=(Vertex&&) noexcept = default;
    ~Vertex() = default;

    /// The same point in the same form, entry by entry; h does not count.
    bool operator==(const Vertex& other) const;
    [[nodiscard]] std::size_t hash() const;

    /// Rank-one terms it is a sum of; 0 for the origin, and -1 where it has no such form (dense, or sparse with more
    /// than one entry).
    [[nodiscard]] Index rank() const;
    /// Entry at (i, j).
    [[nodiscard]] double at(Index i, Index j) const;
    /// All entries, written out.
    [[nodiscard]] Matrix<Real> to_matrix() const;

    /// Of what the kind holds.
    void archive(Archive& state);
};

}  // namespace alfcg

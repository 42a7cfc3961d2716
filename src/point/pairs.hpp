#pragma once

#include "alfcg/point/vertex.hpp"

namespace alfcg {

/// Calls visit(scale, left, right) for the pairs that an atom is a sum of, scales times its coefficient.
template <class Real, class Visit>
void for_each_pair(const Vertex<Real>& atom, double coefficient, const Visit& visit) {
    using Kind = typename Vertex<Real>::Kind;
    const auto [rows, cols] = atom.shape;
    if (atom.kind == Kind::rank_one) visit(coefficient * atom.scale, atom.left.data(), atom.right.data());
    if (atom.kind == Kind::low_rank)
        for (std::size_t k = 0; k < atom.scales.size(); ++k)
            visit(coefficient * atom.scales[k], atom.left.data() + static_cast<Index>(k) * rows,
                  atom.right.data() + static_cast<Index>(k) * cols);
    if (atom.kind == Kind::one_hot) {
        AlignedVector<Real> left(static_cast<std::size_t>(rows));
        AlignedVector<Real> right(static_cast<std::size_t>(cols));
        left[static_cast<std::size_t>(atom.index / cols)] = 1;
        right[static_cast<std::size_t>(atom.index % cols)] = 1;
        visit(coefficient * atom.scale, left.data(), right.data());
    }
}

}  // namespace alfcg

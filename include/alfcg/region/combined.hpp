#pragma once

#include <memory>
#include <vector>

#include "alfcg/region/region.hpp"

namespace alfcg {

/// A part of a product: the rows and columns of x that are points of `region`, counted from 0; empty: all of them.
template <class Real>
struct Block {
    std::unique_ptr<Region<Real>> region;
    std::vector<Index> rows = {};
    std::vector<Index> columns = {};
};

/// Points each of whose blocks lies in a region of its own. Every entry must belong to exactly one block. h is the sum of what
/// the parts have.
template <class Real>
std::unique_ptr<Region<Real>> product(std::vector<Block<Real>> blocks);

/// {shift + scale · x : x ∈ X}, scale > 0. A shift with the entries of a row is that of every row, one of a single entry that of
/// every entry, one of none is 0. X must have no composite term.
template <class Real>
std::unique_ptr<Region<Real>> shifted(std::unique_ptr<Region<Real>> region, Matrix<Real> shift,
                                      double scale = 1);

/// The Minkowski sum {x_1 + x_2 + … : x_k ∈ X_k} of regions without composite terms.
template <class Real>
std::unique_ptr<Region<Real>> minkowski_sum(std::vector<std::unique_ptr<Region<Real>>> regions);

/// The same region, which remembers up to `most` of its vertices, those used last. Runs then go towards one that promises half of
/// the last known gap, and ask the oracle where none does; gaps that are reported, and those that end a run, come from the
/// oracle as before.
template <class Real>
std::unique_ptr<Region<Real>> lazy(std::unique_ptr<Region<Real>> region, Index most = 256);

}  // namespace alfcg

#pragma once

#include <cstdint>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/shared_array.hpp"

namespace alfcg {

/// Places of a matrix, row by row: those of row i are columns[starts[i]] .. columns[starts[i + 1] - 1], increasing. A copy copies no
/// places.
struct Pattern {
    Shape shape;
    SharedArray<Index> starts;  // rows + 1
    SharedArray<std::int32_t> columns;

    [[nodiscard]] Index size() const { return static_cast<Index>(columns.size()); }
    [[nodiscard]] Index begin(Index row) const { return starts[static_cast<std::size_t>(row)]; }
    [[nodiscard]] Index end(Index row) const { return starts[static_cast<std::size_t>(row) + 1]; }
};

/// The first row of each of `parts` parts that have about as many places each, and the number of rows: rows differ in length.
std::vector<Index> balanced_rows(const Pattern& pattern, int parts);

}  // namespace alfcg

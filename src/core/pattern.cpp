#include "alfcg/core/pattern.hpp"

#include <algorithm>

namespace alfcg {

std::vector<Index> balanced_rows(const Pattern& pattern, int parts) {
    std::vector<Index> first(static_cast<std::size_t>(parts) + 1, pattern.shape.rows);
    first.front() = 0;
    // A row costs something even where it is empty.
    const auto cost = [&](Index row) { return pattern.begin(row) + row; };
    const Index total = cost(pattern.shape.rows);
    for (int part = 1; part < parts; ++part) {
        Index low = first[static_cast<std::size_t>(part) - 1];
        Index high = pattern.shape.rows;
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (cost(middle) < total * part / parts)
                low = middle + 1;
            else
                high = middle;
        }
        first[static_cast<std::size_t>(part)] = low;
    }
    return first;
}

}  // namespace alfcg

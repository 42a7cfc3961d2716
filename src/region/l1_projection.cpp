#include "region/l1_projection.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace alfcg::region {

double water_level(std::span<double> heights, double volume) {
    // Bisection over the sorted order without sorting: everything before `first` is under water, everything
    // from `last` on is dry.
    std::size_t first = 0;
    std::size_t last = heights.size();
    double under_water = 0;  // Σ heights before `first`
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        const auto begin = heights.begin();
        const auto at = [begin](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
        std::nth_element(at(first), at(middle), at(last));
        const double sum = std::accumulate(at(first), at(middle + 1), under_water);
        // Raising the level to this height takes (count · height - sum).
        if (static_cast<double>(middle + 1) * heights[middle] - sum < volume) {
            first = middle + 1;
            under_water = sum;
        } else {
            last = middle;
        }
    }
    return (volume + under_water) / static_cast<double>(std::max<std::size_t>(first, 1));
}

}  // namespace alfcg::region

#include "objective/row_share.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

// Whole numbers in the order of the doubles, and back.
constexpr std::uint64_t sign = std::uint64_t{1} << 63U;

std::uint64_t place_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

double value_at(std::uint64_t place) {
    return std::bit_cast<double>((place & sign) != 0 ? place & ~sign : ~place);
}

}  // namespace

RowShare::RowShare(Ranks* among, Index rows, bool has_weights)
    : ranks(among), own(rows), total(rows), weighted(has_weights) {
    if (ranks != nullptr) {
        const std::vector<Index> counts = ranks->gather(rows);
        total = 0;
        for (int k = 0; k < ranks->size(); ++k) {
            if (k == ranks->rank()) first = total;
            total += counts[static_cast<std::size_t>(k)];
        }
        weighted = !ranks->all(!has_weights);
    }
    if (total == 0) throw Error("the data have no rows");
}

// Where there are ranks: the least number that more than k of all numbers do not exceed, found in 64 halvings of all that there are.
double RowShare::smallest(Index k, std::vector<double> values) const {
    if (ranks == nullptr) {
        const auto middle = values.begin() + k;
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }
    std::vector<std::uint64_t> places;
    for (const double value : values) places.push_back(place_of(value + 0.0));
    std::sort(places.begin(), places.end());
    std::uint64_t least = 0;
    std::uint64_t most = ~std::uint64_t{0};
    while (least < most) {
        const std::uint64_t middle = least + (most - least) / 2;
        const auto below = std::upper_bound(places.begin(), places.end(), middle) - places.begin();
        if (ranks->sum(static_cast<double>(below)) > static_cast<double>(k)) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    return value_at(least);
}

}  // namespace alfcg

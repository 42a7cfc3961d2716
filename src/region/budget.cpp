#include "region/budget.hpp"

#include <algorithm>
#include <cstddef>

namespace alfcg::region {

Cut cut_among(std::span<Offer> offers, double budget) {
    // Bisection over the order by worth: everything before `first` is taken in full, nothing from `last` on is.
    std::size_t first = 0;
    std::size_t last = offers.size();
    const auto at = [&](std::size_t i) { return offers.begin() + static_cast<std::ptrdiff_t>(i); };
    while (last - first > 1) {
        const std::size_t middle = first + (last - first) / 2;
        std::nth_element(at(first), at(middle), at(last),
                         [](const Offer& a, const Offer& b) { return a.worth > b.worth; });
        double cost = 0;
        for (std::size_t i = first; i < middle; ++i) cost += offers[i].cost;
        if (cost <= budget) {
            budget -= cost;
            first = middle;
        } else {
            last = middle;
        }
    }
    if (first == offers.size() || offers[first].cost <= budget) return {};
    // Equals that were taken in full are given back: those that come first get them.
    Cut cut{offers[first].worth, budget};
    for (std::size_t i = 0; i < first; ++i)
        if (offers[i].worth == cut.worth) cut.left += offers[i].cost;
    return cut;
}

double likely_bound(std::vector<Offer>& sample, double budget) {
    constexpr double all = -std::numeric_limits<double>::infinity();
    double cost = 0;
    for (const Offer& each : sample) cost += each.cost;
    if (cost <= budget) return all;
    const Cut cut = cut_among(sample, budget);
    const auto taken = static_cast<double>(std::count_if(
        sample.begin(), sample.end(), [&](const Offer& each) { return each.worth >= cut.worth; }));
    // Five times the deviation of such a count.
    const auto wanted = static_cast<std::size_t>(taken + 5 * std::sqrt(taken) + 10);
    if (wanted >= sample.size()) return all;
    const auto at = sample.begin() + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(sample.begin(), at, sample.end(),
                     [](const Offer& a, const Offer& b) { return a.worth > b.worth; });
    return at->worth;
}

WaterLevel fill_level(std::vector<Basin>& basins, double volume) {
    const auto at = [&](std::size_t i) { return basins.begin() + static_cast<std::ptrdiff_t>(i); };
    // The highest bottom that stays under water or just dry: bisection over their order. At the bottom of basins[first], those
    // before hold `held` at most.
    std::size_t first = 0;
    std::size_t last = basins.size();
    while (last - first > 1) {
        const std::size_t middle = first + (last - first) / 2;
        std::nth_element(at(first), at(middle), at(last),
                         [](const Basin& a, const Basin& b) { return a.bottom < b.bottom; });
        const WaterLevel level{basins[middle].bottom, 0};
        double held = 0;
        for (std::size_t i = 0; i < middle; ++i) held += basins[i].volume(level);
        (held < volume ? first : last) = middle;
    }
    WaterLevel level{basins.empty() ? 0 : basins[first].bottom, 0};
    basins.erase(std::remove_if(basins.begin(), basins.end(),
                                [&](const Basin& basin) { return !(basin.bottom <= level.low); }),
                 basins.end());
    // From there on all of them rise, until they are full.
    for (Basin& basin : basins) {
        const double held = basin.volume(level);
        volume -= held;
        basin.capacity -= held;
        basin.bottom = basin.capacity / basin.slope;  // now: how far it can rise
    }
    first = 0;
    last = basins.size();
    double slope = 0;
    for (const Basin& basin : basins) slope += basin.slope;
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        std::nth_element(at(first), at(middle), at(last),
                         [](const Basin& a, const Basin& b) { return a.bottom < b.bottom; });
        double full = 0;  // in those that are full by then
        double less = 0;  // their slopes
        for (std::size_t i = first; i <= middle; ++i) {
            full += basins[i].capacity;
            less += basins[i].slope;
        }
        if (full + (slope - less) * basins[middle].bottom < volume) {
            volume -= full;
            slope -= less;
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    const double most =
        basins.empty() ? 0
                       : std::max_element(basins.begin(), basins.end(), [](const Basin& a, const Basin& b) {
                             return a.bottom < b.bottom;
                         })->bottom;
    level.rise = first < basins.size() ? std::max(0.0, volume / slope) : most;
    return level;
}

}  // namespace alfcg::region

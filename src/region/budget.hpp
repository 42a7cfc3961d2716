#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "alfcg/core/matrix.hpp"

/// Two ways to spend a budget: best things first, and evenly like water.
namespace alfcg::region {

/// Something to take: how good it is for what it costs, and what all of it costs; 0: not to be had.
struct Offer {
    double worth = 0;
    double cost = 0;
};

/// What is taken where the best offers come first: all above `worth`, and of those at it, in their order, until `left` is used up.
struct Cut {
    double worth = -std::numeric_limits<double>::infinity();
    double left = std::numeric_limits<double>::infinity();

    /// The share, from 0 to 1, that is taken of the next offer. They come in order.
    double share(const Offer& offer) {
        if (offer.cost == 0 || offer.worth < worth) return 0;
        if (offer.worth > worth || offer.cost <= left) {
            if (offer.worth == worth) left -= offer.cost;
            return 1;
        }
        const double part = left / offer.cost;
        left = 0;
        return part;
    }
};

/// The cut among offers of which some are more than can be afforded: reorders them. A linear number of steps.
Cut cut_among(std::span<Offer> offers, double budget);

/// Memory of find_cut().
struct CutScratch {
    std::vector<double> costs;  // by bucket of worths
    std::vector<Offer> offers;
};

/// Finds the cut among n offers, offer(i) for i = 0, …, n − 1, without sorting: many of them are first sorted out by the leading bits
/// of their worths.
template <class MakeOffer>
Cut find_cut(Index n, const MakeOffer& offer, double budget, CutScratch& scratch) {
    constexpr Index many = 4096;
    constexpr int bits = 14;
    // Doubles in their order: by sign, exponent and the first bits of the mantissa.
    const auto bucket = [](double worth) {
        const auto pattern = std::bit_cast<std::uint64_t>(worth);
        const std::uint64_t ordered = (pattern >> 63) != 0 ? ~pattern : pattern | (std::uint64_t{1} << 63);
        return static_cast<std::size_t>(ordered >> (64 - bits));
    };
    std::size_t least = 0;
    std::size_t last = std::size_t{1} << bits;
    if (n > many) {
        scratch.costs.assign(last, 0);
        for (Index i = 0; i < n; ++i) {
            const Offer each = offer(i);
            scratch.costs[bucket(each.worth)] += each.cost;
        }
        while (last > 0 && scratch.costs[last - 1] <= budget) budget -= scratch.costs[--last];
        if (last == 0) return {};
        least = last - 1;
    }
    scratch.offers.clear();
    for (Index i = 0; i < n; ++i) {
        const Offer each = offer(i);
        if (each.cost == 0) continue;
        if (const std::size_t at = bucket(each.worth); at >= least && at < last)
            scratch.offers.push_back(each);
    }
    return cut_among(scratch.offers, budget);
}

/// How high water stands: `rise` above `low`. Apart, they are exact where their sum is rounded to `low`.
struct WaterLevel {
    double low = 0;
    double rise = 0;
};

/// A basin that holds slope · (level − bottom) of water, from 0 at its bottom up to `capacity`, which may be infinite.
struct Basin {
    double bottom = 0;
    double slope = 1;
    double capacity = std::numeric_limits<double>::infinity();

    [[nodiscard]] double volume(const WaterLevel& level) const {
        if (!(bottom <= level.low)) return 0;
        return std::min(slope * ((level.low - bottom) + level.rise), capacity);
    }
};

/// The level at which `volume` > 0 of water stands in all of them together; their tops where they hold no more. Bottoms are not negative
/// and may be infinite, one of them is 0. Exact up to rounding, in a linear number of steps; reorders the basins.
WaterLevel fill_level(std::vector<Basin>& basins, double volume);

}  // namespace alfcg::region

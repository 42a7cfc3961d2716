#pragma once

#include <cmath>
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
    std::vector<Index> positions;  // in order, of all that may be taken, perhaps in part
    std::vector<Offer> offers;
};

/// A worth above which there is probably more than `budget` can buy, from a sample; none where there may not be as much. Memory of the sample is
/// lost.
double likely_bound(std::vector<Offer>& sample, double budget);

/// Finds the cut among n offers, offer(i) for i = 0, …, n − 1, without sorting, and which of them come into question: find(worth, positions)
/// adds the positions of all that are worth at least that, and perhaps of others. A sample says what to look for; what is found proves it, or
/// all are looked at.
template <class MakeOffer, class Find>
Cut find_cut(Index n, const MakeOffer& offer, const Find& find, double budget, CutScratch& scratch) {
    constexpr Index many = 8192;  // the size of a sample
    constexpr Index run = 8;      // neighbours in it
    double least = -std::numeric_limits<double>::infinity();
    scratch.offers.clear();
    if (n > 4 * many) {
        const Index stride = n / many * run;
        for (Index first = 0; first + run <= n; first += stride)
            for (Index i = first; i < first + run; ++i)
                if (const Offer each = offer(i); each.cost > 0) scratch.offers.push_back(each);
        least = likely_bound(scratch.offers, budget * static_cast<double>(run) / static_cast<double>(stride));
    }
    for (;;) {
        scratch.positions.clear();
        scratch.offers.clear();
        find(least, scratch.positions);
        double cost = 0;
        for (const Index i : scratch.positions) {
            const Offer each = offer(i);
            if (each.cost == 0 || each.worth < least) continue;
            scratch.offers.push_back(each);
            cost += each.cost;
        }
        if (std::isinf(least)) return cut_among(scratch.offers, budget);
        if (cost > budget)
            if (const Cut cut = cut_among(scratch.offers, budget); std::isfinite(cut.worth)) return cut;
        least = -std::numeric_limits<double>::infinity();
    }
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

#include "region/group_norms.hpp"

#include <functional>
#include <limits>

namespace alfcg::region {
namespace {

constexpr auto larger = [](double a, double b) { return b > a || std::isnan(b) ? b : a; };

constexpr auto squared(const Sizes& sizes) {
    return [sizes](auto x) {
        const double a = sizes(static_cast<double>(x));
        return a * a;
    };
}

constexpr auto plain(const Sizes& sizes) {
    return [sizes](auto x) { return sizes(static_cast<double>(x)); };
}

std::size_t number(Index group) {
    return static_cast<std::size_t>(group);
}

}  // namespace

double water_level(std::span<double> heights, std::span<double> areas, double volume) {
    // Newton's method from above: the volume is a convex function of the level, and linear between heights. What is dry once
    // stays dry.
    for (std::size_t count = heights.size();;) {
        double area = 0;
        double moment = 0;
        for (std::size_t i = 0; i < count; ++i) {
            area += areas[i];
            moment += areas[i] * heights[i];
        }
        const double level = (volume + moment) / area;
        std::size_t wet = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (heights[i] >= level) continue;
            heights[wet] = heights[i];
            areas[wet] = areas[i];
            ++wet;
        }
        if (wet == count) return level;
        count = wet;
    }
}

template <class Real>
double SumOfLengths::dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    const auto peak = map.peak(x, threads, squared(sizes), std::plus<>(), [&](Index group, double total) {
        const double weight = map.weight(group);
        return total / (weight * weight);
    });
    best_ = peak.group;
    dual_ = std::sqrt(peak.value);
    const double weight = map.weight(best_);
    factor_ = 1 / (weight * weight * dual_);
    return dual_;
}

// The lengths lose a common amount for each unit of weight, u_g = (‖a_g‖ − τ w_g)₊. It is told through the distances of
// ‖a_g‖ / w_g below the largest, so that nothing cancels when the radius is small: Σ w_g u_g is a volume of water.
template <class Real>
bool SumOfLengths::shrink(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, double own,
                          double radius, int threads) {
    map.totals(x, threads, squared(sizes), std::plus<>(), factors_);
    const auto height = [&](Index group) {
        return std::max(0.0, dual_ - std::sqrt(factors_[number(group)]) / map.weight(group));
    };
    const double best_weight = map.weight(best_);
    const double most = radius / (best_weight * best_weight);  // no level is higher
    heights_.assign(1, 0.0);  // the best group, to rounding; it is not told twice
    squares_.assign(1, best_weight * best_weight);
    for (Index group = 0; group < map.count(); ++group) {
        if (group == best_ || height(group) >= most) continue;
        heights_.push_back(height(group));
        squares_.push_back(map.weight(group) * map.weight(group));
    }
    const double full = water_level(heights_, squares_, radius);
    const bool active = full <= dual_ - own;
    const double level = active ? full : dual_ - own;
    for (Index group = 0; group < map.count(); ++group) {
        const double left = map.weight(group) * std::max(level - (group == best_ ? 0.0 : height(group)), 0.0);
        double& factor = factors_[number(group)];
        factor = left > 0 ? left / std::sqrt(factor) : 0;
    }
    return active;
}

template <class Real>
double SumOfLengths::norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    map.totals(x, threads, squared(sizes), std::plus<>(), heights_);
    double sum = 0;
    for (Index group = 0; group < map.count(); ++group)
        sum += map.weight(group) * std::sqrt(heights_[number(group)]);
    return sum;
}

double SumOfLengths::length(const GroupMap& map) {
    double least = std::numeric_limits<double>::infinity();
    for (Index group = 0; group < map.count(); ++group) least = std::min(least, map.weight(group));
    return 1 / least;
}

template <class Real>
double SumOfPeaks::dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    const auto peak = map.peak(x, threads, plain(sizes), std::plus<>(),
                               [&](Index group, double total) { return total / map.weight(group); });
    best_ = peak.group;
    dual_ = peak.value;
    factor_ = 1 / map.weight(best_);
    return dual_;
}

// Every group loses what is above a cap, the same amount for each unit of weight: Σ (a_i − m_g)₊ = τ w_g. What stays,
// Σ min(a_i, m_g) = w_g (δ − b_g)₊, is told through the distance b_g of the group's total, and δ of τ, below the largest: nothing
// cancels when the radius is small. Σ w_g m_g is a convex and piecewise linear function of δ; Newton's method goes down to its root.
template <class Real>
bool SumOfPeaks::shrink(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, double own,
                        double radius, int /*threads*/) {
    sorted_.clear();
    totals_.resize(number(map.count()));
    caps_.resize(number(map.count()));
    before_.clear();
    for (Index group = 0; group < map.count(); ++group) {
        const auto first = static_cast<std::ptrdiff_t>(sorted_.size());
        map.visit(group, [&](Index k) { sorted_.push_back(sizes(static_cast<double>(x.data()[k]))); });
        std::sort(sorted_.begin() + first, sorted_.end());
        double sum = 0;
        for (auto a = sorted_.begin() + first; a != sorted_.end(); ++a) {
            before_.push_back(sum);
            sum += *a;
        }
        totals_[number(group)] = sum;
    }
    dual_ = 0;  // of the sums as they are rounded here
    for (Index group = 0; group < map.count(); ++group)
        dual_ = std::max(dual_, totals_[number(group)] / map.weight(group));
    double level = dual_ - own;
    Caps now = caps(map, level);
    if (now.norm <= radius) return false;
    for (int iteration = 0; iteration < 200 && now.norm > radius * (1 + 1e-15); ++iteration) {
        const double lower = level - (now.norm - radius) / now.slope;
        if (!(lower < level && lower > 0)) break;
        level = lower;
        now = caps(map, level);
    }
    for (double& cap : caps_) cap *= radius / now.norm;
    return true;
}

SumOfPeaks::Caps SumOfPeaks::caps(const GroupMap& map, double level) {
    Caps result;
    std::size_t first = 0;
    for (Index group = 0; group < map.count(); ++group) {
        const std::size_t size = number(map.size(group));
        const double weight = map.weight(group);
        const double below = std::max(0.0, dual_ - totals_[number(group)] / weight);
        double& cap = caps_[number(group)];
        cap = 0;
        if (level > below) {
            // The first entry at which the water, if it reached there, would be as much as there is.
            const double volume = weight * (level - below);
            std::size_t low = 0;
            std::size_t high = size - 1;
            while (low < high) {
                const std::size_t middle = (low + high) / 2;
                const double reached =
                    before_[first + middle] + static_cast<double>(size - middle) * sorted_[first + middle];
                if (reached >= volume)
                    high = middle;
                else
                    low = middle + 1;
            }
            const double wide = static_cast<double>(size - low);
            cap = std::min((volume - before_[first + low]) / wide, sorted_[first + size - 1]);
            result.norm += weight * cap;
            result.slope += weight * weight / wide;
        }
        first += size;
    }
    return result;
}

template <class Real>
double SumOfPeaks::norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    map.totals(x, threads, plain(sizes), larger, totals_);
    double sum = 0;
    for (Index group = 0; group < map.count(); ++group) sum += map.weight(group) * totals_[number(group)];
    return sum;
}

double SumOfPeaks::length(const GroupMap& map) {
    double most = 0;
    for (Index group = 0; group < map.count(); ++group)
        most = std::max(most, std::sqrt(static_cast<double>(map.size(group))) / map.weight(group));
    return most;
}

template <class Real>
double LargestLength::dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    map.totals(x, threads, squared(sizes), std::plus<>(), lengths_);
    factors_.resize(lengths_.size());
    double sum = 0;
    for (Index group = 0; group < map.count(); ++group) {
        double& length = lengths_[number(group)];
        length = std::sqrt(length);
        factors_[number(group)] = length > 0 ? 1 / (map.weight(group) * length) : 0;
        sum += length / map.weight(group);
    }
    return sum;
}

// Every group is cut to length m / w_g, where m is the radius or, if that is less, takes Σ (‖a_g‖ − m / w_g)₊ / w_g = own away.
template <class Real>
bool LargestLength::shrink(const GroupMap& map, const Matrix<Real>& /*x*/, const Sizes& /*sizes*/, double own,
                           double radius, int /*threads*/) {
    double cap = own > 0 ? 0 : radius;
    // Newton's method from below on a convex function; own < Σ ‖a_g‖ / w_g.
    for (int iteration = 0; iteration < 200 && cap < radius; ++iteration) {
        double taken = 0;
        double slope = 0;
        for (Index group = 0; group < map.count(); ++group) {
            const double weight = map.weight(group);
            const double above = lengths_[number(group)] - cap / weight;
            if (above <= 0) continue;
            taken += above / weight;
            slope += 1 / (weight * weight);
        }
        const double higher = slope > 0 ? cap + (taken - own) / slope : cap;
        if (!(higher > cap * (1 + 1e-15))) break;
        cap = higher;
    }
    const bool active = cap >= radius;
    cap = std::min(cap, radius);
    for (Index group = 0; group < map.count(); ++group)
        factors_[number(group)] = std::min(1.0, cap * factors_[number(group)]);
    return active;
}

template <class Real>
double LargestLength::norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    const auto peak = map.peak(x, threads, squared(sizes), std::plus<>(), [&](Index group, double total) {
        const double weight = map.weight(group);
        return total * weight * weight;
    });
    return std::sqrt(peak.value);
}

double LargestLength::length(const GroupMap& map) {
    double sum = 0;
    for (Index group = 0; group < map.count(); ++group) sum += 1 / (map.weight(group) * map.weight(group));
    return std::sqrt(sum);
}

template double SumOfLengths::dual(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double SumOfLengths::dual(const GroupMap&, const Matrix<double>&, const Sizes&, int);
template bool SumOfLengths::shrink(const GroupMap&, const Matrix<float>&, const Sizes&, double, double, int);
template bool SumOfLengths::shrink(const GroupMap&, const Matrix<double>&, const Sizes&, double, double, int);
template double SumOfLengths::norm(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double SumOfLengths::norm(const GroupMap&, const Matrix<double>&, const Sizes&, int);
template double SumOfPeaks::dual(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double SumOfPeaks::dual(const GroupMap&, const Matrix<double>&, const Sizes&, int);
template bool SumOfPeaks::shrink(const GroupMap&, const Matrix<float>&, const Sizes&, double, double, int);
template bool SumOfPeaks::shrink(const GroupMap&, const Matrix<double>&, const Sizes&, double, double, int);
template double SumOfPeaks::norm(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double SumOfPeaks::norm(const GroupMap&, const Matrix<double>&, const Sizes&, int);
template double LargestLength::dual(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double LargestLength::dual(const GroupMap&, const Matrix<double>&, const Sizes&, int);
template bool LargestLength::shrink(const GroupMap&, const Matrix<float>&, const Sizes&, double, double, int);
template bool LargestLength::shrink(const GroupMap&, const Matrix<double>&, const Sizes&, double, double,
                                    int);
template double LargestLength::norm(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double LargestLength::norm(const GroupMap&, const Matrix<double>&, const Sizes&, int);

}  // namespace alfcg::region

#include "region/ranked.hpp"

#include <algorithm>
#include <numeric>

namespace alfcg::region {

namespace {

/// Neighbours that have the same value: Σ (size − highest · weight) and Σ weight over them.
struct Level {
    double below = 0;
    double weight = 0;
    double count = 1;

    [[nodiscard]] double value(double room) const { return (below + room * weight) / count; }
};

// Neighbours in the wrong order become one.
void pool(std::vector<Level>& levels, double room) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        Level level = levels[i];
        for (; last > 0 && levels[last - 1].value(room) <= level.value(room); --last) {
            level.below += levels[last - 1].below;
            level.weight += levels[last - 1].weight;
            level.count += levels[last - 1].count;
        }
        levels[last++] = level;
    }
    levels.resize(last);
}

void scale_to_norm(std::vector<double>& to, double norm, double radius) {
    for (double& size : to) size *= radius / norm;
}

}  // namespace

// Sizes less τ times their weights, neighbours in the wrong order pooled, what is negative cut off; τ = highest − room, where
// `highest`, the dual norm, leaves nothing. The norm is convex in `room`, and pools only grow as that shrinks: Newton's
// method comes from above, ends, and never takes a pool apart.
void project_sorted(std::span<const double> sizes, const std::function<double(std::size_t)>& weight,
                    double radius, std::vector<double>& to) {
    to.assign(sizes.begin(), sizes.end());
    double highest = 0;
    double sum = 0;
    double weights = 0;
    double norm = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        sum += sizes[k];
        weights += weight(k);
        norm += weight(k) * sizes[k];
        highest = std::max(highest, sum / weights);
    }
    if (norm <= radius) return;
    std::vector<Level> levels;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        levels.push_back({sizes[k] - highest * weight(k), weight(k), 1});
    const double solved =
        std::max(radius, 1e-13);  // smaller ones are that one's, scaled: rounding would be all that is left
    double room = highest;
    constexpr int most_steps = 100;
    for (int step = 0; step < most_steps; ++step) {
        pool(levels, room);
        double here = 0;
        double slope = 0;
        for (const Level& level : levels) {
            if (!(level.value(room) > 0)) break;
            here += level.weight * level.below / level.count;
            slope += level.weight * level.weight / level.count;
        }
        if (slope == 0) break;
        const double next = (solved - here) / slope;
        if (!(next < room)) break;
        room = next;
    }
    std::size_t k = 0;
    norm = 0;
    for (const Level& level : levels) {
        const double value = std::max(level.value(room), 0.0);
        norm += value * level.weight;
        for (const std::size_t end = k + static_cast<std::size_t>(level.count); k < end; ++k) to[k] = value;
    }
    if (norm > 0) scale_to_norm(to, norm, radius);
}

namespace {

/// The squared norm is the least of Σ x_i²/θ_i over 0 ≤ θ ≤ 1, Σ θ = k. So the proximal map of ν/2 times it is p θ / (θ + ν) with
/// θ_i = clip(p_i/α − ν, 0, 1): entries from (1 + ν) α on shrink by 1 + ν, those down to ν α lose that, the others are cut off.
/// Told from the k-th largest, c, which is never cut off: with y = c/α − ν, p_i/α − ν = y p_i/c + ν (p_i − c)/c, and nothing cancels
/// where ν is large.
class KSupportMap {
  public:
    KSupportMap(std::span<const double> sizes, std::size_t k)
        : sizes_(sizes), pivot_(k - 1), squares_(k + 1, 0) {
        for (std::size_t i = 0; i < k; ++i) squares_[i + 1] = squares_[i] + sizes[i] * sizes[i];
        // From the pivot outwards, small ones first.
        ratios_.assign(sizes.size() + 1, 0);
        excesses_.assign(sizes.size() + 1, 0);
        for (std::size_t i = k; i-- > 0;) {
            ratios_[i] = (i + 1 < k ? ratios_[i + 1] : 0) + ratio(i);
            excesses_[i] = (i + 1 < k ? excesses_[i + 1] : 0) + excess(i);
        }
        ratios_[k] = excesses_[k] = 0;
        for (std::size_t i = k; i < sizes.size(); ++i) {
            ratios_[i + 1] = ratios_[i] + ratio(i);
            excesses_[i + 1] = excesses_[i] + excess(i);
        }
    }

    /// Finds α, and which entries are whole and which are cut off.
    void set(double nu) {
        nu_ = nu;
        const double all = static_cast<double>(pivot_ + 1);
        cut_ = partition(pivot_ + 1, sizes_.size(), [&](std::size_t i) { return shares(start(i)) < all; });
        whole_ = partition(0, pivot_ + 1, [&](std::size_t i) { return shares(full(i)) <= all; });
        const double part = ratios_[whole_] + ratios_[cut_];
        const double left = all - static_cast<double>(whole_) - nu_ * (excesses_[whole_] + excesses_[cut_]);
        const double level = part > 0 ? left / part : 1;  // y
        inverse_ = (nu_ + level) / sizes_[pivot_];
        level_ = level;
    }
    [[nodiscard]] double norm_squared() const {
        return squares_[whole_] / ((1 + nu_) * (1 + nu_)) +
               static_cast<double>(pivot_ + 1 - whole_) / (inverse_ * inverse_);
    }
    /// −½ of what it changes by with ν, as long as the same entries are whole and cut off.
    [[nodiscard]] double slope() const {
        const double part = (ratios_[whole_] + ratios_[cut_]) * sizes_[pivot_];
        const double moved = part > 0 ? static_cast<double>(cut_ - whole_) / part : 0;  // of 1/α
        return squares_[whole_] / std::pow(1 + nu_, 3) +
               static_cast<double>(pivot_ + 1 - whole_) * moved / std::pow(inverse_, 3);
    }
    [[nodiscard]] double operator()(std::size_t i) const {
        if (i < whole_) return sizes_[i] / (1 + nu_);
        if (i >= cut_) return 0;
        return std::clamp(level_ * ratio(i) + nu_ * excess(i), 0.0, 1.0) / inverse_;
    }

  private:
    [[nodiscard]] double ratio(std::size_t i) const { return sizes_[i] / sizes_[pivot_]; }
    [[nodiscard]] double excess(std::size_t i) const { return (sizes_[i] - sizes_[pivot_]) / sizes_[pivot_]; }
    // The y from which on an entry is not cut off, or is whole.
    [[nodiscard]] double start(std::size_t i) const { return -nu_ * excess(i) / ratio(i); }
    [[nodiscard]] double full(std::size_t i) const { return (1 - nu_ * excess(i)) / ratio(i); }

    /// How many of [first, last), from the largest, have a property that those before an entry have with it; and `first`.
    template <class Has>
    [[nodiscard]] static std::size_t partition(std::size_t first, std::size_t last, const Has& has) {
        while (first < last) {
            const std::size_t middle = first + (last - first) / 2;
            if (has(middle))
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }
    /// Σ θ for this y; where it is not near k, only on which side.
    [[nodiscard]] double shares(double y) const {
        const std::size_t whole = partition(0, sizes_.size(), [&](std::size_t i) { return full(i) <= y; });
        if (whole > pivot_ + 1) return static_cast<double>(whole);
        const std::size_t cut = partition(whole, sizes_.size(), [&](std::size_t i) { return start(i) < y; });
        if (cut < pivot_ + 1) return static_cast<double>(cut);
        return static_cast<double>(whole) + y * (ratios_[whole] + ratios_[cut]) +
               nu_ * (excesses_[whole] + excesses_[cut]);
    }

    std::span<const double> sizes_;
    std::size_t pivot_;
    std::vector<double> squares_;   // sums over the first ones
    std::vector<double> ratios_;    // sums over those from one up to the pivot, or from behind it up to one,
    std::vector<double> excesses_;  // of p/c and of p/c − 1
    double nu_ = 0;
    double level_ = 0;
    double inverse_ = 1;  // 1/α
    std::size_t whole_ = 0;
    std::size_t cut_ = 0;
};

}  // namespace

// ν for which the norm is the radius: 1/norm increases with it, nearly straight, so that Newton's steps take it there; between bounds
// that they may not leave. ν · radius is the dual norm of what is taken off, which is at most that of all, and at least that less the radius.
void project_k_support(std::span<const double> sizes, std::size_t k, double radius, std::vector<double>& to) {
    to.assign(sizes.begin(), sizes.end());
    const auto chosen = sizes.first(std::min(k, sizes.size()));
    const double dual = std::sqrt(std::inner_product(chosen.begin(), chosen.end(), chosen.begin(), 0.0));
    if (sizes.size() <= k) {
        if (dual > radius) scale_to_norm(to, dual, radius);
        return;
    }
    KSupportMap map(sizes, k);
    map.set(0);
    if (std::sqrt(map.norm_squared()) <= radius) return;
    const double solved = std::max(radius, 0x1p-200);  // smaller ones are that one's, scaled
    double least = std::max(0.0, dual / solved - 1);
    double most = dual / solved;
    double nu = least;
    constexpr int most_steps = 100;
    constexpr double rounding = 4e-16;
    for (int step = 0; step < most_steps; ++step) {
        map.set(nu);
        const double norm = std::sqrt(map.norm_squared());
        (norm > solved ? least : most) = nu;
        double next = nu + (norm / solved - 1) * map.norm_squared() / map.slope();
        if (!(next > least && next < most)) next = least + (most - least) / 2;
        if (std::abs(next - nu) <= rounding * (1 + nu)) break;
        nu = next;
    }
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = map(i);
    scale_to_norm(to, std::sqrt(map.norm_squared()), radius);
}

}  // namespace alfcg::region

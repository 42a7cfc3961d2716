#include <functional>
#include <limits>

#include "region/group_norms.hpp"

namespace alfcg::region {

template <class Real>
SparseGroupNorm::Rest SparseGroupNorm::rest(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes,
                                            Index group, double multiplier) const {
    Rest rest;
    const double threshold = ratio_ * multiplier;
    map.visit(group, [&](Index k) {
        // Without a branch, which could not be foreseen; NaN stays NaN.
        const double left = std::max(sizes(static_cast<double>(x.data()[k])) - threshold, 0.0);
        rest.sum += left;
        rest.length += left * left;
        rest.count += left > 0 ? 1 : 0;
    });
    rest.length = std::sqrt(rest.length);
    return rest;
}

/// The root ν of ‖(a − ratio ν)₊‖₂ = (1 − ratio) w ν over a group, from a point to its left: the difference is convex and
/// decreasing, and Newton's method climbs to the root.
template <class Real>
double SparseGroupNorm::group_dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes,
                                   Index group, double from) const {
    const double share = (1 - ratio_) * map.weight(group);
    double root = from;
    for (int iteration = 0; iteration < 100; ++iteration) {
        const Rest left = rest(map, x, sizes, group, root);
        if (!(left.length > 0)) return iteration == 0 ? left.length : root;  // NaN stays NaN
        const double slope = ratio_ * left.sum / left.length + share;
        const double next = root + (left.length - share * root) / slope;
        if (!(next > root * (1 + 1e-15))) return std::isnan(next) ? next : root;
        root = next;
    }
    return root;
}

// The dual norm of α‖·‖₁ + βw‖·‖₂ on one group is the root above (the ε-norm), and <a, v> attains it at v proportional to
// (a − αν)₊; of the sum over groups it is the largest of them. A group that is no better than the best so far is told by one look.
template <class Real>
double SparseGroupNorm::dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    constexpr Index turn = 256;  // groups that are held against the same best one
    const auto peak = map.peak_of_parts(threads, [&](Index first, Index last) {
        GroupMap::Peak best;
        for (Index begin = first; begin < last; begin += turn) {
            const double known = best.value;
            const double threshold = ratio_ * known;
            const auto left = [&](auto entry) {
                const double rest = std::max(sizes(static_cast<double>(entry)) - threshold, 0.0);
                return rest * rest;
            };
            map.scan(x, begin, std::min(begin + turn, last), left, std::plus<>(),
                     [&](Index group, double total) {
                         if (std::sqrt(total) <= (1 - ratio_) * map.weight(group) * known) return;
                         best = GroupMap::higher(best, {group_dual(map, x, sizes, group, known), group});
                     });
            if (std::isnan(best.value)) break;
        }
        return best;
    });
    best_ = peak.group;
    dual_ = peak.value;
    const Rest left = rest(map, x, sizes, best_, dual_);
    const double norm = ratio_ * left.sum + (1 - ratio_) * map.weight(best_) * left.length;
    factor_ = norm > 0 ? 1 / norm : 0;
    return dual_;
}

// u_g = (1 − (1 − ratio) w_g τ / ‖s_g‖)₊ s_g with s = (a − ratio τ)₊ (Simon et al. 2013), and Ω(u) falls from Ω(a) to 0 as τ goes
// from 0 to the dual norm: its root in between, by Newton's method where that stays inside and by halving where it does not.
template <class Real>
bool SparseGroupNorm::shrink(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, double own,
                             double radius, int /*threads*/) {
    factors_.resize(static_cast<std::size_t>(map.count()));
    double slope = 0;
    const auto norm_at = [&](double multiplier) {
        double norm = 0;
        slope = 0;
        for (Index group = 0; group < map.count(); ++group) {
            const Rest left = rest(map, x, sizes, group, multiplier);
            const double share = (1 - ratio_) * map.weight(group);
            const double kept = left.length > 0 ? std::max(1 - share * multiplier / left.length, 0.0) : 0;
            factors_[static_cast<std::size_t>(group)] = kept;
            if (kept == 0) continue;
            norm += kept * (ratio_ * left.sum + share * left.length);
            const double shorter = -ratio_ * left.sum / left.length;  // derivative of ‖s_g‖
            const double kept_less = -share / left.length * (1 - multiplier * shorter / left.length);
            slope += kept * (ratio_ * -ratio_ * left.count + share * shorter) +
                     kept_less * (ratio_ * left.sum + share * left.length);
        }
        return norm;
    };
    double low = own;
    double high = dual_;
    double multiplier = own;
    double norm = norm_at(multiplier);
    threshold_ = ratio_ * multiplier;
    if (norm <= radius) return false;
    for (int iteration = 0; iteration < 200; ++iteration) {
        (norm > radius ? low : high) = multiplier;
        if (std::abs(norm - radius) <= 1e-15 * radius || high - low <= 1e-16 * high) break;
        const double next = multiplier - (norm - radius) / slope;
        const double target = next > low && next < high ? next : (low + high) / 2;
        if (target == multiplier) break;
        multiplier = target;
        norm = norm_at(multiplier);
    }
    threshold_ = ratio_ * multiplier;
    if (norm > radius / 2 && norm < 2 * radius) {
        for (double& factor : factors_) factor *= radius / norm;
        return true;
    }
    // Rounding hides so small a radius: what is left is the vertex.
    threshold_ = ratio_ * dual_;
    std::fill(factors_.begin(), factors_.end(), 0.0);
    factors_[static_cast<std::size_t>(best_)] = radius * factor_;
    return true;
}

template <class Real>
double SparseGroupNorm::norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    const auto square = [&](auto entry) {
        const double a = sizes(static_cast<double>(entry));
        return a * a;
    };
    map.totals(x, threads, square, std::plus<>(), factors_);
    double lengths = 0;
    for (Index group = 0; group < map.count(); ++group)
        lengths += map.weight(group) * std::sqrt(factors_[static_cast<std::size_t>(group)]);
    map.totals(
        x, threads, [&](auto entry) { return sizes(static_cast<double>(entry)); }, std::plus<>(), factors_);
    double sum = 0;
    for (const double total : factors_) sum += total;
    return ratio_ * sum + (1 - ratio_) * lengths;
}

/// ‖x‖₁ ≥ ‖x‖₂, equal where there is one entry.
double SparseGroupNorm::length(const GroupMap& map) const {
    double least = std::numeric_limits<double>::infinity();
    for (Index group = 0; group < map.count(); ++group)
        least = std::min(least, ratio_ + (1 - ratio_) * map.weight(group));
    return 1 / least;
}

template double SparseGroupNorm::dual(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double SparseGroupNorm::dual(const GroupMap&, const Matrix<double>&, const Sizes&, int);
template bool SparseGroupNorm::shrink(const GroupMap&, const Matrix<float>&, const Sizes&, double, double,
                                      int);
template bool SparseGroupNorm::shrink(const GroupMap&, const Matrix<double>&, const Sizes&, double, double,
                                      int);
template double SparseGroupNorm::norm(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double SparseGroupNorm::norm(const GroupMap&, const Matrix<double>&, const Sizes&, int);

}  // namespace alfcg::region

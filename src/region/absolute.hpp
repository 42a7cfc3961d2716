#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/point/vertex.hpp"
#include "kernels/entries.hpp"
#include "kernels/magnitudes.hpp"
#include "region/budget.hpp"
#include "region/settings.hpp"

/// What the balls of norms share that do not mind signs (‖x‖ = ‖|x|‖): where a term λ ‖x‖₁ is part of h, their oracles see the
/// magnitudes t_i = max(|g_i| − λ, 0), and entries of the answer have the signs of −g.
namespace alfcg::region {

/// The magnitudes above a threshold, in units of a power of two near the largest, so that squares and sums of them stay in range.
template <class Real>
class Shrunken {
  public:
    /// Throws when an entry is not finite.
    Shrunken(const Matrix<Real>& gradient, double threshold, int threads)
        : entries_(gradient.data()), size_(gradient.size()), threshold_(threshold), threads_(threads) {
        const double largest = kernels::largest_magnitude(entries_, size_, threads);
        if (std::isnan(largest)) reject_gradient<Real>();
        unit_ = largest - threshold_;
        if (!zero()) scale_ = kernels::safe_scale(unit_);
    }

    /// Whether the origin is the answer.
    [[nodiscard]] bool zero() const { return unit_ <= 0; }
    [[nodiscard]] Index size() const { return size_; }
    [[nodiscard]] double operator()(Index i) const {
        return std::max(std::abs(static_cast<double>(entries_[i])) - threshold_, 0.0) * scale_;
    }
    /// The largest, and without the scale.
    [[nodiscard]] double peak() const { return unit_ * scale_; }
    [[nodiscard]] double unit() const { return unit_; }
    [[nodiscard]] double sum() const {
        if (threshold_ == 0) return kernels::sums(entries_, size_, scale_, threads_).magnitudes;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (Index i = 0; i < size_; ++i) sum += (*this)(i);
        return sum;
    }
    /// The first of the largest.
    [[nodiscard]] Index first_peak() const {
        return kernels::first_peak(entries_, size_, threads_).index;
    }
    /// Without threshold and scale.
    [[nodiscard]] Real magnitude(Index i) const {
        return std::abs(entries_[i]);
    }
    /// `value` with the sign of −g_i.
    [[nodiscard]] Real against(Index i, double value) const {
        return static_cast<Real>(entries_[i] > 0 ? -value : value);
    }
    /// to_i = ±value against the sign of g_i where t_i is at least `least` and more than 0, else 0; how many are not 0.
    Index write_signs(double least, double value, Matrix<Real>& to) const {
        const auto entry = static_cast<Real>(value);
        return kernels::choose(entries_, size_, least > 0 ? at_least(least) : threshold_, -entry, entry,
                               Real(0), to.data());
    }
    /// Positions of all that are at least so large, and perhaps of some that are a little smaller.
    void find(double least, std::vector<Index>& positions) const {
        const double bound = least > 0 ? at_least(least) : threshold_;
        kernels::find_outside(entries_, size_, -bound, bound, positions);
    }

    /// Positions of all between two sizes, and perhaps of some a little outside.
    void find(double least, double most, std::vector<Index>& positions) const {
        kernels::find_between(entries_, size_, at_least(least), at_least(most) * (1 + 4e-15), positions);
    }
    /// Adds those that are at least `least` to buckets[(t − least) · per_unit], or to the last one.
    void fill(double least, double per_unit, std::vector<kernels::Bucket>& buckets) const {
        kernels::fill_buckets(entries_, size_, threshold_, scale_, least, per_unit, buckets);
    }

  private:
    /// A little less than the magnitude that this belongs to.
    [[nodiscard]] double at_least(double size) const {
        return (size / scale_ + threshold_) * (1 - 1e-15);
    }

    const Real* entries_;
    Index size_;
    double threshold_;
    int threads_;
    double unit_ = 0;
    double scale_ = 1;
};

/// The entries with the `count` largest magnitudes that are not zero, the first of equals, as positions of a sparse vertex.
template <class Real>
void choose_largest(const Shrunken<Real>& t, Index count, CutScratch& scratch, Vertex<Real>& vertex) {
    const auto offer = [&](Index i) {
        const double worth = t(i);
        return worth > 0 ? Offer{worth, 1} : Offer{};
    };
    const auto find = [&](double least, std::vector<Index>& positions) { t.find(least, positions); };
    Cut cut = find_cut(t.size(), offer, find, static_cast<double>(count), scratch);
    vertex.kind = Vertex<Real>::Kind::sparse;
    vertex.positions.clear();
    for (const Index i : scratch.positions)
        if (cut.share(offer(i)) > 0) vertex.positions.push_back(i);
}

/// |x_i| of the `count` largest entries, in decreasing order, all of them where there are no more. Infinite ones where an
/// entry is not finite.
template <class Real>
std::vector<double> largest_magnitudes(const Matrix<Real>& x, Index count) {
    std::vector<double> sizes;
    sizes.reserve(x.span().size());
    for (const Real entry : x.span()) {
        const double size = std::abs(static_cast<double>(entry));
        sizes.push_back(std::isnan(size) ? std::numeric_limits<double>::infinity() : size);
    }
    const auto last = sizes.begin() + std::min(count, std::ssize(sizes));
    if (last != sizes.end()) std::nth_element(sizes.begin(), last, sizes.end(), std::greater<>());
    std::sort(sizes.begin(), last, std::greater<>());
    sizes.erase(last, sizes.end());
    return sizes;
}

}  // namespace alfcg::region

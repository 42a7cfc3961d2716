#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/point/vertex.hpp"
#include "kernels/magnitudes.hpp"
#include "region/budget.hpp"
#include "region/settings.hpp"

/// What the balls of norms share that do not mind signs (‖x‖ = ‖|x|‖): where a term λ ‖x‖₁ is part of h, their oracles see the
/// magnitudes t_i = max(|g_i| − λ, 0), and entries of the answer have the signs of −g.
namespace alfcg::region {

/// The magnitudes above a threshold, in units of the largest, so that squares and sums of them stay in range.
template <class Real>
class Shrunken {
  public:
    /// Throws when an entry is not finite.
    Shrunken(const Matrix<Real>& gradient, double threshold, int threads)
        : entries_(gradient.data()), size_(gradient.size()), threshold_(threshold) {
        peak_ = kernels::largest_magnitude(entries_, size_, threads);
        if (std::isnan(peak_)) reject_gradient<Real>();
    }

    /// Whether the origin is the answer.
    [[nodiscard]] bool zero() const { return peak_ <= threshold_; }
    [[nodiscard]] Index size() const { return size_; }
    /// From 0 to 1.
    [[nodiscard]] double operator()(Index i) const {
        return std::max(std::abs(static_cast<double>(entries_[i])) - threshold_, 0.0) / (peak_ - threshold_);
    }
    [[nodiscard]] double sum() const {
        double sum = 0;
        for (Index i = 0; i < size_; ++i) sum += (*this)(i);
        return sum;
    }
    /// `value` with the sign of −g_i.
    [[nodiscard]] Real against(Index i, double value) const {
        return static_cast<Real>(entries_[i] > 0 ? -value : value);
    }

  private:
    const Real* entries_;
    Index size_;
    double threshold_;
    double peak_ = 0;
};

/// The entries with the `count` largest magnitudes that are not zero, the first of equals, as positions of a sparse vertex.
template <class Real>
void choose_largest(const Shrunken<Real>& t, Index count, CutScratch& scratch, Vertex<Real>& vertex) {
    const auto offer = [&](Index i) {
        const double worth = t(i);
        return worth > 0 ? Offer{worth, 1} : Offer{};
    };
    Cut cut = find_cut(t.size(), offer, static_cast<double>(count), scratch);
    vertex.kind = Vertex<Real>::Kind::sparse;
    vertex.positions.clear();
    for (Index i = 0; i < t.size(); ++i)
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

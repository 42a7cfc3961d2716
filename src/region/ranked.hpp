#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "region/absolute.hpp"
#include "region/order.hpp"

/// Nearest points in balls whose norms look at sorted magnitudes.
namespace alfcg::region {

/// Magnitudes in decreasing order, those that are not zero, and whose they are. In units of the largest.
template <class Real>
class Ranked {
  public:
    void rank(const Shrunken<Real>& t) {
        magnitudes_.resize(static_cast<std::size_t>(t.size()));
        for (Index i = 0; i < t.size(); ++i) magnitudes_[static_cast<std::size_t>(i)] = t.magnitude(i);
        order_.sort(std::span<const Real>(magnitudes_));
        sizes_.clear();
        for (std::size_t k = 0; k < order_.size(); ++k) {
            const double size = t(at(k));
            if (size == 0) break;
            sizes_.push_back(size / t.peak());
        }
    }
    /// From 1 downwards.
    [[nodiscard]] std::span<const double> sizes() const { return sizes_; }
    /// Position of the k-th largest.
    [[nodiscard]] Index at(std::size_t k) const { return order_[order_.size() - 1 - k]; }

  private:
    Order order_;
    std::vector<Real> magnitudes_;
    std::vector<double> sizes_;
};

/// to = the point nearest to `sizes` with Σ w_k to_k ≤ radius, where `weights` ≥ 0 do not increase: the ball of a sorted l_1 norm.
/// Sizes are from 1 downwards and positive.
void project_sorted(std::span<const double> sizes, const std::function<double(std::size_t)>& weight,
                    double radius, std::vector<double>& to);

/// The same for the k-support norm.
void project_k_support(std::span<const double> sizes, std::size_t k, double radius, std::vector<double>& to);

}  // namespace alfcg::region

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg::region {

/// Positions by increasing value, the lowest position first among equals. Numbers must be finite, and fewer than 2^32.
class Order {
  public:
    template <class Real>
    void sort(std::span<const Real> numbers);

    /// Position of the k-th smallest.
    [[nodiscard]] Index operator[](std::size_t k) const { return static_cast<Index>(keys_[k] & 0xFFFFFFFFU); }
    [[nodiscard]] std::size_t size() const { return keys_.size(); }

  private:
    void sort_by_upper_half();

    std::vector<std::uint64_t> keys_;  // of the number in the upper half, its position in the lower one
    std::vector<std::uint64_t> other_;
};

}  // namespace alfcg::region

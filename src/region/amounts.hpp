#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "region/network_simplex.hpp"

namespace alfcg::region {

/// Amounts as whole multiples of a power of two, 2^-58 of the largest sum in play: whole numbers stay what they are.
class AmountUnit {
  public:
    explicit AmountUnit(double largest_sum) : exponent_(largest_sum > 0 ? std::ilogb(largest_sum) - 58 : 0) {}

    [[nodiscard]] NetworkSimplex::Amount whole(double amount) const {
        if (std::isinf(amount)) return NetworkSimplex::endless;
        return std::llround(std::ldexp(amount, -exponent_));
    }
    [[nodiscard]] double amount(NetworkSimplex::Amount whole) const {
        return std::ldexp(static_cast<double>(whole), exponent_);
    }

    /// Supplies that add up to 0 but for rounding: what is left of it goes to the largest one.
    [[nodiscard]] std::vector<NetworkSimplex::Amount> balanced(std::span<const double> supplies) const {
        std::vector<NetworkSimplex::Amount> all;
        NetworkSimplex::Amount sum = 0;
        std::size_t largest = 0;
        for (const double supply : supplies) {
            all.push_back(whole(supply));
            sum += all.back();
            if (std::abs(all.back()) > std::abs(all[largest])) largest = all.size() - 1;
        }
        all[largest] -= sum;
        return all;
    }

  private:
    int exponent_;
};

/// Relative difference of sums of supplies and demands that rounding of decimals explains.
inline constexpr double balance_rounding = 1e-9;

}  // namespace alfcg::region

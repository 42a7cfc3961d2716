#include "region/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace alfcg::region {

namespace {

// Bits in the order of the numbers: those of negative ones count backwards. -0 is 0.
template <class Real>
auto ordered_bits(Real number) {
    using Bits = std::conditional_t<std::is_same_v<Real, float>, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
    const auto bits = std::bit_cast<Bits>(number + Real(0));
    return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}

}  // namespace

template <class Real>
void Order::sort(std::span<const Real> numbers) {
    constexpr unsigned unused = 8 * (sizeof(Real) - sizeof(float));
    keys_.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        keys_[i] = (std::uint64_t{ordered_bits(numbers[i])} >> unused << 32U) | i;
    sort_by_upper_half();
    if constexpr (unused > 0) {
        // Those that only the lower bits tell apart.
        for (std::size_t first = 0; first < keys_.size();) {
            std::size_t last = first + 1;
            while (last < keys_.size() && keys_[last] >> 32U == keys_[first] >> 32U) ++last;
            if (last - first > 1)
                std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(first),
                          keys_.begin() + static_cast<std::ptrdiff_t>(last),
                          [&](std::uint64_t a, std::uint64_t b) {
                              const Real one = numbers[a & 0xFFFFFFFFU];
                              const Real other = numbers[b & 0xFFFFFFFFU];
                              return one < other || (one == other && a < b);
                          });
            first = last;
        }
    }
}

// Eleven bits at a time, from the lowest: positions that came in order stay so among equals.
void Order::sort_by_upper_half() {
    constexpr unsigned digit_bits = 11;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    constexpr std::size_t few = 256;
    if (keys_.size() < few) {
        std::sort(keys_.begin(), keys_.end());
        return;
    }
    constexpr std::array<unsigned, 3> shifts{32, 32 + digit_bits, 32 + 2 * digit_bits};
    std::array<std::array<std::uint32_t, digits>, 3> counts{};
    const auto digit = [](std::uint64_t key, unsigned shift) { return (key >> shift) % digits; };
    for (const std::uint64_t key : keys_)
        for (std::size_t pass = 0; pass < shifts.size(); ++pass) ++counts[pass][digit(key, shifts[pass])];
    other_.resize(keys_.size());
    for (std::size_t pass = 0; pass < shifts.size(); ++pass) {
        auto& places = counts[pass];
        if (places[digit(keys_.front(), shifts[pass])] == keys_.size()) continue;  // all alike
        std::uint32_t next = 0;
        for (std::uint32_t& place : places) {
            const std::uint32_t count = place;
            place = next;
            next += count;
        }
        for (const std::uint64_t key : keys_) other_[places[digit(key, shifts[pass])]++] = key;
        keys_.swap(other_);
    }
}

template void Order::sort(std::span<const float>);
template void Order::sort(std::span<const double>);

}  // namespace alfcg::region

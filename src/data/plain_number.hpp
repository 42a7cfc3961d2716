#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace alfcg {

inline bool is_digit(char c) {
    return static_cast<unsigned char>(c - '0') < 10;
}

/// Reads a number in its usual form, an optional sign and up to 18 digits with or without a point, from a
/// text that is known to end behind it with something that is not part of a number. Returns the end of the
/// number; null when the number is of another form, or when this short way would not certainly round it
/// correctly. The caller then asks parse_number, whose answers are the same bits.
template <class Real>
const char* read_plain_number(const char* p, Real& value) {
    constexpr std::ptrdiff_t most_digits = 18;  // so that all of them together fit in 63 bits
    constexpr double powers[most_digits + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                                1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    std::uint64_t digits = 0;  // may wrap around; too many of them are refused below
    const char* const first = p;
    for (; is_digit(*p); ++p) digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
    std::ptrdiff_t count = p - first;
    std::ptrdiff_t decimals = 0;
    if (*p == '.') {
        const char* const point = p;
        for (++p; is_digit(*p); ++p) digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
        decimals = p - point - 1;
        count += decimals;
    }
    if (count == 0 || count > most_digits) return nullptr;
    // Powers of ten up to 10^22 are exact, so only the conversion of the digits and the division round.
    constexpr std::uint64_t exact = std::uint64_t{1} << 53U;
    const double magnitude =
        static_cast<double>(static_cast<std::int64_t>(digits)) / powers[static_cast<std::size_t>(decimals)];
    if constexpr (std::is_same_v<Real, float>) {
        // The double is at most two units in its last place off. Rounding it once more gives the float
        // nearest to the number, unless it lies that close to the middle between two floats. The 29 bits a
        // float drops tell; float's subnormal range is out of reach of 18 digits.
        constexpr std::uint64_t dropped = (std::uint64_t{1} << 29U) - 1;
        constexpr std::uint64_t middle = std::uint64_t{1} << 28U;
        constexpr std::uint64_t margin = 8;
        if ((std::bit_cast<std::uint64_t>(magnitude) & dropped) - (middle - margin) <= 2 * margin)
            return nullptr;
    } else {
        if (digits > exact) return nullptr;
    }
    value = static_cast<Real>(negative ? -magnitude : magnitude);
    return p;
}

}  // namespace alfcg

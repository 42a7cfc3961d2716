#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace alfcg {

/// A stream of random numbers (xoshiro256++), seeded from a seed and the number of the stream, so that each
/// row of a generated data set has its own and the data do not depend on how the rows are shared among
/// threads.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::uint64_t stream) {
        std::uint64_t key = mix(seed + golden) + stream * golden;
        for (std::uint64_t& word : state_) word = mix(key += golden);
    }

    std::uint64_t bits() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Uniform in 0 .. count-1, without bias: the few values that would favour small answers are drawn again.
    std::uint64_t below(std::uint64_t count) {
        const std::uint64_t excess = (0 - count) % count;  // 2^64 mod count
        std::uint64_t value = bits();
        while (value < excess) value = bits();
        return value % count;
    }

    /// Two independent N(0,1) numbers, by Marsaglia's polar method.
    std::pair<double, double> normal_pair() {
        while (true) {
            const double u = symmetric();
            const double v = symmetric();
            const double s = u * u + v * v;
            if (s >= 1 || s == 0) continue;
            const double factor = std::sqrt(-2 * std::log(s) / s);
            return {u * factor, v * factor};
        }
    }

  private:
    static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

    // The finaliser of SplitMix64.
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
        return z ^ z >> 31U;
    }
    // Uniform in [-1, 1), 54 bits.
    double symmetric() { return static_cast<double>(static_cast<std::int64_t>(bits()) >> 10) * 0x1p-53; }

    std::uint64_t state_[4];
};

}  // namespace alfcg

// What fuzz targets share. A target is one function of some bytes, LLVMFuzzerTestOneInput, which ends the program where a fact does
// not hold: libFuzzer's driver calls it, or the one of random_driver.cpp.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg::fuzz {

/// Takes an input apart. Where it ends, zeros follow.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
        std::uint64_t hash = 1469598103934665603U;
        for (std::size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 1099511628211U;
        random_.seed(hash);
    }

    std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
    /// From 0 to count - 1.
    Index below(Index count) {
        const Index high = byte();
        return (256 * high + byte()) % count;
    }
    Index between(Index least, Index most) { return least + below(most - least + 1); }
    bool flag() { return (byte() & 1U) != 0; }
    template <class Choices>
    const auto& one_of(const Choices& choices) {
        return choices[static_cast<std::size_t>(below(static_cast<Index>(std::size(choices))))];
    }
    std::string_view rest() {
        const auto* first = reinterpret_cast<const char*>(data_) + at_;
        const std::size_t left = size_ - at_;
        at_ = size_;
        return {first, left};
    }
    std::string_view take(std::size_t most) {
        const auto* first = reinterpret_cast<const char*>(data_) + at_;
        const std::size_t count = std::min(most, size_ - at_);
        at_ += count;
        return {first, count};
    }
    [[nodiscard]] bool ended() const { return at_ == size_; }
    /// Numbers in bulk, which depend on all of the input.
    std::mt19937_64& random() { return random_; }

  private:
    const std::uint8_t* data_;
    std::size_t size_;
    std::size_t at_ = 0;
    std::mt19937_64 random_;
};

template <class... Values>
void require(bool holds, fmt::format_string<Values...> format, Values&&... values) {
    if (holds) return;
    fmt::print(stderr, "fuzz: {}\n", fmt::format(format, std::forward<Values>(values)...));
    std::abort();
}

/// A message for the user: one line, nothing in it that a terminal would obey.
inline void check_message(std::string_view message) {
    require(!message.empty(), "an empty message");
    for (const char c : message) require(c != '\n' && c != '\r', "a message of several lines: {}", message);
}

/// Numbers of every kind: zero, denormal, equal to others, clustered, huge.
template <class Real>
class Numbers {
  public:
    explicit Numbers(Input& input)
        : kind_(input.below(8)),
          scale_(std::ldexp(1.0, static_cast<int>(input.between(-40, 40)))),
          random_(input.random()) {}

    Real next() {
        std::normal_distribution<double> normal;
        const double number = normal(random_);
        switch (kind_) {
            case 0:
                return static_cast<Real>(scale_ * number);
            case 1:
                return 0;
            case 2:
                return static_cast<Real>(random_() % 3 == 0 ? 0 : scale_ * number);
            case 3:
                return static_cast<Real>(std::copysign(scale_, number));
            case 4:  // equal but for the last places
                return static_cast<Real>(scale_) *
                       (1 + std::numeric_limits<Real>::epsilon() * static_cast<Real>(random_() % 4));
            case 5:
                return std::numeric_limits<Real>::denorm_min() * static_cast<Real>(random_() % 5) *
                       (number < 0 ? Real(-1) : Real(1));
            case 6:
                return static_cast<Real>(scale_ * std::round(number));
            default:
                return static_cast<Real>(number * std::pow(10.0, static_cast<double>(random_() % 25) - 12));
        }
    }

  private:
    Index kind_;
    double scale_;
    std::mt19937_64& random_;
};

/// Bytes under a name, without a disk.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("alfcg-fuzz", MFD_CLOEXEC)) {
        require(descriptor_ >= 0, "no file in memory");
        while (!bytes.empty()) {
            const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
            require(written > 0, "a file in memory is full");
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  private:
    int descriptor_;
};

}  // namespace alfcg::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

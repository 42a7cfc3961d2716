#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/shared_array.hpp"

namespace alfcg {

/// Where whole numbers below 2^31 lie, of 32 bits or of 64. Of the latter only the lower half is read: either costs one load.
class NumberPointer {
  public:
    /// One whose width is known to the compiler.
    template <int shift>
    struct OfWidth {
        const unsigned char* bytes;
        std::int32_t operator[](Index k) const { return read(bytes + (k << shift)); }
    };

    NumberPointer() = default;
    NumberPointer(const std::int32_t* numbers)
        : bytes_(reinterpret_cast<const unsigned char*>(numbers)), shift_(2) {}
    NumberPointer(const std::int64_t* numbers)
        : bytes_(reinterpret_cast<const unsigned char*>(numbers) + lower_half), shift_(3) {}

    std::int32_t operator[](Index k) const { return read(bytes_ + (k << shift_)); }
    /// visit(the same, of the width that it has): for loops that do little else.
    template <class Visit>
    decltype(auto) with_width(const Visit& visit) const {
        return shift_ == 2 ? visit(OfWidth<2>{bytes_}) : visit(OfWidth<3>{bytes_});
    }
    /// The first byte of one.
    [[nodiscard]] const void* place(Index k) const { return bytes_ + (k << shift_); }

  private:
    static constexpr std::ptrdiff_t lower_half = std::endian::native == std::endian::little ? 0 : 4;

    static std::int32_t read(const unsigned char* from) {
        std::int32_t number;
        std::memcpy(&number, from, sizeof(number));
        return number;
    }

    const unsigned char* bytes_ = nullptr;
    int shift_ = 2;
};

/// The columns of compressed rows' entries: a view of numbers of 32 bits, or of 64 that all are below 2^31.
class ColumnNumbers {
  public:
    ColumnNumbers() = default;
    ColumnNumbers(Buffer<std::int32_t> numbers)
        : ColumnNumbers(SharedArray<std::int32_t>(std::move(numbers))) {}
    ColumnNumbers(SharedArray<std::int32_t> numbers) : narrow_(std::move(numbers)), data_(narrow_.data()) {}
    ColumnNumbers(SharedArray<std::int64_t> numbers) : wide_(std::move(numbers)), data_(wide_.data()) {}

    [[nodiscard]] std::size_t size() const { return narrow_.size() + wide_.size(); }
    [[nodiscard]] std::size_t bytes() const {
        return narrow_.size() * sizeof(std::int32_t) + wide_.size() * sizeof(std::int64_t);
    }
    [[nodiscard]] NumberPointer data() const { return data_; }
    std::int32_t operator[](std::size_t k) const { return data_[static_cast<Index>(k)]; }

    /// `size` of them, from the `first` on.
    [[nodiscard]] ColumnNumbers part(std::size_t first, std::size_t size) const {
        if (wide_.empty()) return narrow_.part(first, size);
        return wide_.part(first, size);
    }
    /// As numbers of 32 bits: these, or copies of others.
    [[nodiscard]] SharedArray<std::int32_t> narrow() const;

  private:
    SharedArray<std::int32_t> narrow_;
    SharedArray<std::int64_t> wide_;
    NumberPointer data_;
};

}  // namespace alfcg

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace alfcg::zip {

// The parts of the ZIP format (PKWARE's APPNOTE 6.3) that .npz archives are made of. All numbers are
// little-endian.
constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;

// Sizes of the fixed parts.
constexpr std::size_t local_bytes = 30;
constexpr std::size_t central_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t end64_bytes = 56;
constexpr std::size_t locator64_bytes = 20;

constexpr std::uint16_t stored = 0;
constexpr std::uint16_t deflated = 8;
constexpr std::uint16_t encrypted_flag = 1;
constexpr std::uint16_t extra64_id = 1;

// A field that holds its largest value says: see the 64-bit field.
constexpr std::uint16_t saturated16 = 0xFFFF;
constexpr std::uint32_t saturated32 = 0xFFFFFFFF;

static_assert(std::endian::native == std::endian::little,
              "model files are read and written on little-endian machines");

template <class Number>
Number load(const unsigned char* bytes) {
    Number number{};
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

}  // namespace alfcg::zip

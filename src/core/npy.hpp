#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace alfcg {

/// What stands at the beginning of a NumPy .npy array (format versions 1 to 3).
struct NpyHeader {
    std::string dtype;  // byte order, kind and size: "<f4", ">i8", "|u1", "<U3" (three code points)
    bool fortran_order = false;
    std::vector<std::int64_t> shape;  // empty for a scalar
    std::size_t header_bytes = 0;     // the entries start here

    /// Number of entries; the parser has checked that it fits.
    [[nodiscard]] std::int64_t entries() const;
    /// Bytes of one entry of a plain number or text type; 0 for a type that has no such size.
    [[nodiscard]] std::int64_t item_bytes() const;
};

/// Reads the header from the first bytes of a file. Throws InputError(file, 0, ...) when they are not one,
/// when it is cut short, or when the array is not of a plain type (structured, objects).
NpyHeader parse_npy_header(std::span<const unsigned char> first_bytes, const std::string& file);

/// The bytes that come before the entries, `least` or more: version 1 where it fits, else 2; header_bytes is not used.
std::string encode_npy_header(const NpyHeader& header, std::size_t least = 0);

}  // namespace alfcg

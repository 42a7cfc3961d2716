#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "data/raw_input.hpp"

namespace alfcg {

/// Undoes one kind of compression. Archives may consist of several members one behind the other.
class Decoder {
  public:
    Decoder() = default;
    virtual ~Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    /// Writes up to n > 0 decompressed bytes; 0 only at the end of the archive. Throws InputError when the
    /// archive is truncated or corrupt.
    virtual std::size_t decode(RawInput& input, char* to, std::size_t n) = 0;
};

/// Bytes that make_decoder must see to tell the kinds apart (fewer when the file is shorter).
constexpr std::size_t archive_magic_bytes = 10;

/// The decoder for a file that begins with these bytes; null when it is not compressed.
std::unique_ptr<Decoder> make_decoder(std::string_view first_bytes);

}  // namespace alfcg

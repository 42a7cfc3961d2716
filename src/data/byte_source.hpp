#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/decoder.hpp"
#include "data/raw_input.hpp"

namespace alfcg {

/// What so many bytes of an archive may unpack to where nobody says: text that is ever the same may be packed a thousandfold.
constexpr std::uint64_t modest_unpacked(std::uint64_t packed) {
    return std::max(std::uint64_t{1} << 30U, 200 * packed);
}

/// The contents of a file, whether it is plain, gzip, bzip2 or xz (told by its first bytes, never by its
/// name). Reads forward only, so that pipes work too.
class ByteSource {
  public:
    /// An archive may unpack to so many bytes (0: to a gigabyte, or to 200 times what has been read of it); more throw InputError.
    explicit ByteSource(const std::string& path, std::uint64_t most_unpacked = 0);

    [[nodiscard]] const std::string& path() const { return input_.path(); }
    [[nodiscard]] bool compressed() const { return decoder_ != nullptr; }
    /// Whether reading may have to wait for another program.
    [[nodiscard]] bool piped() const { return input_.file_size() < 0; }
    /// Descriptor and size of an uncompressed regular file; size -1 for anything else.
    [[nodiscard]] int descriptor() const { return input_.descriptor(); }
    [[nodiscard]] long long plain_size() const { return compressed() ? -1 : input_.file_size(); }

    /// The last n bytes of an uncompressed regular file; none of others, and of a shorter one.
    [[nodiscard]] std::string plain_end(std::size_t n) const;

    /// Reads n bytes; fewer only at the end.
    std::size_t read(void* to, std::size_t n);
    /// The next n bytes (at most peek_limit) without using them up; fewer only at the end.
    std::string_view peek(std::size_t n);
    /// Goes on at this byte of an uncompressed regular file, and ends where `end` says.
    void jump(long long begin, long long end);
    /// The file itself, as it lies on disk.
    [[nodiscard]] const RawInput& raw() const { return input_; }
    /// Whether everything has been read.
    bool ended() { return peek(1).empty(); }

    static constexpr std::size_t peek_limit = 64;

  private:
    std::size_t read_some(char* to, std::size_t n);

    RawInput input_;
    std::unique_ptr<Decoder> decoder_;
    std::string peeked_;
    std::uint64_t most_unpacked_;
    std::uint64_t unpacked_ = 0;
};

}  // namespace alfcg

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/output_file.hpp"

namespace alfcg::zip {

/// Writes a ZIP archive of stored (uncompressed) entries, with 64-bit fields where sizes or offsets need
/// them. The same contents give the same bytes: entries carry no time.
class Writer {
  public:
    /// always64 uses the 64-bit fields for small archives too.
    explicit Writer(OutputFile& file, bool always64 = false) : file_(file), always64_(always64) {}

    /// An entry made of the parts, one after the other.
    void add(const std::string& name, std::string_view header, std::span<const std::byte> contents);
    /// Writes the directory; nothing may be added afterwards.
    void finish();

  private:
    struct Entry {
        std::string name;
        std::uint32_t crc = 0;
        std::uint64_t size = 0;
        std::uint64_t offset = 0;
    };
    void emit(std::string_view bytes);

    OutputFile& file_;
    bool always64_;
    std::uint64_t position_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace alfcg::zip

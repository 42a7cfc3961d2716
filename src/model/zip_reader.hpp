#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "alfcg/core/buffer.hpp"

namespace alfcg::zip {

struct Entry {
    std::string name;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
    std::uint32_t crc = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  // of the local header
};

/// Reads a ZIP archive of stored and deflated entries. Nothing in the file is believed: every offset and size
/// is checked against the file before it is used, and contents against their CRC-32. Throws InputError.
class Reader {
  public:
    explicit Reader(std::string path);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// The entry of that name; nullptr when there is none.
    [[nodiscard]] const Entry* find(const std::string& name) const;
    /// The whole contents, checked.
    [[nodiscard]] Buffer<unsigned char> read(const Entry& entry) const;
    /// At most the first `bytes` of the contents; their CRC-32 is not looked at.
    [[nodiscard]] Buffer<unsigned char> read_beginning(const Entry& entry, std::size_t bytes) const;

  private:
    [[noreturn]] void fail(const std::string& what) const;
    void read_at(std::uint64_t offset, unsigned char* bytes, std::size_t count) const;
    void read_directory();
    [[nodiscard]] std::uint64_t contents_offset(const Entry& entry) const;
    [[nodiscard]] Buffer<unsigned char> extract(const Entry& entry, std::size_t wanted) const;
    void inflate(const Entry& entry, std::uint64_t offset, unsigned char* contents, std::size_t wanted) const;

    std::string path_;
    int descriptor_ = -1;
    std::uint64_t file_size_ = 0;
    std::uint64_t directory_offset_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace alfcg::zip

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "alfcg/core/buffer.hpp"
#include "alfcg/core/output_file.hpp"

struct zip;  // libzip's types, so that its header stays in one file
struct zip_source;

namespace alfcg {

struct DiscardZip {
    void operator()(zip* archive) const;
    void operator()(zip_source* source) const;
};

/// Reads a ZIP archive of stored and deflated entries. Nothing in the file is believed: its parts must agree with
/// each other, sizes are checked against the file before memory is asked for, and contents against their
/// CRC-32. Throws InputError.
class ArchiveReader {
  public:
    explicit ArchiveReader(std::string path);

    /// The position of the entry of that name; nothing when there is none.
    [[nodiscard]] std::optional<std::uint64_t> find(const std::string& name) const;
    /// The whole contents, checked.
    [[nodiscard]] Buffer<unsigned char> read(std::uint64_t entry) const;
    /// At most the first `bytes` of the contents; their CRC-32 is not looked at.
    [[nodiscard]] Buffer<unsigned char> read_beginning(std::uint64_t entry, std::size_t bytes) const;

  private:
    [[noreturn]] void fail(const std::string& what) const;
    [[nodiscard]] Buffer<unsigned char> extract(std::uint64_t entry, std::uint64_t most) const;

    std::string path_;
    std::uint64_t file_size_ = 0;
    std::unique_ptr<zip, DiscardZip> archive_;
};

/// Writes a ZIP archive of stored (uncompressed) entries, with 64-bit fields where sizes or offsets need them. The
/// same contents give the same bytes: entries carry no time. The archive is put together in memory, because
/// libzip goes back to each entry's header when its checksum is known, and not every output can.
class ArchiveWriter {
  public:
    explicit ArchiveWriter(OutputFile& file);

    /// An entry made of both parts, one after the other. The second is borrowed until finish() has returned.
    void add(const std::string& name, std::string beginning, std::span<const std::byte> rest = {});
    /// Writes the archive to the file; nothing may be added afterwards.
    void finish();

  private:
    [[noreturn]] void fail() const;

    OutputFile& file_;
    std::deque<std::string> beginnings_;  // libzip reads them in finish(), so they may not move
    std::unique_ptr<zip_source, DiscardZip> bytes_;
    std::unique_ptr<zip, DiscardZip> archive_;
};

}  // namespace alfcg

#include "model/zip_writer.hpp"

#include <zlib.h>

#include <concepts>

#include "model/zip_format.hpp"

namespace alfcg::zip {
namespace {

constexpr std::uint16_t version_plain = 20;
constexpr std::uint16_t version64 = 45;
constexpr std::uint16_t first_of_january_1980 = (1U << 5U) | 1U;  // the earliest date the format knows

/// Bytes of a record, field by field.
class Record {
  public:
    template <std::unsigned_integral Number>
    Record& put(Number number) {
        for (std::size_t i = 0; i < sizeof number; ++i) {
            bytes_ += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
        }
        return *this;
    }
    Record& put16(std::uint64_t number) { return put(static_cast<std::uint16_t>(number)); }
    Record& put32(std::uint64_t number) { return put(static_cast<std::uint32_t>(number)); }
    Record& put64(std::uint64_t number) { return put(number); }
    Record& put(std::string_view text) {
        bytes_ += text;
        return *this;
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

std::uint32_t checksum(std::string_view header, std::span<const std::byte> contents) {
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size());
    // zlib starts afresh when it is handed no address, which an empty span may have.
    if (!contents.empty())
        crc = crc32_z(crc, reinterpret_cast<const Bytef*>(contents.data()), contents.size());
    return static_cast<std::uint32_t>(crc);
}

}  // namespace

void Writer::emit(std::string_view bytes) {
    file_.write(bytes);
    position_ += bytes.size();
}

void Writer::add(const std::string& name, std::string_view header, std::span<const std::byte> contents) {
    const Entry entry{name, checksum(header, contents), header.size() + contents.size(), position_};
    const bool wide = always64_ || entry.size >= saturated32;
    const std::uint64_t short_size = wide ? saturated32 : entry.size;
    Record record;
    record.put32(local_signature).put16(wide ? version64 : version_plain).put16(0).put16(stored);
    record.put16(0).put16(first_of_january_1980).put32(entry.crc).put32(short_size).put32(short_size);
    record.put16(name.size()).put16(wide ? 20 : 0).put(name);
    if (wide) record.put16(extra64_id).put16(16).put64(entry.size).put64(entry.size);
    emit(record.bytes());
    emit(header);
    file_.write(contents.data(), contents.size());
    position_ += contents.size();
    entries_.push_back(entry);
}

void Writer::finish() {
    const std::uint64_t start = position_;
    for (const Entry& entry : entries_) {
        const bool wide_size = always64_ || entry.size >= saturated32;
        const bool wide_offset = always64_ || entry.offset >= saturated32;
        Record extra;
        if (wide_size || wide_offset)
            extra.put16(extra64_id).put16((wide_size ? 16U : 0U) + (wide_offset ? 8U : 0U));
        if (wide_size) extra.put64(entry.size).put64(entry.size);
        if (wide_offset) extra.put64(entry.offset);
        const std::uint64_t short_size = wide_size ? saturated32 : entry.size;
        const std::uint16_t version = extra.bytes().empty() ? version_plain : version64;
        Record record;
        record.put32(central_signature).put16(version).put16(version).put16(0).put16(stored);
        record.put16(0).put16(first_of_january_1980).put32(entry.crc).put32(short_size).put32(short_size);
        record.put16(entry.name.size()).put16(extra.bytes().size()).put16(0).put16(0).put16(0).put32(0);
        record.put32(wide_offset ? saturated32 : entry.offset).put(entry.name).put(extra.bytes());
        emit(record.bytes());
    }
    const std::uint64_t size = position_ - start;
    const std::uint64_t count = entries_.size();
    const bool wide = always64_ || start >= saturated32 || size >= saturated32 || count >= saturated16;
    Record record;
    if (wide) {
        record.put32(end64_signature)
            .put64(end64_bytes - 12)
            .put16(version64)
            .put16(version64)
            .put32(0)
            .put32(0);
        record.put64(count).put64(count).put64(size).put64(start);
        record.put32(locator64_signature).put32(0).put64(position_).put32(1);
    }
    const std::uint64_t short_count = wide ? saturated16 : count;
    record.put32(end_signature).put16(0).put16(0).put16(short_count).put16(short_count);
    record.put32(wide ? saturated32 : size).put32(wide ? saturated32 : start).put16(0);
    emit(record.bytes());
}

}  // namespace alfcg::zip

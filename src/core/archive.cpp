#include "alfcg/core/archive.hpp"

#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <fstream>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/version.hpp"

namespace alfcg {

namespace {

constexpr std::string_view archive_magic = "alfcg checkpoint";
constexpr std::uint32_t archive_byte_order = 0x01020304;
// To be raised with every change of what is visited, or in which order.
constexpr std::uint32_t archive_format = 3;
constexpr std::size_t archive_version_bytes = 16;

struct ArchiveHeader {
    std::uint32_t order = archive_byte_order;
    std::uint32_t format = archive_format;
    std::array<char, archive_version_bytes> version{};
    std::uint64_t bytes = 0;
    std::uint64_t digest = 0;
};

std::uint64_t digest_of(const std::string& bytes) {
    Digest digest;
    digest.add(bytes.data(), bytes.size());
    return digest.value();
}

}  // namespace

void Digest::add(const void* data, std::size_t count) {
    const char* at = static_cast<const char*>(data);
    bytes_ += count;
    const auto mix = [](std::uint64_t lane, std::uint64_t word) {
        return std::rotl((lane ^ word) * 0x9fb21c651e98df25, 29);
    };
    for (; count >= sizeof(lanes_); count -= sizeof(lanes_), at += sizeof(lanes_)) {
        std::array<std::uint64_t, 4> words;
        std::memcpy(words.data(), at, sizeof(words));
        for (std::size_t k = 0; k < words.size(); ++k) lanes_[k] = mix(lanes_[k], words[k]);
    }
    if (count == 0) return;
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), at, count);
    words[3] ^= std::uint64_t{count} << 56U;
    for (std::size_t k = 0; k < words.size(); ++k) lanes_[k] = mix(lanes_[k], words[k]);
}

std::uint64_t Digest::value() const {
    std::uint64_t sum = bytes_;
    for (const std::uint64_t lane : lanes_) {
        sum = (sum ^ lane) * 0xbf58476d1ce4e5b9;
        sum ^= sum >> 31U;
    }
    return sum;
}

std::string Digest::text() const {
    return fmt::format("{:016x}", value());
}

void Archive::reject(const std::string& why) const {
    throw InputError(path_, 0, "cannot go on from this checkpoint: " + why);
}

Archive Archive::load(const std::string& path) {
    const auto refuse = [&](const std::string& what) { throw InputError(path, 0, what); };
    if (std::filesystem::is_directory(path)) refuse("is a directory, not a checkpoint");
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse("cannot open the checkpoint");
    std::string start(archive_magic.size(), '\0');
    ArchiveHeader header;
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    if (!file || start != archive_magic) refuse("is not a checkpoint of alfcg");
    file.read(reinterpret_cast<char*>(&header), sizeof(header));
    if (!file) refuse("is a damaged checkpoint: it ends within its first bytes");
    if (header.order != archive_byte_order)
        refuse("is a checkpoint of a machine with another order of bytes");
    const std::string_view writer(header.version.data(),
                                  strnlen(header.version.data(), archive_version_bytes));
    if (header.format != archive_format || writer != version())
        refuse(fmt::format(
            "is a checkpoint of alfcg {} (format {}), which alfcg {} (format {}) cannot go on from", writer,
            header.format, version(), archive_format));
    std::error_code problem;
    const auto size = std::filesystem::file_size(path, problem);
    const std::uint64_t head = archive_magic.size() + sizeof(header);
    if (problem) refuse("cannot be read: " + problem.message());
    if (size != head + header.bytes)
        refuse(fmt::format("is a damaged checkpoint: it has {} bytes, not {}", size, head + header.bytes));
    std::string bytes(header.bytes, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(header.bytes));
    if (!file) refuse("is a damaged checkpoint: it cannot be read to its end");
    if (digest_of(bytes) != header.digest) refuse("is a damaged checkpoint: its checksum is wrong");
    return {std::move(bytes), path};
}

void Archive::save(const std::string& path) const {
    ArchiveHeader header;
    version().copy(header.version.data(), archive_version_bytes);
    header.bytes = bytes_.size();
    header.digest = digest_of(bytes_);
    OutputFile file(path);
    file.write(archive_magic);
    file.write(&header, sizeof(header));
    file.write(bytes_);
    file.commit();
}

void Archive::bytes(void* data, std::size_t count) {
    if (count == 0) return;
    if (!loading_) {
        bytes_.append(static_cast<const char*>(data), count);
        return;
    }
    if (left() < count) reject("it ends too early");
    std::memcpy(data, bytes_.data() + at_, count);
    at_ += count;
}

std::size_t Archive::length(std::size_t now, std::size_t item_bytes) {
    std::uint64_t count = now;
    bytes(&count, sizeof(count));
    if (loading_ && count > left() / item_bytes) reject("a list is longer than the file");
    return count;
}

std::size_t Archive::open_section(std::string_view name) {
    std::string found(name);
    visit(found);
    if (found != name) reject(fmt::format("its part '{}' stands where '{}' should", found, name));
    std::uint64_t size = 0;
    bytes(&size, sizeof(size));
    return loading_ ? at_ + size : bytes_.size();
}

void Archive::close_section(std::string_view name, std::size_t end) {
    if (loading_) {
        if (at_ != end) reject(fmt::format("its part '{}' is of another length", name));
        return;
    }
    const std::uint64_t size = bytes_.size() - end;
    std::memcpy(bytes_.data() + end - sizeof(size), &size, sizeof(size));
}

void Archive::token(std::uint64_t& number, std::uint64_t (*fresh)()) {
    bytes(&number, sizeof(number));
    if (!loading_ || number == 0) return;
    const auto [known, added] = tokens_.try_emplace(number, 0);
    if (added) known->second = fresh();
    number = known->second;
}

}  // namespace alfcg

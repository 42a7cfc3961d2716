#include "model/zip_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "alfcg/core/error.hpp"
#include "model/zip_format.hpp"

namespace alfcg::zip {
namespace {

constexpr std::uint64_t largest_comment = 0xFFFF;
constexpr std::uint64_t largest_directory = std::uint64_t{1} << 26;
// Deflate spends at least a bit on 129 bytes: a larger ratio is a lie about the size.
constexpr std::uint64_t largest_ratio = 1032;
constexpr std::size_t chunk_bytes = std::size_t{1} << 18;

struct Inflater {
    z_stream stream{};
    bool ready = inflateInit2(&stream, -MAX_WBITS) == Z_OK;
    Inflater() = default;
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() {
        if (ready) inflateEnd(&stream);
    }
};

/// Where the list of entries lies.
struct Directory {
    std::uint64_t count = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
};

/// Takes over the 64-bit values of those fields that are saturated; false when one is missing.
bool widen(Entry& entry, std::span<const unsigned char> extra) {
    std::array<std::uint64_t*, 3> fields{&entry.size, &entry.packed_size, &entry.offset};
    const auto saturated = [](const std::uint64_t* field) { return *field == saturated32; };
    if (std::none_of(fields.begin(), fields.end(), saturated)) return true;
    while (extra.size() >= 4) {
        const auto id = load<std::uint16_t>(extra.data());
        const std::size_t size = load<std::uint16_t>(extra.data() + 2);
        if (size > extra.size() - 4) return false;
        std::span<const unsigned char> values = extra.subspan(4, size);
        extra = extra.subspan(4 + size);
        if (id != extra64_id) continue;
        for (std::uint64_t* field : fields) {
            if (!saturated(field)) continue;
            if (values.size() < 8) return false;
            *field = load<std::uint64_t>(values.data());
            values = values.subspan(8);
        }
        return true;
    }
    return false;
}

}  // namespace

Reader::Reader(std::string path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) fail("cannot read: " + std::generic_category().message(errno));
    try {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0)
            fail("cannot read: " + std::generic_category().message(errno));
        if (!S_ISREG(status.st_mode)) fail("cannot read: not a regular file");
        file_size_ = static_cast<std::uint64_t>(status.st_size);
        read_directory();
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

Reader::~Reader() {
    ::close(descriptor_);
}

void Reader::fail(const std::string& what) const {
    throw InputError(path_, 0, what);
}

void Reader::read_at(std::uint64_t offset, unsigned char* bytes, std::size_t count) const {
    if (offset > file_size_ || count > file_size_ - offset)
        fail("damaged .npz archive: a part lies outside the file");
    while (count > 0) {
        const ssize_t got =
            ::pread(descriptor_, bytes, std::min(count, std::size_t{1} << 30), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("cannot read: " + std::generic_category().message(errno));
        if (got == 0) fail("the file became shorter while it was read");
        bytes += got;
        offset += static_cast<std::uint64_t>(got);
        count -= static_cast<std::size_t>(got);
    }
}

void Reader::read_directory() {
    const auto not_a_model = "not an alfcg model (an .npz archive)";
    std::array<unsigned char, 4> beginning{};
    if (file_size_ < end_bytes) fail(not_a_model);
    read_at(0, beginning.data(), beginning.size());

    // The end record is the last thing in the file but for a comment of known length.
    const auto tail_size = static_cast<std::size_t>(std::min(file_size_, end_bytes + largest_comment));
    std::vector<unsigned char> tail(tail_size);
    read_at(file_size_ - tail_size, tail.data(), tail_size);
    std::size_t end = tail_size - end_bytes;
    const auto is_end = [&] {
        return load<std::uint32_t>(&tail[end]) == end_signature &&
               load<std::uint16_t>(&tail[end + 20]) == tail_size - end - end_bytes;
    };
    while (end > 0 && !is_end()) --end;
    if (!is_end()) {
        fail(load<std::uint32_t>(beginning.data()) == local_signature
                 ? "damaged .npz archive: it is cut short, or its end is not the list of its entries"
                 : not_a_model);
    }

    const unsigned char* record = &tail[end];
    const std::uint64_t end_offset = file_size_ - tail_size + end;
    if (load<std::uint32_t>(record + 4) != 0) fail("damaged .npz archive: it claims to be a part of several");
    Directory directory{load<std::uint16_t>(record + 10), load<std::uint32_t>(record + 12),
                        load<std::uint32_t>(record + 16)};
    std::uint64_t limit = end_offset;
    if (directory.count == saturated16 || directory.size == saturated32 || directory.offset == saturated32) {
        std::array<unsigned char, locator64_bytes> locator{};
        std::array<unsigned char, end64_bytes> wide{};
        if (end_offset < locator64_bytes) fail("damaged .npz archive: its 64-bit end record is missing");
        read_at(end_offset - locator64_bytes, locator.data(), locator.size());
        limit = load<std::uint64_t>(&locator[8]);
        if (load<std::uint32_t>(locator.data()) != locator64_signature || limit > end_offset)
            fail("damaged .npz archive: its 64-bit end record is missing");
        read_at(limit, wide.data(), wide.size());
        if (load<std::uint32_t>(wide.data()) != end64_signature)
            fail("damaged .npz archive: its 64-bit end record is missing");
        directory = {load<std::uint64_t>(&wide[32]), load<std::uint64_t>(&wide[40]),
                     load<std::uint64_t>(&wide[48])};
    }
    if (directory.offset > limit || directory.size > limit - directory.offset ||
        directory.size > largest_directory || directory.count > directory.size / central_bytes)
        fail("damaged .npz archive: the list of its entries lies outside the file");

    directory_offset_ = directory.offset;
    std::vector<unsigned char> bytes(static_cast<std::size_t>(directory.size));
    read_at(directory.offset, bytes.data(), bytes.size());
    std::span<const unsigned char> rest(bytes);
    for (std::uint64_t i = 0; i < directory.count; ++i) {
        if (rest.size() < central_bytes || load<std::uint32_t>(rest.data()) != central_signature)
            fail("damaged .npz archive: the list of its entries is broken");
        const std::size_t name = load<std::uint16_t>(&rest[28]);
        const std::size_t extra = load<std::uint16_t>(&rest[30]);
        const std::size_t comment = load<std::uint16_t>(&rest[32]);
        if (rest.size() - central_bytes < name + extra + comment)
            fail("damaged .npz archive: the list of its entries is broken");
        Entry entry;
        entry.flags = load<std::uint16_t>(&rest[8]);
        entry.method = load<std::uint16_t>(&rest[10]);
        entry.crc = load<std::uint32_t>(&rest[16]);
        entry.packed_size = load<std::uint32_t>(&rest[20]);
        entry.size = load<std::uint32_t>(&rest[24]);
        entry.offset = load<std::uint32_t>(&rest[42]);
        const auto text = rest.subspan(central_bytes, name);
        entry.name.assign(text.begin(), text.end());
        if (!widen(entry, rest.subspan(central_bytes + name, extra)))
            fail("damaged .npz archive: a 64-bit size is missing");
        if (find(entry.name) != nullptr) fail("damaged .npz archive: two entries have the same name");
        entries_.push_back(std::move(entry));
        rest = rest.subspan(central_bytes + name + extra + comment);
    }
}

const Entry* Reader::find(const std::string& name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    return found == entries_.end() ? nullptr : &*found;
}

std::uint64_t Reader::contents_offset(const Entry& entry) const {
    std::array<unsigned char, local_bytes> header{};
    if (entry.offset > directory_offset_ || directory_offset_ - entry.offset < local_bytes)
        fail("damaged .npz archive: " + entry.name + " lies outside the file");
    read_at(entry.offset, header.data(), header.size());
    const std::size_t name = load<std::uint16_t>(&header[26]);
    const std::size_t extra = load<std::uint16_t>(&header[28]);
    const std::uint64_t start = entry.offset + local_bytes + name + extra;
    if (load<std::uint32_t>(header.data()) != local_signature || name != entry.name.size())
        fail("damaged .npz archive: " + entry.name + " is not where it should be");
    if (start > directory_offset_ || entry.packed_size > directory_offset_ - start)
        fail("damaged .npz archive: " + entry.name + " lies outside the file");
    std::string found(name, '\0');
    read_at(entry.offset + local_bytes, reinterpret_cast<unsigned char*>(found.data()), name);
    if (found != entry.name) fail("damaged .npz archive: " + entry.name + " is not where it should be");
    return start;
}

Buffer<unsigned char> Reader::extract(const Entry& entry, std::size_t wanted) const {
    if ((entry.flags & encrypted_flag) != 0)
        fail(entry.name + " is encrypted; expected a plain .npz archive");
    if (entry.method != stored && entry.method != deflated)
        fail(entry.name + " is packed by method " + std::to_string(entry.method) +
             "; expected 0 (stored) or 8 (deflate)");
    const std::uint64_t start = contents_offset(entry);
    const bool plausible = entry.method == stored ? entry.size == entry.packed_size
                                                  : entry.size / largest_ratio <= entry.packed_size;
    if (!plausible) fail("damaged .npz archive: the sizes of " + entry.name + " contradict each other");
    Buffer<unsigned char> contents;
    unsigned char* first = contents.extend(wanted);
    if (entry.method == stored)
        read_at(start, first, wanted);
    else
        inflate(entry, start, first, wanted);
    return contents;
}

void Reader::inflate(const Entry& entry, std::uint64_t offset, unsigned char* contents,
                     std::size_t wanted) const {
    Inflater inflater;
    if (!inflater.ready) throw std::bad_alloc();
    z_stream& stream = inflater.stream;
    std::uint64_t unread = entry.packed_size;
    std::vector<unsigned char> chunk(static_cast<std::size_t>(std::min<std::uint64_t>(unread, chunk_bytes)));
    std::size_t done = 0;
    const bool whole = wanted == entry.size;
    unsigned char surplus = 0;  // room to notice that there is more than there should be
    int state = Z_OK;
    while (state != Z_STREAM_END && (whole || done < wanted)) {
        if (stream.avail_in == 0) {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(unread, chunk.size()));
            read_at(offset, chunk.data(), count);
            offset += count;
            unread -= count;
            stream.next_in = chunk.data();
            stream.avail_in = static_cast<uInt>(count);
        }
        const std::size_t room = std::min(wanted - done, chunk_bytes);
        stream.next_out = room > 0 ? contents + done : &surplus;
        stream.avail_out = room > 0 ? static_cast<uInt>(room) : 1;
        const uInt before = stream.avail_out;
        state = ::inflate(&stream, Z_NO_FLUSH);
        const uInt made = before - stream.avail_out;
        // Z_BUF_ERROR: nothing could be done, so the packed bytes ended too early.
        if ((state != Z_OK && state != Z_STREAM_END) || (room == 0 && made > 0))
            fail("damaged .npz archive: " + entry.name + " cannot be unpacked");
        if (room > 0) done += made;
    }
    if (done < wanted) fail("damaged .npz archive: " + entry.name + " is shorter than it should be");
}

Buffer<unsigned char> Reader::read(const Entry& entry) const {
    Buffer<unsigned char> contents = extract(entry, static_cast<std::size_t>(entry.size));
    if (crc32_z(0, contents.data(), contents.size()) != entry.crc)
        fail("damaged .npz archive: the checksum of " + entry.name + " is wrong");
    return contents;
}

Buffer<unsigned char> Reader::read_beginning(const Entry& entry, std::size_t bytes) const {
    return extract(entry, static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, bytes)));
}

}  // namespace alfcg::zip

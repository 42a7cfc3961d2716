#include "data/archive.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/byte_source.hpp"

namespace alfcg {
namespace {

// Deflate spends at least a bit on 129 bytes: a larger ratio is a lie about the size.
constexpr std::uint64_t largest_ratio = 1032;
// Read and checked in pieces that stay in the cache.
constexpr std::size_t archive_piece_bytes = std::size_t{1} << 18;
constexpr std::string_view entry_signature = "PK\3\4";           // how an archive that is not empty begins
constexpr zip_uint16_t first_of_january_1980 = (1U << 5U) | 1U;  // the earliest date the format knows

/// Says what is wrong, with libzip's own words for it. Throws when memory was the problem.
std::string explain(zip_error_t& error, const std::string& what) {
    if (zip_error_code_zip(&error) == ZIP_ER_MEMORY) throw std::bad_alloc();
    if (zip_error_code_zip(&error) == ZIP_ER_READ)
        return "cannot read: " + std::generic_category().message(zip_error_code_system(&error));
    return "damaged .npz archive: " + what + " (" + zip_error_strerror(&error) + ")";
}

// A model has some dozens. libzip looks names up in lists that can be made long on purpose: the time for many grows with their square.
constexpr std::uint64_t most_entries = 1000;
constexpr std::size_t end_bytes = 22;  // the record at the end of an archive, before its comment

std::uint64_t little_endian(const unsigned char* bytes, int count) {
    std::uint64_t number = 0;
    for (int k = count; k-- > 0;) number = 256 * number + bytes[k];
    return number;
}

bool begins(const unsigned char* bytes, std::string_view signature) {
    return std::equal(signature.begin(), signature.end(), reinterpret_cast<const char*>(bytes));
}

/// The number of entries in the record of large archives, to which the 20 bytes before the one at the end lead.
std::optional<std::uint64_t> entries_of_large(int file, const unsigned char* pointer) {
    if (!begins(pointer, "PK\6\7")) return std::nullopt;
    std::array<unsigned char, 40> record{};
    const auto from = static_cast<off_t>(little_endian(pointer + 8, 8));
    if (::pread(file, record.data(), record.size(), from) != std::ssize(record)) return std::nullopt;
    if (!begins(record.data(), "PK\6\6")) return std::nullopt;
    return little_endian(record.data() + 32, 8);
}

/// How many entries an archive says it has: the record at its end is found by its signature, and by the length of the comment
/// that follows it. 65535 stands for a number that is told in the record of large archives.
std::uint64_t entries_of(int file, std::uint64_t file_size) {
    constexpr std::uint64_t longest_comment = 65535;
    constexpr std::size_t pointer_bytes = 20;
    const std::uint64_t length =
        std::min<std::uint64_t>(file_size, pointer_bytes + end_bytes + longest_comment);
    std::vector<unsigned char> end(static_cast<std::size_t>(length));
    const auto from = static_cast<off_t>(file_size - length);
    if (::pread(file, end.data(), end.size(), from) != static_cast<ssize_t>(end.size())) return 0;
    std::uint64_t most = 0;
    for (std::size_t at = 0; at + end_bytes <= end.size(); ++at) {
        const unsigned char* const record = end.data() + at;
        if (!begins(record, "PK\5\6")) continue;
        if (at + end_bytes + little_endian(record + 20, 2) != end.size()) continue;
        std::uint64_t count = little_endian(record + 10, 2);
        if (count == 65535 && at >= pointer_bytes)
            count = entries_of_large(file, record - pointer_bytes).value_or(count);
        most = std::max(most, count);
    }
    return most;
}

/// A descriptor until libzip has taken it.
struct Descriptor {
    int number = -1;
    explicit Descriptor(int opened) : number(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

struct CloseFile {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

void DiscardZip::operator()(zip* archive) const {
    zip_discard(archive);
}

void DiscardZip::operator()(zip_source* source) const {
    zip_source_free(source);
}

// ---- reading
// ----------------------------------------------------------------------------------------------------

ArchiveReader::ArchiveReader(std::string path) : path_(std::move(path)) {
    const auto cannot_read = [&] { fail("cannot read: " + std::generic_category().message(errno)); };
    Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number < 0) cannot_read();
    struct stat status {};
    if (::fstat(file.number, &status) != 0) cannot_read();
    if (!S_ISREG(status.st_mode)) fail("cannot read: not a regular file");
    file_size_ = static_cast<std::uint64_t>(status.st_size);
    std::array<char, entry_signature.size()> beginning{};
    if (::pread(file.number, beginning.data(), beginning.size(), 0) < 0) cannot_read();

    if (const std::uint64_t count = entries_of(file.number, file_size_); count > most_entries)
        fail("not an alfcg model: an archive of " + std::to_string(count) + " entries");

    int problem = 0;
    archive_.reset(zip_fdopen(file.number, ZIP_CHECKCONS, &problem));
    if (archive_ != nullptr) {
        file.number = -1;
        return;
    }
    const bool begins_as_archive = std::string_view(beginning.data(), beginning.size()) == entry_signature;
    if (problem == ZIP_ER_NOZIP && !begins_as_archive) fail("not an alfcg model (an .npz archive)");
    zip_error_t error;
    zip_error_init_with_code(&error, problem);
    const std::string what =
        explain(error, "it is cut short, or its entries are not as its list of them says");
    zip_error_fini(&error);
    fail(what);
}

void ArchiveReader::fail(const std::string& what) const {
    throw InputError(path_, 0, what);
}

std::optional<std::uint64_t> ArchiveReader::find(const std::string& name) const {
    const zip_int64_t place = zip_name_locate(archive_.get(), name.c_str(), 0);
    if (place < 0) return std::nullopt;
    return static_cast<std::uint64_t>(place);
}

Buffer<unsigned char> ArchiveReader::extract(std::uint64_t entry, std::uint64_t most) const {
    zip_stat_t facts;
    if (zip_stat_index(archive_.get(), entry, 0, &facts) != 0)
        fail(explain(*zip_get_error(archive_.get()), "an entry cannot be found"));
    const std::string name = facts.name;
    if (facts.encryption_method != ZIP_EM_NONE) fail(name + " is encrypted; expected a plain .npz archive");
    if (facts.comp_method != ZIP_CM_STORE && facts.comp_method != ZIP_CM_DEFLATE)
        fail(name + " is packed by method " + std::to_string(facts.comp_method) +
             "; expected 0 (stored) or 8 (deflate)");
    const bool plausible = facts.comp_method == ZIP_CM_STORE ? facts.size == facts.comp_size
                                                             : facts.size / largest_ratio <= facts.comp_size;
    if (!plausible || facts.comp_size > file_size_)
        fail("damaged .npz archive: the sizes of " + name + " contradict each other");

    if (std::min(facts.size, most) > modest_unpacked(facts.comp_size))
        fail(fmt::format(
            "{} unpacks to {:.3g} MB, {} times its size in the archive; if it is to be read all the "
            "same, save it without compression",
            name, static_cast<double>(facts.size) / 0x1p20, facts.size / facts.comp_size));

    const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(archive_.get(), entry, 0));
    if (file == nullptr) fail(explain(*zip_get_error(archive_.get()), name + " cannot be read"));
    const auto read = [&](unsigned char* bytes, std::size_t count) {
        const zip_int64_t got = zip_fread(file.get(), bytes, count);
        if (got >= 0) return static_cast<std::size_t>(got);
        zip_error_t& error = *zip_file_get_error(file.get());
        if (zip_error_code_zip(&error) == ZIP_ER_CRC)
            fail("damaged .npz archive: the checksum of " + name + " is wrong");
        fail(explain(error, name + " cannot be unpacked"));
    };
    const auto wanted = static_cast<std::size_t>(std::min(facts.size, most));
    Buffer<unsigned char> contents;
    unsigned char* first = contents.extend(wanted);
    for (std::size_t done = 0; done < wanted;) {
        const std::size_t got = read(first + done, std::min(wanted - done, archive_piece_bytes));
        if (got == 0) fail("damaged .npz archive: " + name + " is shorter than it should be");
        done += got;
    }
    // libzip compares the checksum when it meets the end.
    unsigned char surplus = 0;
    if (wanted == facts.size && read(&surplus, 1) != 0)
        fail("damaged .npz archive: " + name + " is longer than it should be");
    return contents;
}

Buffer<unsigned char> ArchiveReader::read(std::uint64_t entry) const {
    return extract(entry, ~std::uint64_t{0});
}

Buffer<unsigned char> ArchiveReader::read_beginning(std::uint64_t entry, std::size_t bytes) const {
    return extract(entry, bytes);
}

// ---- writing
// ----------------------------------------------------------------------------------------------------

ArchiveWriter::ArchiveWriter(OutputFile& file)
    : file_(file), bytes_(zip_source_buffer_create(nullptr, 0, 0, nullptr)) {
    if (bytes_ == nullptr) throw std::bad_alloc();
    archive_.reset(zip_open_from_source(bytes_.get(), ZIP_TRUNCATE, nullptr));
    if (archive_ == nullptr) throw std::bad_alloc();  // there is nothing else that an empty buffer can lack
    zip_source_keep(bytes_.get());                    // the archive lets go of it when it is closed
}

void ArchiveWriter::fail() const {
    zip_error_t& error = *zip_get_error(archive_.get());
    if (zip_error_code_zip(&error) == ZIP_ER_MEMORY) throw std::bad_alloc();
    throw Error(file_.path() + ": cannot write: " + zip_error_strerror(&error));
}

void ArchiveWriter::add(const std::string& name, std::string beginning, std::span<const std::byte> rest) {
    std::string& kept = beginnings_.emplace_back(std::move(beginning));
    // libzip wants to be able to change what it is handed, and does not; parts must not be empty.
    std::vector<zip_buffer_fragment_t> parts;
    if (!kept.empty()) parts.push_back({reinterpret_cast<zip_uint8_t*>(kept.data()), kept.size()});
    if (!rest.empty()) {
        auto* const bytes = const_cast<std::byte*>(rest.data());
        parts.push_back({reinterpret_cast<zip_uint8_t*>(bytes), rest.size()});
    }
    zip_source_t* source = zip_source_buffer_fragment(archive_.get(), parts.data(), parts.size(), 0);
    if (source == nullptr) fail();
    const zip_int64_t place = zip_file_add(archive_.get(), name.c_str(), source, 0);
    if (place < 0) {
        zip_source_free(source);
        fail();
    }
    const auto entry = static_cast<zip_uint64_t>(place);
    if (zip_set_file_compression(archive_.get(), entry, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive_.get(), entry, 0, first_of_january_1980, 0) != 0)
        fail();
}

void ArchiveWriter::finish() {
    if (zip_close(archive_.get()) != 0) fail();
    static_cast<void>(archive_.release());
    std::vector<unsigned char> piece(archive_piece_bytes);
    zip_source_open(bytes_.get());
    zip_int64_t count = 0;
    while ((count = zip_source_read(bytes_.get(), piece.data(), piece.size())) > 0)
        file_.write(piece.data(), static_cast<std::size_t>(count));
    zip_source_close(bytes_.get());
}

}  // namespace alfcg

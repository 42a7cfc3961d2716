#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/output_file.hpp"
#include "alfcg/data/dataset.hpp"
#include "data/byte_source.hpp"
#include "data/elements.hpp"

/// Files that are looked at where they lie. One of dense data is a NumPy array, with more behind it; one of sparse data begins with
/// a magic of its own. Behind the entries, which begin with a page, come the other arrays, each at a multiple of 64 bytes, a
/// description of all in CBOR, and an end of fixed size that says where the description is.
namespace alfcg {

/// Where an array lies; none: it is not there.
struct MappedArray {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
};

struct MappedLayout {
    ElementType type = ElementType::f32;  // f32 or f64: of the entries
    bool sparse = false;
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    MappedArray entries;  // of sparse data those that are not zero
    MappedArray columns;  // i32, one for each entry
    MappedArray starts;   // i64, rows + 1 of them
    MappedArray labels;   // f64; or, where there are words, i32: a word each
    MappedArray weights;  // f64
    std::vector<std::string> words;
    // As in Dataset.
    bool classes = false;
    bool bytes = false;
    std::uint64_t last_feature = 0;
    std::vector<std::string> names;
    Reading reading;
};

inline constexpr std::string_view sparse_magic =
    "\x93"
    "ALFCG\r\n";
inline constexpr std::size_t mapped_end_bytes = 32;

/// Appends description and end to a file that has so many bytes.
void write_description(const MappedLayout& layout, std::uint64_t file_bytes, OutputFile& file);
/// Whether these last bytes are the end of such a file.
bool is_mapped_end(std::string_view last_bytes);
/// Throws InputError when it is none, damaged, or of another version; arrays then lie in the file and are as long as they must be.
MappedLayout read_description(const std::string& path, const unsigned char* file, std::uint64_t file_bytes);

/// Whether a file that begins like this is one of sparse data.
inline bool is_sparse_mapped(std::string_view first_bytes) {
    return first_bytes.starts_with(sparse_magic);
}
template <class Real>
Dataset<Real> read_mapped(ByteSource& source, const ReadOptions& options);

}  // namespace alfcg

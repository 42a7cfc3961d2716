#include "data/ratings_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/npy.hpp"
#include "data/archive.hpp"
#include "data/elements.hpp"
#include "data/npy.hpp"

namespace alfcg {

namespace {

constexpr Index most_lines = std::numeric_limits<std::int32_t>::max();  // of a matrix

// One-dimensional arrays of an archive, by name.
class StoredArrays {
  public:
    explicit StoredArrays(const std::string& path) : path_(path), archive_(path) {}

    [[nodiscard]] bool has(const std::string& name) const { return archive_.find(name + ".npy").has_value(); }

    [[noreturn]] void fail(const std::string& name, const std::string& what) const {
        throw InputError(path_, 0, name + ": " + what);
    }

    // What a matrix is: csr, csc, coo; as SciPy says, or by the arrays that are there.
    [[nodiscard]] std::string format() const {
        if (!has("format")) {
            if (has("row") && has("col") && has("data")) return "coo";
            throw InputError(path_, 0,
                             "holds neither a matrix by SciPy's save_npz nor arrays row, col and data");
        }
        const Stored stored = read("format");
        std::string word(stored.entries(), stored.bytes.end());
        std::erase(word, '\0');  // texts of four bytes a letter have three of them
        if (word != "coo" && word != "csr" && word != "csc")
            fail("format", fmt::format("{} is not supported; save a matrix as coo, csr or csc", shown(word)));
        return word;
    }

    [[nodiscard]] Shape shape() const {
        const Buffer<Index> sizes = whole("shape", 1, most_lines + 1);
        if (sizes.size() != 2) fail("shape", fmt::format("has {} numbers, not 2", sizes.size()));
        return {sizes[0], sizes[1]};
    }

    // Whole numbers from `least` to `limit` - 1.
    template <class To = Index>
    [[nodiscard]] Buffer<To> whole(const std::string& name, Index least, Index limit) const {
        const Stored stored = read_list(name);
        Buffer<To> numbers(stored.count);
        if (stored.count == 0) return numbers;
        with_element_type(stored.type, [&](auto id) {
            using T = typename decltype(id)::type;
            if (std::is_floating_point_v<T> || stored.type == ElementType::boolean)
                fail(name, "entries of type " + shown(stored.header.dtype) +
                               "; they must be whole numbers (int32 or int64)");
            if constexpr (!std::is_floating_point_v<T>) {
                for (std::size_t k = 0; k < stored.count; ++k) {
                    const T number = stored.at<T>(k);
                    if (std::cmp_less(number, least) || std::cmp_greater_equal(number, limit))
                        fail(name, fmt::format("entry {} (counted from 0) is {}; {}", k, number,
                                               limit > least
                                                   ? fmt::format("it must be from {} to {}", least, limit - 1)
                                                   : "nothing may be there"));
                    numbers[k] = static_cast<To>(number);
                }
            }
        });
        return numbers;
    }

    template <class Real>
    [[nodiscard]] Buffer<Real> numbers(const std::string& name) const {
        const Stored stored = read_list(name);
        Buffer<Real> numbers(stored.count);
        convert_elements(stored.entries(), stored.count, stored.type, stored.swap, numbers.data(), 1);
        for (std::size_t k = 0; k < stored.count; ++k) {
            if (std::isfinite(numbers[k])) continue;
            const bool wide = stored.type == ElementType::f64 && std::isfinite(stored.at<double>(k));
            fail(name, fmt::format("entry {} (counted from 0) is {}", k,
                                   wide ? "too large for f32; take f64 (`precision`)"
                                        : fmt::format("{}; leave such entries out", numbers[k])));
        }
        return numbers;
    }

  private:
    struct Stored {
        NpyHeader header;
        Buffer<unsigned char> bytes;  // header and entries
        ElementType type = ElementType::f32;
        bool swap = false;
        std::size_t count = 0;

        [[nodiscard]] const unsigned char* entries() const { return bytes.data() + header.header_bytes; }
        template <class T>
        [[nodiscard]] T at(std::size_t k) const {
            return load_element<T>(entries() + k * sizeof(T), swap && sizeof(T) > 1);
        }
    };

    [[nodiscard]] Stored read(const std::string& name) const {
        const auto place = archive_.find(name + ".npy");
        if (!place) throw InputError(path_, 0, "has no array " + shown(name));
        Stored stored;
        stored.bytes = archive_.read(*place);
        stored.header = parse_npy_header({stored.bytes.data(), stored.bytes.size()}, path_ + ": " + name);
        return stored;
    }

    [[nodiscard]] Stored read_list(const std::string& name) const {
        Stored stored = read(name);
        if (stored.header.shape.size() != 1)
            fail(name, fmt::format("has {} dimensions, not 1", stored.header.shape.size()));
        stored.count = static_cast<std::size_t>(stored.header.shape[0]);
        if (stored.count > 0) {
            const ArrayLayout layout = npy_layout(path_ + ": " + name, stored.header);
            stored.type = layout.type;
            stored.swap = layout.swap_bytes;
        }
        const std::size_t there = stored.bytes.size() - stored.header.header_bytes;
        if (there != stored.count * element_bytes(stored.type))
            fail(name, fmt::format("{} bytes for {} entries of type {}", there, stored.count,
                                   shown(stored.header.dtype)));
        return stored;
    }

    std::string path_;
    ArchiveReader archive_;
};

// The line of every entry, where lines have their starts: "indptr".
Buffer<std::int32_t> lines_of(const StoredArrays& arrays, Index lines, Index entries) {
    const Buffer<Index> starts = arrays.whole("indptr", 0, entries + 1);
    if (static_cast<Index>(starts.size()) != lines + 1)
        arrays.fail("indptr", fmt::format("has {} entries, not {}: one more than the shape says",
                                          starts.size(), lines + 1));
    if (starts[0] != 0 || !std::is_sorted(starts.begin(), starts.end()))
        arrays.fail("indptr", "must begin with 0 and never fall");
    Buffer<std::int32_t> found(static_cast<std::size_t>(starts[starts.size() - 1]));
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        std::fill(found.begin() + starts[i], found.begin() + starts[i + 1], static_cast<std::int32_t>(i));
    return found;
}

}  // namespace

template <class Real>
Triples<Real> read_ratings_archive(const std::string& path, const RatingOptions& options, Shape& shape) {
    const StoredArrays arrays(path);
    const std::string format = arrays.format();
    const bool sized = arrays.has("shape") || format != "coo";
    if (sized) shape = arrays.shape();
    Triples<Real> triples;
    triples.values = arrays.numbers<Real>("data");
    if (options.weights) {
        if (!arrays.has("weights")) throw InputError(path, 0, "has no array " + shown("weights"));
        triples.weights = arrays.numbers<Real>("weights");
        const auto* none = std::find_if(triples.weights.begin(), triples.weights.end(),
                                        [](Real weight) { return !(weight > 0); });
        if (none != triples.weights.end())
            arrays.fail("weights", fmt::format("entry {} (counted from 0) is {}; weights must be above 0",
                                               none - triples.weights.begin(), *none));
    }
    const Index rows = sized ? shape.rows : most_lines;
    const Index cols = sized ? shape.cols : most_lines;
    if (format == "coo") {
        triples.rows = arrays.whole<std::int32_t>("row", 0, rows);
        triples.columns = arrays.whole<std::int32_t>("col", 0, cols);
    } else {
        Buffer<std::int32_t> lines = lines_of(arrays, format == "csr" ? rows : cols, triples.size());
        Buffer<std::int32_t> others = arrays.whole<std::int32_t>("indices", 0, format == "csr" ? cols : rows);
        // SciPy's arrays may be longer than what the lines use.
        if (others.size() > lines.size()) others.resize(lines.size());
        if (triples.values.size() > lines.size()) triples.values.resize(lines.size());
        triples.rows = format == "csr" ? std::move(lines) : std::move(others);
        triples.columns = format == "csr" ? std::move(others) : std::move(lines);
    }
    const auto count = static_cast<std::size_t>(triples.size());
    const auto check = [&](const char* name, std::size_t size) {
        if (size != count) arrays.fail(name, fmt::format("has {} entries, data has {}", size, count));
    };
    check(format == "csc" ? "indices" : "row", triples.rows.size());
    check(format == "csr" ? "indices" : "col", triples.columns.size());
    if (options.weights) check("weights", triples.weights.size());
    if (options.rows > 0 && triples.size() > options.rows) {
        const auto kept = static_cast<std::size_t>(options.rows);
        triples.rows.resize(kept);
        triples.columns.resize(kept);
        triples.values.resize(kept);
        if (options.weights) triples.weights.resize(kept);
    }
    if (!sized && count > 0) {
        shape.rows = *std::max_element(triples.rows.begin(), triples.rows.end()) + Index{1};
        shape.cols = *std::max_element(triples.columns.begin(), triples.columns.end()) + Index{1};
    }
    return triples;
}

template Triples<float> read_ratings_archive(const std::string&, const RatingOptions&, Shape&);
template Triples<double> read_ratings_archive(const std::string&, const RatingOptions&, Shape&);

}  // namespace alfcg

#include "data/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "data/finite.hpp"
#include "data/mapped_pages.hpp"
#include "data/memory.hpp"
#include "data/page_advice.hpp"

namespace alfcg {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

template <class Real>
constexpr ElementType native_type = std::is_same_v<Real, float> ? ElementType::f32 : ElementType::f64;

// Checks `count` entries of a row-major matrix, the first of which is entry number `first`.
template <class Real>
void check_finite(const std::string& path, const Real* values, std::size_t count, Index first, Index cols) {
    if (all_finite(values, count)) return;
    const auto bad =
        std::find_if(values, values + count, [](Real value) { return !std::isfinite(value); }) - values;
    fail_not_finite(path, (first + bad) / cols, (first + bad) % cols, values[bad]);
}

[[noreturn]] void fail_truncated(const std::string& path, const ArrayLayout& layout) {
    throw InputError(
        path, 0,
        fmt::format("truncated: the header promises {} x {} values of {} bytes, the data end before",
                    layout.rows, layout.cols, element_bytes(layout.type)));
}

void read_fully(ByteSource& source, const ArrayLayout& layout, void* to, std::size_t bytes) {
    if (source.read(to, bytes) != bytes) fail_truncated(source.path(), layout);
}

[[noreturn]] void fail_too_long(const std::string& path, const ArrayLayout& layout) {
    throw InputError(
        path, 0,
        fmt::format("more data than the {} x {} values that the header promises", layout.rows, layout.cols));
}

// Pages of the file itself; writing to them makes private copies, so that normalisation in place never
// reaches the file.
template <class Real>
DenseFeatures<Real> map_array(const ByteSource& source, const ArrayLayout& layout, Index rows) {
    const auto bytes = layout.offset + static_cast<std::size_t>(rows * layout.cols) * sizeof(Real);
    std::shared_ptr<void> pages = map_file(source.descriptor(), bytes, source.path());
    if (pages == nullptr) return {};
    auto* data = reinterpret_cast<Real*>(static_cast<unsigned char*>(pages.get()) + layout.offset);
    return {SharedArray<Real>::mapped(data, static_cast<std::size_t>(rows * layout.cols), std::move(pages)),
            rows, layout.cols, layout.cols};
}

// In order through a small buffer, or straight into place when nothing needs converting.
template <class Real>
void read_row_major(ByteSource& source, const ArrayLayout& layout, std::size_t entries, Real* to) {
    const std::size_t size = element_bytes(layout.type);
    const bool as_is = layout.type == native_type<Real> && !layout.swap_bytes;
    std::vector<unsigned char> piece(as_is ? 0 : chunk_bytes);
    const std::size_t at_once = chunk_bytes / size;
    for (std::size_t k = 0; k < entries; k += at_once) {
        const std::size_t count = std::min(at_once, entries - k);
        if (as_is) {
            read_fully(source, layout, to + k, count * size);
        } else {
            read_fully(source, layout, piece.data(), count * size);
            convert_elements(piece.data(), count, layout.type, layout.swap_bytes, to + k, 1);
        }
        check_finite(source.path(), to + k, count, layout.first_row * layout.cols + static_cast<Index>(k),
                     layout.cols);
    }
}

void skip(ByteSource& source, const ArrayLayout& layout, std::size_t bytes,
          std::vector<unsigned char>& piece) {
    piece.resize(std::min(bytes, chunk_bytes));
    for (; bytes > 0; bytes -= std::min(bytes, piece.size()))
        read_fully(source, layout, piece.data(), std::min(bytes, piece.size()));
}

// Where column number `stored` of a column-major array belongs when its row is flattened in C order: with
// more than two dimensions the first index of a row runs fastest in the file, but slowest in the flattened
// row.
Index flattened_column(const ArrayLayout& layout, Index stored) {
    Index column = 0;
    Index stride = layout.cols;
    for (const Index size : layout.row_shape) {
        stride /= size;
        column += stored % size * stride;
        stored /= size;
    }
    return column;
}

// Column by column: a few columns, or a part of one, at a time, scattered over the rows of the result.
// Several columns together keep the writes in cache.
template <class Real>
void read_column_major(ByteSource& source, const ArrayLayout& layout, Index rows, Real* to) {
    const std::size_t size = element_bytes(layout.type);
    const auto stride = static_cast<std::size_t>(layout.cols);
    const Index held = static_cast<Index>(chunk_bytes / size);
    const Index cols_at_once = std::clamp<Index>(held / layout.rows, 1, layout.cols);
    std::vector<unsigned char> piece;
    for (Index j = 0; j < layout.cols; j += cols_at_once) {
        const Index cols = std::min(cols_at_once, layout.cols - j);
        const bool last = j + cols == layout.cols;
        if (layout.rows > held) {  // one column, in parts
            for (Index i = 0; i < rows; i += held) {
                const auto count = static_cast<std::size_t>(std::min(held, rows - i));
                piece.resize(count * size);
                read_fully(source, layout, piece.data(), piece.size());
                convert_elements(piece.data(), count, layout.type, layout.swap_bytes,
                                 to + i * layout.cols + flattened_column(layout, j), stride);
            }
            if (!last) skip(source, layout, static_cast<std::size_t>(layout.rows - rows) * size, piece);
            continue;
        }
        const Index stored = (cols - 1) * layout.rows + (last ? rows : layout.rows);
        piece.resize(static_cast<std::size_t>(stored) * size);
        read_fully(source, layout, piece.data(), piece.size());
        constexpr Index rows_in_cache = 64;
        for (Index i = 0; i < rows; i += rows_in_cache)
            for (Index k = 0; k < cols; ++k)
                convert_elements(piece.data() + static_cast<std::size_t>(k * layout.rows + i) * size,
                                 static_cast<std::size_t>(std::min(rows_in_cache, rows - i)), layout.type,
                                 layout.swap_bytes, to + i * layout.cols + flattened_column(layout, j + k),
                                 stride);
    }
    check_finite(source.path(), to, static_cast<std::size_t>(rows * layout.cols), 0, layout.cols);
}

}  // namespace

void fold_shape(const std::string& path, const std::vector<std::int64_t>& shape, ArrayLayout& layout) {
    layout.rows = shape.front();
    layout.cols = 1;
    layout.row_shape.assign(shape.begin() + 1, shape.end());
    bool absurd = false;
    for (const Index size : layout.row_shape)
        absurd = absurd || __builtin_mul_overflow(layout.cols, size, &layout.cols);
    // Bytes must fit in a signed 64-bit number, as all positions are; also those of the converted entries.
    Index bytes = sizeof(double);
    absurd = absurd || __builtin_mul_overflow(bytes, layout.cols, &bytes) ||
             __builtin_mul_overflow(bytes, layout.rows, &bytes);
    if (absurd)
        throw InputError(path, 0, "damaged header: the array would have more bytes than can be counted");
    if (layout.rows == 0) throw InputError(path, 0, "no data rows: the array's first dimension is 0");
    if (layout.cols == 0) throw InputError(path, 0, "no features: a dimension of the array is 0");
}

template <class Real>
DenseFeatures<Real> read_array(ByteSource& source, const ArrayLayout& layout, Index most_rows,
                               PageFiles* pages) {
    const Index rows = most_rows > 0 ? std::min(most_rows, layout.rows) : layout.rows;
    const bool whole = rows == layout.rows;
    const bool row_major =
        !layout.column_major || layout.cols == 1 || (layout.rows == 1 && layout.row_shape.size() < 2);
    const auto entries = static_cast<std::size_t>(rows * layout.cols);
    if (const long long size = source.plain_size(); size >= 0 && (whole || row_major)) {
        // The file's size is known: say what is wrong before any memory is asked for.
        const std::size_t present =
            static_cast<std::size_t>(size) - std::min(static_cast<std::size_t>(size), layout.offset);
        const std::size_t needed = entries * element_bytes(layout.type);
        if (present < needed) fail_truncated(source.path(), layout);
        if (whole && present > needed) fail_too_long(source.path(), layout);
        if (row_major && layout.type == native_type<Real> && !layout.swap_bytes &&
            layout.offset % alignof(Real) == 0) {
            DenseFeatures<Real> mapped = map_array<Real>(source, layout, rows);
            if (mapped.data() != nullptr) {
                const Features<Real> features = mapped;
                PageAdvice<Real> pages_of_file(features, true);
                pages_of_file.in_order();
                check_finite(source.path(), mapped.data(), entries, layout.first_row * layout.cols,
                             layout.cols);
                pages_of_file.usual();
                return mapped;
            }
        }
    }
    if (pages == nullptr) check_memory(source.path(), static_cast<double>(entries), sizeof(Real));
    Buffer<Real> buffer(pages != nullptr ? pages->next_main() : nullptr);
    Real* to = buffer.extend(entries);
    if (row_major)
        read_row_major(source, layout, entries, to);
    else
        read_column_major(source, layout, rows, to);
    if (whole && !source.ended()) fail_too_long(source.path(), layout);
    return {std::move(buffer), rows, layout.cols};
}

template <class Real>
DenseFeatures<Real> read_array_share(ByteSource& source, const ArrayLayout& layout, const Ranks& ranks) {
    const auto [first, last] = range_of_part(layout.rows, ranks.rank(), ranks.size());
    if (first == last) return {nullptr, 0, layout.cols};
    if (layout.column_major) {
        // Rows are all over the file.
        auto all = std::make_shared<const DenseFeatures<Real>>(read_array<Real>(source, layout, 0));
        const Real* own = all->row(first);
        return {own, last - first, layout.cols, layout.cols, std::move(all)};
    }
    ArrayLayout rest = layout;
    rest.offset += static_cast<std::size_t>(first * layout.cols) * element_bytes(layout.type);
    rest.rows -= first;
    rest.first_row = first;
    source.jump(static_cast<long long>(rest.offset), source.plain_size());
    return read_array<Real>(source, rest, last - first);
}

template DenseFeatures<float> read_array_share(ByteSource&, const ArrayLayout&, const Ranks&);
template DenseFeatures<double> read_array_share(ByteSource&, const ArrayLayout&, const Ranks&);
template DenseFeatures<float> read_array(ByteSource&, const ArrayLayout&, Index, PageFiles*);
template DenseFeatures<double> read_array(ByteSource&, const ArrayLayout&, Index, PageFiles*);

}  // namespace alfcg

#include "data/npy.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/number.hpp"

namespace alfcg {

NpyHeader read_npy_header(ByteSource& source) {
    // Magic, version, and the length of what follows in 2 or (from version 2 on) 4 bytes; never less than 12
    // bytes.
    constexpr std::size_t fixed_bytes = 12;
    const std::string_view start = source.peek(fixed_bytes);
    const auto byte = [&](std::size_t i) -> std::size_t { return static_cast<unsigned char>(start[i]); };
    std::size_t bytes = start.size();
    if (bytes == fixed_bytes && start.starts_with("\x93NUMPY"))
        bytes = byte(6) == 1
                    ? 10 + byte(8) + (byte(9) << 8U)
                    : fixed_bytes + byte(8) + (byte(9) << 8U) + (byte(10) << 16U) + (byte(11) << 24U);
    constexpr std::size_t most_bytes = std::size_t{1} << 20;
    if (bytes > most_bytes)
        throw InputError(source.path(), 0, "damaged NPY header: more than a mebibyte long");
    std::vector<unsigned char> header(std::max(bytes, start.size()));
    header.resize(source.read(header.data(), bytes));
    return parse_npy_header(header, source.path());
}

bool is_text(const NpyHeader& header) {
    return header.dtype[1] == 'S' || header.dtype[1] == 'U';
}

bool is_swapped(const NpyHeader& header) {
    return header.dtype[0] == (std::endian::native == std::endian::little ? '>' : '<');
}

ArrayLayout npy_layout(const std::string& path, const NpyHeader& header) {
    constexpr std::pair<std::string_view, ElementType> known[] = {
        {"f4", ElementType::f32}, {"f8", ElementType::f64},    {"i1", ElementType::i8},
        {"i2", ElementType::i16}, {"i4", ElementType::i32},    {"i8", ElementType::i64},
        {"u1", ElementType::u8},  {"u2", ElementType::u16},    {"u4", ElementType::u32},
        {"u8", ElementType::u64}, {"b1", ElementType::boolean}};
    const auto* type = std::find_if(std::begin(known), std::end(known),
                                    [&](const auto& entry) { return entry.first == header.dtype.substr(1); });
    if (type == std::end(known))
        throw InputError(path, 0,
                         "NPY element type " + shown(header.dtype) +
                             " is not supported; f4, f8, i1-i8, u1-u8 and b1 are (use astype before saving)");
    if (header.shape.empty()) throw InputError(path, 0, "the NPY file holds a single number, not an array");
    ArrayLayout layout;
    layout.type = type->second;
    layout.swap_bytes = is_swapped(header);
    layout.column_major = header.fortran_order;
    layout.offset = header.header_bytes;
    fold_shape(path, header.shape, layout);
    return layout;
}

ArrayLayout read_npy_layout(ByteSource& source) {
    const NpyHeader header = read_npy_header(source);
    if (header.shape.size() == 1)
        throw InputError(source.path(), 0, "the array has one dimension; features need two (rows, features)");
    return npy_layout(source.path(), header);
}

}  // namespace alfcg

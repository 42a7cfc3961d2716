#include "data/idx.hpp"

#include <fmt/format.h>

#include <bit>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

ElementType idx_element(const std::string& path, unsigned code) {
    switch (code) {
        case 0x08:
            return ElementType::u8;
        case 0x09:
            return ElementType::i8;
        case 0x0B:
            return ElementType::i16;
        case 0x0C:
            return ElementType::i32;
        case 0x0D:
            return ElementType::f32;
        case 0x0E:
            return ElementType::f64;
        default:
            throw InputError(
                path, 0,
                fmt::format("unknown IDX element type 0x{:02X}; 08, 09, 0B, 0C, 0D and 0E exist", code));
    }
}

}  // namespace

ArrayLayout read_idx_header(ByteSource& source) {
    unsigned char bytes[4];
    if (source.read(bytes, sizeof bytes) != sizeof bytes)
        throw InputError(source.path(), 0, "truncated IDX header");
    if (bytes[0] != 0 || bytes[1] != 0)
        throw InputError(source.path(), 0, "not an IDX file: it does not begin with two zero bytes");
    ArrayLayout layout;
    layout.type = idx_element(source.path(), bytes[2]);
    layout.swap_bytes = std::endian::native == std::endian::little;
    const std::size_t dimensions = bytes[3];
    if (dimensions == 0) throw InputError(source.path(), 0, "damaged IDX header: an array of no dimensions");
    std::vector<std::int64_t> shape(dimensions);
    for (auto& size : shape) {
        if (source.read(bytes, sizeof bytes) != sizeof bytes)
            throw InputError(source.path(), 0, "truncated IDX header");
        size = load_element<std::uint32_t>(bytes, layout.swap_bytes);
    }
    layout.offset = 4 + 4 * dimensions;
    fold_shape(source.path(), shape, layout);
    return layout;
}

}  // namespace alfcg

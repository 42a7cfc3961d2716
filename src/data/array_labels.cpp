#include "data/array_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/array_file.hpp"
#include "data/idx.hpp"
#include "data/npy.hpp"
#include "data/number.hpp"

namespace alfcg {

namespace {

Labels read_numbers(ByteSource& source, const ArrayLayout& layout, Index most) {
    if (layout.cols != 1) throw InputError(source.path(), 0, "labels must be an array of one dimension");
    const DenseFeatures<double> numbers = read_array<double>(source, layout, most);
    Labels labels;
    for (Index i = 0; i < numbers.rows(); ++i) labels.push(numbers.data()[i]);
    return labels;
}

void append_utf8(std::string& text, std::uint32_t code) {
    const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0U | code >> 6U);
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0U | code >> 12U);
        tail(6), tail(0);
    } else {
        text += static_cast<char>(0xF0U | code >> 18U);
        tail(12), tail(6), tail(0);
    }
}

// NumPy pads its strings with zeros; those of kind U are 32-bit code points.
std::string item_text(const std::vector<unsigned char>& item, const NpyHeader& header) {
    std::string text;
    if (header.dtype[1] == 'S') {
        text.assign(item.begin(), item.end());
    } else {
        for (std::size_t k = 0; k + 4 <= item.size(); k += 4) {
            const auto code = load_element<std::uint32_t>(item.data() + k, is_swapped(header));
            if (code > 0x10FFFF) return {};
            append_utf8(text, code);
        }
    }
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
}

Labels read_names(ByteSource& source, const NpyHeader& header, Index most) {
    const std::string& path = source.path();
    const bool one_column = header.shape.size() == 1 || (header.shape.size() == 2 && header.shape[1] == 1);
    if (!one_column) throw InputError(path, 0, "labels must be an array of one dimension");
    constexpr std::int64_t longest = std::int64_t{1} << 20;
    if (header.item_bytes() <= 0 || header.item_bytes() > longest)
        throw InputError(path, 0, "damaged NPY header: absurd text length in " + shown(header.dtype));
    std::vector<unsigned char> item(static_cast<std::size_t>(header.item_bytes()));
    const Index promised = header.shape[0];
    const Index wanted = most > 0 ? std::min(most, promised) : promised;
    Labels labels;
    for (Index i = 0; i < wanted; ++i) {
        if (source.read(item.data(), item.size()) != item.size())
            throw InputError(
                path, 0,
                fmt::format("truncated: the header promises {} labels, the data end after {}", promised, i));
        const std::string text = item_text(item, header);
        if (!is_acceptable_label(text))
            throw InputError(path, 0,
                             fmt::format("label {} (from 0) is empty or not finite: {}", i, shown(text)));
        labels.push(text);
    }
    if (wanted == promised && !source.ended())
        throw InputError(path, 0,
                         fmt::format("more data than the {} labels that the header promises", promised));
    return labels;
}

}  // namespace

Labels read_npy_labels(ByteSource& source, Index most) {
    const NpyHeader header = read_npy_header(source);
    return is_text(header) ? read_names(source, header, most)
                           : read_numbers(source, npy_layout(source.path(), header), most);
}

Labels read_idx_labels(ByteSource& source, Index most) {
    return read_numbers(source, read_idx_header(source), most);
}

}  // namespace alfcg

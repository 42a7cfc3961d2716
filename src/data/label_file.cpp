#include "data/label_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/array_file.hpp"
#include "data/byte_source.hpp"
#include "data/idx.hpp"
#include "data/npy.hpp"
#include "data/number.hpp"
#include "data/recognize.hpp"
#include "data/text_buffer.hpp"

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

Labels read_lines(ByteSource& source, Index most) {
    TextBuffer text(source);
    text.sample();
    Labels labels;
    Index line = 0;
    Index blank_line = 0;  // one that nothing followed yet
    parse_chunks(text, [&](std::string_view piece, bool complete, bool& stop) {
        std::size_t used = 0;
        while (used < piece.size() && !stop) {
            const std::size_t end = piece.find('\n', used);
            if (end == std::string_view::npos && !complete) break;
            const std::string_view token =
                trimmed(piece.substr(used, end == std::string_view::npos ? end : end - used));
            used = end == std::string_view::npos ? piece.size() : end + 1;
            ++line;
            if (token.empty()) {
                if (blank_line == 0) blank_line = line;
                continue;
            }
            // Skipping a blank line between labels would silently shift the rest.
            if (blank_line > 0)
                throw InputError(source.path(), blank_line, "a blank line where a label should be");
            if (!is_acceptable_label(token))
                throw InputError(source.path(), line, "label " + shown(token) + " is not a finite number");
            labels.push(token);
            stop = labels.size() == most;
        }
        return used;
    });
    return labels;
}

Labels read_labels(ByteSource& source, Index most) {
    switch (recognize_binary(source)) {
        case Format::npy: {
            const NpyHeader header = read_npy_header(source);
            return is_text(header) ? read_names(source, header, most)
                                   : read_numbers(source, npy_layout(source.path(), header), most);
        }
        case Format::idx:
            return read_numbers(source, read_idx_header(source), most);
        default:
            return read_lines(source, most);
    }
}

}  // namespace

Labels read_label_file(const std::string& path, Index rows, Index most, const std::string& data) {
    ByteSource source(path);
    Labels labels = read_labels(source, most);
    if (labels.size() != rows)
        throw InputError(path, 0, fmt::format("{} labels, but {} has {} rows", labels.size(), data, rows));
    return labels;
}

}  // namespace alfcg

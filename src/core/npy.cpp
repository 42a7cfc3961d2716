#include "core/npy.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "alfcg/core/error.hpp"

namespace alfcg {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;  // entries start at a multiple of this

/// The header is a Python dictionary literal with three keys; this reads that much of Python and no more.
class DictionaryParser {
  public:
    DictionaryParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    NpyHeader parse() {
        NpyHeader header;
        bool has_dtype = false;
        bool has_order = false;
        bool has_shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr" && !has_dtype) {
                header.dtype = dtype();
                has_dtype = true;
            } else if (key == "fortran_order" && !has_order) {
                header.fortran_order = boolean();
                has_order = true;
            } else if (key == "shape" && !has_shape) {
                header.shape = tuple();
                has_shape = true;
            } else {
                fail("unexpected key in the NPY header");
            }
            if (accept('}')) break;
            expect(',');
        }
        skip_space();
        if (position_ != text_.size()) fail("unexpected text after the NPY header");
        if (!has_dtype || !has_order || !has_shape)
            fail("the NPY header lacks one of descr, fortran_order and shape");
        return header;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw InputError(file_, 0, what); }

    void skip_space() {
        while (position_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
            ++position_;
    }
    bool accept(char wanted) {
        skip_space();
        if (position_ == text_.size() || text_[position_] != wanted) return false;
        ++position_;
        return true;
    }
    void expect(char wanted) {
        if (!accept(wanted)) fail(std::string("damaged NPY header, expected '") + wanted + "'");
    }
    std::string quoted() {
        skip_space();
        if (position_ == text_.size() || (text_[position_] != '\'' && text_[position_] != '"'))
            fail("damaged NPY header, expected a quoted word");
        const std::size_t end = text_.find(text_[position_], position_ + 1);
        if (end == std::string_view::npos) fail("damaged NPY header, a quote is not closed");
        std::string word(text_.substr(position_ + 1, end - position_ - 1));
        position_ = end + 1;
        return word;
    }
    std::string dtype() {
        skip_space();
        if (position_ < text_.size() && text_[position_] == '[')
            fail("a structured NPY array; expected plain numbers or text");
        std::string word = quoted();
        // Byte order, kind, size: objects ("|O") would need pickle and are refused here.
        const bool plain = word.size() >= 3 &&
                           std::string_view("<>|=").find(word[0]) != std::string_view::npos &&
                           std::string_view("biufcSUmMV").find(word[1]) != std::string_view::npos;
        if (!plain) fail("NPY entries are not plain numbers or text");
        return word;
    }
    bool boolean() {
        skip_space();
        for (const std::string_view word : {"True", "False"}) {
            if (text_.substr(position_, word.size()) != word) continue;
            position_ += word.size();
            return word == "True";
        }
        fail("damaged NPY header, expected True or False");
    }
    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> sizes;
        std::int64_t entries = 1;
        expect('(');
        while (!accept(')')) {
            std::int64_t size = 0;
            skip_space();
            const char* first = text_.data() + position_;
            const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), size);
            if (problem != std::errc() || size < 0)
                fail("damaged NPY header, the shape is not made of sizes");
            position_ += static_cast<std::size_t>(end - first);
            accept('L');  // Python 2 wrote long integers so
            if (size > 0 && entries > std::numeric_limits<std::int64_t>::max() / size)
                fail("the NPY array's shape is too large");
            entries *= std::max<std::int64_t>(size, 1);
            sizes.push_back(size);
            if (accept(')')) break;
            expect(',');
        }
        return sizes;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t position_ = 0;
};

}  // namespace

std::int64_t NpyHeader::entries() const {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) product *= size;
    return product;
}

std::int64_t NpyHeader::item_bytes() const {
    if (dtype.size() < 3) return 0;
    std::int64_t size = 0;
    const char* end = dtype.data() + dtype.size();
    const auto [stop, problem] = std::from_chars(dtype.data() + 2, end, size);
    if (problem != std::errc() || stop != end || size < 0 || size > std::numeric_limits<std::int32_t>::max())
        return 0;
    return dtype[1] == 'U' ? 4 * size : size;
}

NpyHeader parse_npy_header(std::span<const unsigned char> first_bytes, const std::string& file) {
    const std::string_view text(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
    if (!text.starts_with(magic)) throw InputError(file, 0, "not an NPY array");
    const auto byte = [&](std::size_t i) -> std::size_t { return first_bytes[i]; };
    const std::size_t start = magic.size() + 2;
    if (text.size() < start + 4) throw InputError(file, 0, "the NPY header is cut short");
    const std::size_t version = byte(magic.size());
    if (version < 1 || version > 3)
        throw InputError(file, 0, "NPY format version " + std::to_string(version) + "; expected 1, 2 or 3");
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(start + i) << (8 * i);
    if (length > text.size() - start - length_bytes) throw InputError(file, 0, "the NPY header is cut short");
    NpyHeader header = DictionaryParser(text.substr(start + length_bytes, length), file).parse();
    header.header_bytes = start + length_bytes + length;
    return header;
}

std::string encode_npy_header(const NpyHeader& header, std::size_t least) {
    std::string shape = "(";
    for (const std::int64_t size : header.shape) shape += std::to_string(size) + ", ";
    if (header.shape.size() > 1) shape.resize(shape.size() - 2);
    if (header.shape.size() == 1) shape.resize(shape.size() - 1);  // "(3,)": the comma makes it a tuple
    const std::string dictionary = "{'descr': '" + header.dtype +
                                   "', 'fortran_order': " + (header.fortran_order ? "True" : "False") +
                                   ", 'shape': " + shape + "), }";
    std::size_t length_bytes = 2;
    std::size_t total = 0;
    for (;;) {
        const std::size_t used = std::max(magic.size() + 2 + length_bytes + dictionary.size() + 1, least);
        total = (used + alignment - 1) / alignment * alignment;
        if (length_bytes == 4 || total - magic.size() - 2 - length_bytes <= 0xFFFF) break;
        length_bytes = 4;
    }
    std::string bytes(magic);
    bytes += length_bytes == 2 ? '\1' : '\2';
    bytes += '\0';
    const std::size_t length = total - magic.size() - 2 - length_bytes;
    for (std::size_t i = 0; i < length_bytes; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xFFU);
    bytes += dictionary;
    bytes.resize(total - 1, ' ');
    bytes += '\n';
    return bytes;
}

}  // namespace alfcg

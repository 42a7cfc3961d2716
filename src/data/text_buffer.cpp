#include "data/text_buffer.hpp"

#include <algorithm>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {
constexpr std::size_t window_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{1} << 30;
}  // namespace

TextBuffer::TextBuffer(ByteSource& source) : source_(source), bytes_(window_bytes) {
    more();
    if (text().starts_with("\xef\xbb\xbf")) consume(3);
}

bool TextBuffer::more() {
    if (ended_) return false;
    if (first_ > 0) {
        std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(first_),
                  bytes_.begin() + static_cast<std::ptrdiff_t>(last_), bytes_.begin());
        last_ -= first_;
        first_ = 0;
    }
    if (last_ == bytes_.size()) {
        if (bytes_.size() >= longest_line)
            throw InputError(path(), 0,
                             "a line of more than a gibibyte: not a text file, or a quote that never ends");
        bytes_.resize(2 * bytes_.size());
    }
    const std::size_t wanted = bytes_.size() - last_;
    const std::size_t got = source_.read(bytes_.data() + last_, wanted);
    last_ += got;
    ended_ = got < wanted;
    return got > 0;
}

std::string_view TextBuffer::sample() {
    constexpr std::ptrdiff_t enough_lines = 2;
    while (std::count(text().begin(), text().end(), '\n') < enough_lines && more()) {
    }
    const std::string_view bytes = text();
    if (bytes.find('\0') != std::string_view::npos)
        throw InputError(path(), 0,
                         "binary data, but neither NPY nor IDX; LIBSVM, CSV, NPY or IDX is needed");
    return bytes;
}

}  // namespace alfcg

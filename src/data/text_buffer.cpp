#include "data/text_buffer.hpp"

#include <algorithm>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "data/formats.hpp"

namespace alfcg {

namespace {
constexpr std::size_t window_bytes = std::size_t{1} << 20;
// Small enough that a piece and what is parsed from it stay in a core's cache.
constexpr std::size_t piece_bytes = std::size_t{1} << 18;
constexpr std::size_t longest_line = std::size_t{1} << 30;
}  // namespace

TextBuffer::TextBuffer(ByteSource& source, const TextSizes& sizes) : source_(source), sizes_(sizes) {
    if (sizes_.window == 0) sizes_.window = window_bytes;
    // Archives go on a window at a time: one is being decompressed while the one before is parsed.
    if (sizes_.piece == 0) sizes_.piece = source.compressed() ? sizes_.window : piece_bytes;
    bytes_.resize(sizes_.window);
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    while (text().size() < byte_order_mark.size() && more()) {
    }
    if (text().starts_with(byte_order_mark)) consume(byte_order_mark.size());
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
    read_ += static_cast<long long>(got);
    ended_ = got < wanted;
    return got > 0;
}

void TextBuffer::take(std::size_t n, TextPiece& piece) {
    const std::size_t rest = last_ - first_ - n;
    const std::size_t wanted = std::max(sizes_.window, std::min(n, rest));
    if (piece.bytes.size() != wanted) piece.bytes = std::vector<char>(wanted);
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto cut = from + static_cast<std::ptrdiff_t>(n);
    piece.size = n;
    if (n <= rest) {
        std::copy(from, cut, piece.bytes.begin());
        piece.first = 0;
        first_ += n;
        return;
    }
    // The window itself is handed over, and the shorter rest moves.
    std::copy(cut, bytes_.begin() + static_cast<std::ptrdiff_t>(last_), piece.bytes.begin());
    piece.bytes.swap(bytes_);
    piece.first = first_;
    first_ = 0;
    last_ = rest;
}

TextShare TextBuffer::share(int part, int parts) const {
    const long long first = read_ - static_cast<long long>(text().size());
    const long long size = source_.plain_size();
    const auto start_of = [&](int number) {
        if (number == 0) return first;
        if (number == parts) return size;
        const auto [begin, end] = range_of_part(size - first, number, parts);
        return std::max(first, source_.raw().line_start(first + begin));
    };
    return {start_of(part), start_of(part + 1)};
}

void TextBuffer::keep(const TextShare& share) {
    source_.jump(share.begin, share.end);
    first_ = last_ = 0;
    ended_ = false;
    read_ = share.begin;
}

std::string_view TextBuffer::sample() {
    constexpr std::ptrdiff_t enough_lines = 2;
    while (std::count(text().begin(), text().end(), '\n') < enough_lines && more()) {
    }
    const std::string_view bytes = text();
    if (bytes.find('\0') != std::string_view::npos) refuse_bytes(path());
    return bytes;
}

}  // namespace alfcg

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "data/byte_source.hpp"

namespace alfcg {

/// Sizes in bytes; results never depend on them. The window is longer only where a single line is, and what
/// is taken out of it at once too. 0: the default for the kind of file.
struct TextSizes {
    std::size_t window = 0;
    std::size_t piece = 0;
};

/// Some whole records, taken out of a text.
struct TextPiece {
    std::vector<char> bytes;
    std::size_t first = 0;
    std::size_t size = 0;

    [[nodiscard]] std::string_view text() const { return {bytes.data() + first, size}; }
};

/// Whole lines of a file: bytes `begin` to `end`.
struct TextShare {
    long long begin = 0;
    long long end = 0;
};

/// A window over a text: parsers work on the bytes in memory, use up whole lines or records, and ask for
/// more.
class TextBuffer {
  public:
    /// Skips a byte order mark.
    explicit TextBuffer(ByteSource& source, const TextSizes& sizes = {});

    [[nodiscard]] const std::string& path() const { return source_.path(); }
    [[nodiscard]] const ByteSource& source() const { return source_; }
    [[nodiscard]] const TextSizes& sizes() const { return sizes_; }
    /// Bytes read and not yet used.
    [[nodiscard]] std::string_view text() const { return {bytes_.data() + first_, last_ - first_}; }
    void consume(std::size_t n) { first_ += n; }
    /// Uses up the first n bytes of text() into `piece`, whose memory is used again.
    void take(std::size_t n, TextPiece& piece);
    /// Reads more bytes behind text(); false when there are none.
    bool more();
    /// Whether text() is all that is left.
    [[nodiscard]] bool complete() const { return ended_; }
    /// The beginning of the text, enough of it to recognise its layout: some tens of lines, or all there is.
    /// Throws InputError when it is not text.
    std::string_view sample();

    /// Of what follows in an uncompressed regular file, the lines that fall to one of so many parts.
    [[nodiscard]] TextShare share(int part, int parts) const;
    /// Goes on with these lines, and ends after them.
    void keep(const TextShare& share);

  private:
    ByteSource& source_;
    TextSizes sizes_;
    std::vector<char> bytes_;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    bool ended_ = false;
    long long read_ = 0;  // bytes of the source
};

/// Runs parse(text, complete) over the whole text. It uses up whole records from the front of `text`, and the
/// rest too when `complete`; it returns how many bytes that were, and sets `stop` to end early.
template <class Parse>
void parse_chunks(TextBuffer& text, const Parse& parse) {
    bool stop = false;
    while (true) {
        const bool last = text.complete();
        text.consume(parse(text.text(), last, stop));
        if (stop || last) return;
        text.more();
    }
}

inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Calls take(number, line) for the lines of a text, counted from 1 and without blanks at their ends, until it returns
/// false.
template <class Take>
void for_each_line(TextBuffer& text, const Take& take) {
    Index line = 0;
    parse_chunks(text, [&](std::string_view piece, bool complete, bool& stop) {
        std::size_t used = 0;
        while (used < piece.size() && !stop) {
            const std::size_t end = piece.find('\n', used);
            if (end == std::string_view::npos && !complete) break;
            const std::size_t last = std::min(end, piece.size());
            stop = !take(++line, trimmed(piece.substr(used, last - used)));
            used = end == std::string_view::npos ? last : last + 1;
        }
        return used;
    });
}

}  // namespace alfcg

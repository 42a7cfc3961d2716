#include "model/code_points.hpp"

#include <cstddef>

namespace alfcg {
namespace {

constexpr char32_t escape = 0xDC00;  // U+DC80 + k stands for the byte 0x80 + k

bool is_surrogate(char32_t point) {
    return point >= 0xD800 && point <= 0xDFFF;
}

std::size_t utf8_length(char32_t point) {
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

struct Decoded {
    char32_t point = 0;
    std::size_t length = 0;  // 0: no valid sequence starts here
};

Decoded decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
    if (length == 0 || length > text.size()) return {};
    char32_t point = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return {};
        point = (point << 6U) | (byte(i) & 0x3FU);
    }
    // Longer than needed, a surrogate, or beyond Unicode: not UTF-8.
    if (utf8_length(point) != length || is_surrogate(point) || point > 0x10FFFF) return {};
    return {point, length};
}

void append_utf8(char32_t point, std::string& text) {
    const std::size_t length = utf8_length(point);
    if (length == 1) {
        text += static_cast<char>(point);
        return;
    }
    const std::size_t first = text.size();
    text.resize(first + length);
    for (std::size_t i = length - 1; i > 0; --i, point >>= 6U)
        text[first + i] = static_cast<char>(0x80U | (point & 0x3FU));
    text[first] = static_cast<char>((0xF00U >> length & 0xFFU) | point);
}

}  // namespace

std::u32string to_code_points(std::string_view text) {
    std::u32string points;
    while (!text.empty()) {
        const Decoded next = decode(text);
        points += next.length > 0 ? next.point : escape + static_cast<unsigned char>(text[0]);
        text.remove_prefix(next.length > 0 ? next.length : 1);
    }
    return points;
}

std::optional<std::string> to_bytes(std::u32string_view code_points) {
    std::string text;
    for (const char32_t point : code_points) {
        if (point >= escape + 0x80 && point <= escape + 0xFF)
            text += static_cast<char>(point - escape);
        else if (is_surrogate(point) || point > 0x10FFFF)
            return std::nullopt;
        else
            append_utf8(point, text);
    }
    return text;
}

}  // namespace alfcg

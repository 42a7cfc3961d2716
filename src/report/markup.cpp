#include "report/markup.hpp"

#include <cstddef>

namespace alfcg {

namespace {

/// The length of the UTF-8 sequence at the start of text; 0 when it is not well formed (RFC 3629, table 3-7).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t place) {
        return place < text.size() ? static_cast<unsigned char>(text[place]) : 0U;
    };
    const auto follows = [&](std::size_t place) { return (byte(place) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    const unsigned second = byte(1);
    if (first < 0x80U) return 1;
    if (first >= 0xC2U && first <= 0xDFU) return follows(1) ? 2 : 0;
    if (first >= 0xE0U && first <= 0xEFU) {
        if (first == 0xE0U && second < 0xA0U) return 0;
        if (first == 0xEDU && second > 0x9FU) return 0;
        return follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        if (first == 0xF0U && second < 0x90U) return 0;
        if (first == 0xF4U && second > 0x8FU) return 0;
        return follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

/// Not so: control characters and the two code points at the end of the first plane.
bool allowed_in_xml(std::string_view letter) {
    if (letter == "\xEF\xBF\xBE" || letter == "\xEF\xBF\xBF") return false;
    return static_cast<unsigned char>(letter[0]) >= 0x20U || letter == "\t" || letter == "\n" ||
           letter == "\r";
}

}  // namespace

std::string escape_markup(std::string_view text) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::string result;
    result.reserve(text.size());
    for (std::size_t place = 0; place < text.size();) {
        const std::size_t length = sequence_length(text.substr(place));
        const std::string_view letter = text.substr(place, length);
        place += length == 0 ? 1 : length;
        if (length == 0 || !allowed_in_xml(letter)) {
            result += replacement;
        } else if (letter == "&") {
            result += "&amp;";
        } else if (letter == "<") {
            result += "&lt;";
        } else if (letter == ">") {
            result += "&gt;";
        } else if (letter == "\"") {
            result += "&quot;";
        } else if (letter == "'") {
            result += "&#39;";
        } else {
            result += letter;
        }
    }
    return result;
}

}  // namespace alfcg

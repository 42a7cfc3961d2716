#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/byte_source.hpp"
#include "data/number.hpp"
#include "data/text_buffer.hpp"

namespace alfcg::region {

/// Fields of a line, between blanks, tabs, commas or semicolons.
inline std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    const auto separates = [](char c) { return is_blank(c) || c == ',' || c == ';'; };
    while (!line.empty()) {
        const auto length =
            static_cast<std::size_t>(std::find_if(line.begin(), line.end(), separates) - line.begin());
        if (length > 0) fields.push_back(line.substr(0, length));
        line.remove_prefix(std::min(length + 1, line.size()));
    }
    return fields;
}

/// Calls take(line, fields) for every line of a text file, but for empty ones and those that begin with # or %.
template <class Take>
void for_each_record(ByteSource& source, const Take& take) {
    TextBuffer text(source);
    static_cast<void>(text.sample());  // throws where it is no text
    for_each_line(text, [&](Index line, std::string_view content) {
        if (!content.empty() && content.front() != '#' && content.front() != '%')
            take(line, fields_of(content));
        return true;
    });
}

inline double number_of(const std::string& path, Index line, std::string_view field) {
    double number = 0;
    const NumberStatus status = parse_number(field, number);
    if (status != NumberStatus::ok) throw InputError(path, line, number_problem<double>(field, status));
    return number;
}

}  // namespace alfcg::region

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

/// Blanks around a field, which are not part of it.
inline bool is_padding(char c, char separator) {
    return is_blank(c) && (c != separator || separator == ' ');
}

inline bool ends_field(char c, char separator) {
    return c == separator || c == '\n' || (separator == ' ' && c == '\t');
}

/// One field of a record: its text without surrounding blanks and quotes.
struct CsvField {
    std::string_view text;
    bool doubled_quotes = false;  // "" inside stands for one quote

    [[nodiscard]] std::string unquoted() const;
};

struct CsvSplit {
    const char* next =
        nullptr;      // where the following record begins; null: the record does not end in this text
    Index lines = 0;  // line ends passed
    const char* problem = nullptr;  // what is wrong with the record, if anything
};

/// Splits the record that begins at `first`. A quoted field may contain separators and line ends. With ' ' as
/// the separator any run of blanks separates. `complete` says that no text follows `last`.
CsvSplit split_record(const char* first, const char* last, bool complete, char separator,
                      std::vector<CsvField>& fields);

/// Bytes of whole records at the front of `text`, about `most` of them, or more when the first record is
/// longer; 0 when that does not end in the text.
std::size_t whole_records(std::string_view text, char separator, std::size_t most);

/// Passes over blank lines; returns where the next record begins, or the begin of an unfinished line, or
/// `last`.
const char* skip_blank_lines(const char* first, const char* last, bool complete, char separator,
                             Index& lines);

}  // namespace alfcg

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

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

/// Passes over blank lines; returns where the next record begins, or the begin of an unfinished line, or
/// `last`.
const char* skip_blank_lines(const char* first, const char* last, bool complete, char separator,
                             Index& lines);

}  // namespace alfcg

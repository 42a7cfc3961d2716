#include "data/csv_record.hpp"

#include <algorithm>
#include <cstring>

#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

bool is_padding(char c, char separator) {
    return is_blank(c) && (c != separator || separator == ' ');
}

bool ends_field(char c, char separator) {
    return c == separator || c == '\n' || (separator == ' ' && c == '\t');
}

// The quote that closes the field which begins at `p`, behind the opening one; null when it is not in the
// text.
const char* closing_quote(const char* p, const char* last, bool complete, bool& doubled) {
    while (true) {
        p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(last - p)));
        if (p == nullptr) return nullptr;
        if (p + 1 == last) return complete ? p : nullptr;
        if (p[1] != '"') return p;
        doubled = true;
        p += 2;
    }
}

}  // namespace

std::string CsvField::unquoted() const {
    std::string result(text);
    if (!doubled_quotes) return result;
    for (std::size_t at = result.find("\"\""); at != std::string::npos; at = result.find("\"\"", at + 1))
        result.erase(at, 1);
    return result;
}

CsvSplit split_record(const char* first, const char* last, bool complete, char separator,
                      std::vector<CsvField>& fields) {
    fields.clear();
    CsvSplit result;
    const CsvSplit unfinished;
    const char* p = first;
    while (true) {
        while (p != last && is_padding(*p, separator)) ++p;
        if (p != last && *p == '"') {
            CsvField field;
            const char* const begin = p + 1;
            const char* const end = closing_quote(begin, last, complete, field.doubled_quotes);
            if (end == nullptr) {
                if (!complete) return unfinished;
                result.problem = "a quote that is never closed";
                result.next = last;
                return result;
            }
            field.text = {begin, static_cast<std::size_t>(end - begin)};
            result.lines += std::count(begin, end, '\n');
            fields.push_back(field);
            p = end + 1;
            if (p != last && !is_blank(*p) && !ends_field(*p, separator))
                result.problem = "text behind a closing quote";
            while (p != last && is_padding(*p, separator)) ++p;
            if (separator != ' ' && p != last && !ends_field(*p, separator))
                result.problem = "text behind a closing quote";
            if (result.problem != nullptr)
                while (p != last && *p != '\n') ++p;
        } else {
            const char* const begin = p;
            while (p != last && !ends_field(*p, separator)) ++p;
            // A run of blanks at the end of a line separates nothing from nothing.
            if (separator != ' ' || p != begin || fields.empty())
                fields.push_back({trimmed({begin, static_cast<std::size_t>(p - begin)}), false});
        }
        if (p == last) {
            if (!complete) return unfinished;
            result.next = last;
            return result;
        }
        if (*p == '\n') {
            ++result.lines;
            result.next = p + 1;
            return result;
        }
        if (*p == separator || is_blank(*p)) ++p;
    }
}

const char* skip_blank_lines(const char* first, const char* last, bool complete, char separator,
                             Index& lines) {
    const char* line = first;
    for (const char* p = first;; ++p) {
        while (p != last && is_padding(*p, separator)) ++p;
        if (p == last) return complete ? last : line;
        if (*p != '\n') return line;
        ++lines;
        line = p + 1;
    }
}

}  // namespace alfcg

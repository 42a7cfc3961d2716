#include "data/csv_record.hpp"

#include <algorithm>
#include <cstring>

namespace alfcg {

namespace {

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

// Calls take(field) for each field of the record.
template <class Take>
CsvSplit walk_record(const char* first, const char* last, bool complete, char separator, const Take& take) {
    CsvSplit result;
    bool empty = true;  // no field yet
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
            take(field);
            empty = false;
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
            if (separator != ' ' || p != begin || empty)
                take(CsvField{trimmed({begin, static_cast<std::size_t>(p - begin)}), false});
            empty = false;
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
    return walk_record(first, last, complete, separator,
                       [&fields](const CsvField& field) { fields.push_back(field); });
}

std::size_t whole_records(std::string_view text, char separator, std::size_t most) {
    const char* const first = text.data();
    const char* const last = first + text.size();
    const std::size_t enough = std::min(most, text.size());
    std::size_t used = 0;
    while (used < enough) {
        // Up to the first quote every line end is the end of a record.
        const auto* quote = static_cast<const char*>(std::memchr(first + used, '"', enough - used));
        const std::string_view plain = text.substr(
            used, quote == nullptr ? enough - used : static_cast<std::size_t>(quote - first) - used);
        const std::size_t end = plain.rfind('\n');
        if (end != std::string_view::npos) used += end + 1;
        if (quote == nullptr && used > 0) break;
        const CsvSplit record = walk_record(first + used, last, false, separator, [](const CsvField&) {});
        if (record.next == nullptr) break;
        used = static_cast<std::size_t>(record.next - first);
    }
    return used;
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

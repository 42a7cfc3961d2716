#include "data/libsvm_likeness.hpp"

#include "data/plain_number.hpp"
#include "data/text_buffer.hpp"

namespace alfcg {

namespace {

// A whole number, a colon, and no separator of a table: also what is wrong in detail (index 0, a value that
// is no number) should be reported as a bad pair.
bool is_pair(std::string_view token) {
    if (!token.empty() && (token.front() == '-' || token.front() == '+')) token.remove_prefix(1);
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    for (const char c : token.substr(0, colon))
        if (!is_digit(c)) return false;
    return token.find_first_of(",;|") == std::string_view::npos;
}

enum class Likeness { pairs, table, neither };

Likeness judge(std::string_view line) {
    int tokens = 0;
    int pairs = 0;
    bool first_is_pair = false;
    while (true) {
        line = trimmed(line);
        if (line.empty()) break;
        std::size_t length = 0;
        while (length < line.size() && !is_blank(line[length])) ++length;
        const bool pair = is_pair(line.substr(0, length));
        if (tokens == 0) first_is_pair = pair;
        if (tokens > 0 && pair) ++pairs;
        ++tokens;
        line.remove_prefix(length);
    }
    if (tokens == 0 || (tokens == 1 && !first_is_pair)) return Likeness::neither;
    if (tokens == 1) return Likeness::pairs;
    return 2 * pairs >= tokens - 1 ? Likeness::pairs : Likeness::table;
}

}  // namespace

bool looks_like_libsvm(std::string_view sample) {
    // A line with a label only says nothing; the first one that says something decides.
    constexpr int enough_lines = 1000;
    for (int i = 0; i < enough_lines && !sample.empty(); ++i) {
        const std::size_t end = sample.find('\n');
        std::string_view line = sample.substr(0, end);
        line = line.substr(0, line.find('#'));
        const Likeness likeness = judge(line);
        if (likeness != Likeness::neither) return likeness == Likeness::pairs;
        if (end == std::string_view::npos) break;
        sample.remove_prefix(end + 1);
    }
    return false;
}

}  // namespace alfcg

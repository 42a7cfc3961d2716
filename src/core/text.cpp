#include "alfcg/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace alfcg {

namespace {

// Case and kind of dash are not what tells names apart.
std::string plain(std::string_view name) {
    std::string text(name);
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (c == '_') c = '-';
    }
    return text;
}

// Letters to leave out, put in, replace, or swap with the next, to get from one word to the other.
std::size_t slips(const std::string& from, const std::string& to) {
    std::vector<std::size_t> two_before;
    std::vector<std::size_t> before;
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        two_before = std::exchange(before, row);
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = before[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            row[j] = std::min({before[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                row[j] = std::min(row[j], two_before[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string format_number(double number) {
    return fmt::format("{}", number);
}

std::string listed(const std::vector<std::string>& items, std::string_view word) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 < items.size() ? ", " : fmt::format(" {} ", word);
        text += items[i];
    }
    return text;
}

std::string suggestion(std::string_view given, const std::vector<std::string>& names,
                       std::string_view before) {
    const std::string typed = plain(given);
    const std::size_t length = typed.size();
    const std::string* best = nullptr;
    // In a short word, one letter makes another word: l3 is no slip for l1.
    std::size_t least = (length < 3 ? 0 : length < 6 ? 1 : length / 3) + 1;
    for (const std::string& name : names) {
        const std::size_t count = slips(typed, plain(name));
        if (count >= least) continue;
        least = count;
        best = &name;
    }
    for (const std::string& name : names)
        if (best == nullptr && length > 2 && plain(name).find(typed) != std::string::npos) best = &name;
    return best == nullptr ? std::string() : fmt::format("; did you mean {}{}?", before, *best);
}

}  // namespace alfcg

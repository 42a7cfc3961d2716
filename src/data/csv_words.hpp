#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "alfcg/core/text.hpp"
#include "data/number.hpp"

namespace alfcg {

/// A column of words: for every row the number of its word, in order of appearance.
struct CsvWords {
    static constexpr std::int32_t none = -1;  // in place of a number: the word is missing

    std::vector<std::int32_t> codes;
    std::vector<std::string> words;
    std::unordered_map<std::string, std::int32_t> lookup;

    /// A number among words is the same word however it is written ("7", "7.0").
    void push(std::string_view token) {
        if (is_missing(token)) {
            codes.push_back(none);
            return;
        }
        double number = 0;
        const bool numeric = parse_number(token, number) == NumberStatus::ok;
        push_word(numeric ? format_number(number) : std::string(token));
    }
    void push_word(std::string word) {
        const auto [found, added] =
            lookup.try_emplace(std::move(word), static_cast<std::int32_t>(words.size()));
        if (added) words.push_back(found->first);
        codes.push_back(found->second);
    }
};

}  // namespace alfcg

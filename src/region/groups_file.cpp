#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/region/groups.hpp"

namespace alfcg {
namespace {

/// The words of a line: separated by blanks or commas, or in quotes, where "" stands for a quote.
std::vector<std::string> group_words(const std::string& file, Index number, std::string_view line) {
    constexpr std::string_view separators = " \t\r,";
    std::vector<std::string> words;
    std::size_t k = 0;
    while ((k = line.find_first_not_of(separators, k)) != std::string_view::npos) {
        if (line[k] != '"') {
            const std::size_t end = std::min(line.find_first_of(separators, k), line.size());
            words.emplace_back(line.substr(k, end - k));
            k = end;
            continue;
        }
        std::string& word = words.emplace_back();
        for (++k;; ++k) {
            if (k >= line.size()) throw InputError(file, number, "a name begins with \" and does not end");
            if (line[k] == '"' && line.substr(k + 1, 1) != "\"") break;
            if (line[k] == '"') ++k;
            word += line[k];
        }
        ++k;
    }
    return words;
}

std::optional<Index> feature_number(std::string_view text) {
    Index number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

/// Names of features to their numbers, and of columns of words to those of their features.
class FeatureNames {
  public:
    explicit FeatureNames(const std::vector<std::string>& names) : names_(names) {
        for (std::size_t j = 0; j < names.size(); ++j) {
            known_.emplace(names[j], std::vector<Index>{static_cast<Index>(j)});
            if (const auto equals = names[j].find('='); equals != std::string::npos)
                columns_[names[j].substr(0, equals)].push_back(static_cast<Index>(j));
        }
    }

    /// Appends the features that a word stands for.
    void add(const std::string& file, Index line, const std::string& word, std::vector<Index>& group) const {
        for (const auto* table : {&known_, &columns_})
            if (const auto found = table->find(word); found != table->end()) {
                group.insert(group.end(), found->second.begin(), found->second.end());
                return;
            }
        const std::size_t dash = word.find('-', 1);
        const auto first = feature_number(std::string_view(word).substr(0, dash));
        const auto last = dash == std::string::npos ? first : feature_number(word.substr(dash + 1));
        if (!first || !last || *last < *first || *last - *first > most_in_a_range)
            throw InputError(
                file, line,
                fmt::format("'{}' is no feature: it must be {}a number from 0, or a range like 3-7{}", word,
                            names_.empty() ? "" : "a name, ", suggestion(word, names_)));
        for (Index j = *first; j <= *last; ++j) group.push_back(j);
    }

  private:
    static constexpr Index most_in_a_range = 100'000'000;

    const std::vector<std::string>& names_;
    std::unordered_map<std::string, std::vector<Index>> known_;
    std::unordered_map<std::string, std::vector<Index>> columns_;
};

}  // namespace

Groups read_groups(const std::string& file, const std::vector<std::string>& features) {
    std::ifstream input(file);
    if (!input) throw InputError(file, 0, "cannot be read: groups come from a file with a line for each");
    Groups groups;
    groups.kind = Groups::Kind::listed;
    groups.file = file;
    const FeatureNames names(features);
    std::string line;
    for (Index number = 1; std::getline(input, line); ++number) {
        const auto words = group_words(file, number, line);
        if (words.empty()) continue;
        auto& group = groups.listed.emplace_back();
        groups.lines.push_back(number);
        for (const std::string& word : words) names.add(file, number, word, group);
    }
    if (groups.listed.empty()) throw InputError(file, 0, "has no groups; it needs a line for each");
    return groups;
}

}  // namespace alfcg

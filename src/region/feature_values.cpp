#include "region/feature_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg::region {
namespace {

// Positions beyond are mistakes: no data have as many features.
constexpr Index most_features = Index{1} << 32;

std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// The name in the first cell, without the quotes that CSV may have around it.
std::string unquoted(std::string_view cell) {
    if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(cell);
    std::string name;
    for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
        name += cell[i];
        if (cell[i] == '"' && cell[i + 1] == '"') ++i;
    }
    return name;
}

// Where the values of a file belong.
class Places {
  public:
    explicit Places(const std::vector<std::string>& features) {
        for (std::size_t j = 0; j < features.size(); ++j)
            positions_.emplace(features[j], static_cast<Index>(j));
    }

    [[nodiscard]] Index find(const std::string& path, Index line, const std::string& name) const {
        if (!positions_.empty()) {
            const auto found = positions_.find(name);
            if (found != positions_.end()) return found->second;
            throw InputError(path, line, fmt::format("there is no feature '{}' in the data", name));
        }
        const auto position = number_in<Index>(name);
        if (!position || *position < 0 || *position >= most_features)
            throw InputError(
                path, line,
                fmt::format("'{}' must be the position of a feature from 0: the data have no names", name));
        return *position;
    }

  private:
    std::unordered_map<std::string, Index> positions_;
};

}  // namespace

FeatureValues::FeatureValues(std::vector<double> each, double all)
    : rest_(all), each_(std::move(each)), all_listed_(!each_.empty()) {}

FeatureValues::FeatureValues(const Parameters& given, std::string_view name,
                             const std::vector<std::string>& features, double rest)
    : rest_(rest) {
    if (const auto number = given.number(name)) {
        rest_ = *number;
        return;
    }
    const std::string path = given.word(name).value_or("");
    if (path.empty()) return;
    std::ifstream file(path);
    if (!file) throw InputError(path, 0, "cannot be opened");
    const Places places(features);
    Index line = 0;
    for (std::string content; std::getline(file, content);) {
        ++line;
        const std::string_view text = trimmed(content);
        if (text.empty()) continue;
        const std::size_t comma = text.rfind(',');
        if (comma == std::string_view::npos)
            throw InputError(path, line, fmt::format("must be NAME,VALUE, not '{}'", text));
        const auto value = number_in<double>(trimmed(text.substr(comma + 1)));
        if (!value && line == 1) continue;
        if (!value || std::isnan(*value))
            throw InputError(path, line,
                             fmt::format("'{}' is not a number", trimmed(text.substr(comma + 1))));
        const std::string feature = unquoted(trimmed(text.substr(0, comma)));
        if (feature == "*") {
            rest_ = *value;
            continue;
        }
        const auto at = static_cast<std::size_t>(places.find(path, line, feature));
        if (at >= each_.size()) each_.resize(at + 1, not_given);
        if (is_listed(at)) throw InputError(path, line, fmt::format("'{}' is there twice", feature));
        each_[at] = *value;
    }
    if (file.bad()) throw InputError(path, 0, "cannot be read");
}

void FeatureValues::check(std::string_view name, Index features) const {
    const Index count = std::ssize(each_);
    if (count > features || (all_listed_ && count < features))
        throw QuantityError(std::string(name),
                            fmt::format("has values for {} features, the data have {}", count, features));
    if (has_rest()) return;
    for (Index j = 0; j < features; ++j)
        if (j >= count || !is_listed(static_cast<std::size_t>(j)))
            throw QuantityError(
                std::string(name),
                fmt::format("has no value for feature {} (from 0); a line *,VALUE is for all that are not "
                            "listed",
                            j));
}

std::vector<double> FeatureValues::over(Index features) const {
    std::vector<double> values(static_cast<std::size_t>(features), rest_);
    for (std::size_t j = 0; j < std::min(values.size(), each_.size()); ++j)
        if (is_listed(j)) values[j] = each_[j];
    return values;
}

std::string FeatureValues::describe() const {
    return each_.empty() ? format_number(rest_) : "by feature";
}

bool FeatureValues::is_listed(std::size_t j) const {
    return !std::isnan(each_[j]);
}

bool FeatureValues::has_rest() const {
    return !std::isnan(rest_);
}

void FeatureValues::refuse(std::string_view name, std::string_view what, double value, Index feature) {
    throw QuantityError(std::string(name),
                        fmt::format("must be {}, not {}{}", what, value,
                                    feature < 0 ? "" : fmt::format(" (feature {}, from 0)", feature)));
}

}  // namespace alfcg::region

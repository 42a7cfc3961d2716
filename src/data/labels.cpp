#include "alfcg/data/labels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "alfcg/core/text.hpp"
#include "data/number.hpp"

namespace alfcg {

Index Labels::size() const {
    return static_cast<Index>(numeric() ? numbers_.size() : codes_.size());
}

std::int32_t Labels::code(std::string_view name) {
    const auto [entry, is_new] =
        lookup_.try_emplace(std::string(name), static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return entry->second;
}

void Labels::push(std::string_view token) {
    double number = 0;
    // A whole number that a double does not hold exactly stays text: two of them must not become one class.
    const bool digits = token.find_first_not_of("+-0123456789") == std::string_view::npos;
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (parse_number(token, number) == NumberStatus::ok && !(digits && std::abs(number) >= exact)) {
        push(number);
        return;
    }
    if (numeric()) name_numbers();
    codes_.push_back(code(token));
}

// Before the first name: the numbers become names too, in the same form that numbers after it will get.
void Labels::name_numbers() {
    if (!numeric()) return;
    for (const double earlier : numbers_) codes_.push_back(code(format_number(earlier)));
    numbers_ = {};
}

void Labels::append(const Labels& other) {
    if (other.numeric()) {
        if (numeric())
            numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
        else
            for (const double number : other.numbers_) push(number);
        return;
    }
    if (numeric()) name_numbers();
    std::vector<std::int32_t> codes;
    for (const std::string& name : other.names_) codes.push_back(code(name));
    for (const std::int32_t theirs : other.codes_) codes_.push_back(codes[static_cast<std::size_t>(theirs)]);
}

void Labels::push(double number) {
    number += 0.0;  // -0 is the label 0
    if (numeric())
        numbers_.push_back(number);
    else
        codes_.push_back(code(format_number(number)));
}

bool Labels::integers() const {
    return numeric() &&
           std::all_of(numbers_.begin(), numbers_.end(), [](double x) { return std::trunc(x) == x; });
}

std::string Labels::text(Index i) const {
    const auto row = static_cast<std::size_t>(i);
    return numeric() ? format_number(numbers_[row]) : names_[static_cast<std::size_t>(codes_[row])];
}

void Labels::keep(const std::vector<Index>& rows) {
    *this = select(rows);
}

Labels Labels::select(const std::vector<Index>& rows) const {
    Labels result;
    result.names_ = names_;
    result.lookup_ = lookup_;
    for (const Index i : rows) {
        const auto row = static_cast<std::size_t>(i);
        if (numeric())
            result.numbers_.push_back(numbers_[row]);
        else
            result.codes_.push_back(codes_[row]);
    }
    return result;
}

namespace {

// Of the labels of all ranks: names go round as texts, each with its length, numbers as they are.
Classes classes_of_all(const Classes& own, bool numeric, Ranks& ranks) {
    std::string mine;
    if (numeric) {
        mine.assign(reinterpret_cast<const char*>(own.values.data()), own.values.size() * sizeof(double));
    } else {
        for (const std::string& name : own.names) {
            const std::size_t length = name.size();
            mine.append(reinterpret_cast<const char*>(&length), sizeof length).append(name);
        }
    }
    Classes classes;
    for (const std::string& theirs : ranks.gather(mine)) {
        for (std::size_t at = 0; at < theirs.size();) {
            if (numeric) {
                double value = 0;
                std::memcpy(&value, theirs.data() + at, sizeof value);
                classes.values.push_back(value);
                at += sizeof value;
                continue;
            }
            std::size_t length = 0;
            std::memcpy(&length, theirs.data() + at, sizeof length);
            classes.names.push_back(theirs.substr(at + sizeof length, length));
            at += sizeof length + length;
        }
    }
    const auto merge = [](auto& all) {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
    };
    merge(classes.values);
    if (!numeric) merge(classes.names);
    for (const double value : classes.values) classes.names.push_back(format_number(value));
    return classes;
}

}  // namespace

Classes find_classes(const Labels& labels, Ranks* ranks) {
    if (ranks != nullptr) return classes_of_all(find_classes(labels), ranks->all(labels.numeric()), *ranks);
    Classes classes;
    if (labels.numeric()) {
        for (Index i = 0; i < labels.size(); ++i) classes.values.push_back(labels.number(i));
        std::sort(classes.values.begin(), classes.values.end());
        classes.values.erase(std::unique(classes.values.begin(), classes.values.end()), classes.values.end());
        for (const double value : classes.values) classes.names.push_back(format_number(value));
        return classes;
    }
    std::unordered_map<std::string, bool> seen;
    for (Index i = 0; i < labels.size(); ++i) seen.try_emplace(labels.text(i), true);
    for (const auto& [name, ignored] : seen) classes.names.push_back(name);
    std::sort(classes.names.begin(), classes.names.end());
    return classes;
}

std::vector<std::int32_t> Classes::encode(const Labels& labels) const {
    std::vector<std::int32_t> codes(static_cast<std::size_t>(labels.size()), -1);
    const auto fill = [&codes](const auto& positions, const auto& label) {
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (const auto found = positions.find(label(static_cast<Index>(i))); found != positions.end())
                codes[i] = found->second;
    };
    if (numeric() && labels.numeric()) {
        std::unordered_map<double, std::int32_t> positions;
        for (std::size_t k = 0; k < values.size(); ++k)
            positions.try_emplace(values[k], static_cast<std::int32_t>(k));
        fill(positions, [&](Index i) { return labels.number(i); });
    } else {
        // Numbers among names are written in one way only, so that comparing texts compares labels.
        std::unordered_map<std::string, std::int32_t> positions;
        for (std::size_t k = 0; k < names.size(); ++k)
            positions.try_emplace(names[k], static_cast<std::int32_t>(k));
        fill(positions, [&](Index i) { return labels.text(i); });
    }
    return codes;
}

}  // namespace alfcg

#include "alfcg/core/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg {

namespace {

bool is_word_of(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.find('|'), words.size());
        if (words.substr(0, end) == word) return true;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

// "auto, probe or a number": what may be given.
std::string choices(const ParameterInfo& info) {
    std::string text(info.words);
    for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|'))
        text.replace(bar, 1, ", ");
    if (info.only_words) {
        const std::size_t last = text.rfind(", ");
        if (info.text) return text + (text.empty() ? "a text" : " or a text");
        return last == std::string::npos ? text : text.replace(last, 2, " or ");
    }
    return text + (text.empty() ? "a number" : " or a number") + (info.text ? " or a text" : "");
}

double whole_root(Index samples) {
    auto root = static_cast<Index>(std::sqrt(static_cast<double>(samples)));
    while (root * root > samples) --root;
    while ((root + 1) * (root + 1) <= samples) ++root;
    return static_cast<double>(root);
}

std::optional<Parameters::Value> value_of(const Default& fallback, Index samples) {
    switch (fallback.kind) {
        case Default::Kind::number:
            return fallback.number;
        case Default::Kind::root_of_samples:
            return whole_root(samples);
        case Default::Kind::word:
            return std::string(fallback.word);
        case Default::Kind::needed:
            break;
    }
    return std::nullopt;
}

void set(Parameters& parameters, std::string_view name, const Parameters::Value& value) {
    std::visit([&](const auto& v) { parameters.set(name, v); }, value);
}

}  // namespace

std::optional<double> Parameters::number(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    const double* number = std::get_if<double>(&found->second);
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<std::string> Parameters::word(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    const std::string* word = std::get_if<std::string>(&found->second);
    return word != nullptr ? std::optional(*word) : std::nullopt;
}

std::string Default::text() const {
    switch (kind) {
        case Kind::number:
            return format_number(std::round(number * 1e6) / 1e6);
        case Kind::root_of_samples:
            return "sqrt(N)";
        case Kind::word:
            return word.empty() ? "none" : std::string(word);
        case Kind::needed:
            break;
    }
    return "(needed)";
}

void check(const ParameterInfo& info, const Parameters::Value& value) {
    const std::string name(info.name);
    if (const std::string* word = std::get_if<std::string>(&value)) {
        if (info.text && word->empty()) throw QuantityError(name, "must not be empty");
        if (!info.text && !is_word_of(info.words, *word))
            throw QuantityError(name, "must be " + choices(info) + ", not '" + *word + "'");
        return;
    }
    const double number = std::get<double>(value);
    if (info.only_words) throw QuantityError(name, "must be " + choices(info) + ", not a number");
    const bool endless = info.endless && std::isinf(number);
    const bool low = number < info.least || (info.open && number == info.least);
    const bool high = !endless && (number > info.most || (info.open && number == info.most));
    if (std::isnan(number) || low || high || (std::isinf(number) && !endless)) {
        std::string range = (info.open ? "greater than " : "at least ") + format_number(info.least);
        if (std::isinf(info.least)) range = "a number";
        if (info.open && info.least == 0 && std::isinf(info.most)) range = "positive";
        if (!std::isinf(info.most))
            range += (info.open ? " and less than " : " and at most ") + format_number(info.most);
        if (info.endless) range += ", or inf";
        if (std::isinf(number) && !low) range = "a finite number";
        throw QuantityError(name, "must be " + range + ", not " + format_number(number));
    }
    if (info.whole && number != std::floor(number))
        throw QuantityError(name, "must be a whole number, not " + format_number(number));
}

Parameters::Value parse(const ParameterInfo& info, const std::string& text) {
    if (is_word_of(info.words, text)) return text;
    double number = 0;
    const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), number);
    const bool is_number = !info.only_words && error == std::errc() && end == text.data() + text.size();
    if (!is_number && info.text && !text.empty()) return text;
    if (!is_number)
        throw QuantityError(std::string(info.name), "must be " + choices(info) + ", not '" + text + "'");
    return number;
}

std::string describe(std::span<const Parameter> parameters) {
    std::string text;
    for (const Parameter& parameter : parameters)
        text +=
            (text.empty() ? "" : ", ") + std::string(parameter.info.name) + " = " + parameter.fallback.text();
    return text.empty() ? "no parameters" : text;
}

void check_parameters(std::string_view owner, std::span<const Parameter> parameters,
                      const Parameters& given) {
    for (const auto& [name, value] : given.all()) {
        const auto row = std::find_if(parameters.begin(), parameters.end(),
                                      [&, &name = name](const Parameter& p) { return p.info.name == name; });
        if (row == parameters.end())
            throw QuantityError(
                name, "is not a parameter of " + std::string(owner) + ", which has " + describe(parameters));
        check(row->info, value);
    }
}

Parameters own_parameters(std::span<const Parameter> parameters, const Parameters& given) {
    Parameters own;
    for (const Parameter& parameter : parameters) {
        const auto found = given.all().find(parameter.info.name);
        if (found != given.all().end()) set(own, found->first, found->second);
    }
    return own;
}

Parameters resolve(std::string_view owner, std::span<const Parameter> parameters, const Parameters& given,
                   Index samples) {
    check_parameters(owner, parameters, given);
    Parameters resolved = given;
    for (const Parameter& parameter : parameters) {
        if (resolved.has(parameter.info.name)) continue;
        const auto value = value_of(parameter.fallback, samples);
        if (!value)
            throw QuantityError(
                std::string(parameter.info.name),
                "is needed by " + std::string(owner) + ": " + std::string(parameter.info.meaning));
        set(resolved, parameter.info.name, *value);
    }
    return resolved;
}

}  // namespace alfcg

#pragma once

#include <fast_float/fast_float.h>

#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace alfcg {

enum class NumberStatus { ok, malformed, not_finite };

/// Reads all of `token` as one decimal number, with an optional sign of either kind; independent of the
/// locale.
template <class Real>
NumberStatus parse_number(std::string_view token, Real& value) {
    const char* first = token.data();
    const char* last = first + token.size();
    if (first != last && *first == '+') {
        ++first;
        if (first != last && *first == '-') return NumberStatus::malformed;
    }
    if (first == last) return NumberStatus::malformed;
    const auto answer = fast_float::from_chars(first, last, value);
    if (answer.ec == std::errc::invalid_argument || answer.ptr != last) return NumberStatus::malformed;
    return std::isfinite(value) ? NumberStatus::ok : NumberStatus::not_finite;
}

/// The token in quotes for a message: one line, printable, not too long.
inline std::string shown(std::string_view token) {
    constexpr std::size_t most = 40;
    std::string text = "'";
    for (const char c : token.substr(0, most)) {
        const auto code = static_cast<unsigned char>(c);
        text += code < 32 || code == 127 ? '?' : c;
    }
    text += token.size() > most ? "...'" : "'";
    return text;
}

/// What is wrong with a token that parse_number<Real> did not take.
template <class Real>
std::string number_problem(std::string_view token, NumberStatus status) {
    if (status == NumberStatus::malformed) return shown(token) + " is not a number";
    // "inf", "nan(123)": no digit comes first.
    if (const std::size_t first = token.find_first_not_of("+-.");
        first != std::string_view::npos && (token[first] < '0' || token[first] > '9'))
        return shown(token) + " is not a finite number";
    return shown(token) + (std::is_same_v<Real, float> ? " is too large for f32" : " is too large for f64");
}

/// Whether a field of a table says that there is no value: nothing at all, or what programs write for it.
inline bool is_missing(std::string_view token) {
    constexpr std::size_t longest = 4;
    if (token.size() > longest) return false;
    std::string lower(token);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const char* word : {"", "?", "na", "n/a", "#n/a", "<na>", "nan", "null", "none"})
        if (lower == word) return true;
    return false;
}

/// The same of a label of a table, which may well be called "none".
inline bool is_missing_label(std::string_view token) {
    return is_missing(token) && !(token.size() == 4 && (token[0] == 'n' || token[0] == 'N') &&
                                  (token[1] == 'o' || token[1] == 'O'));
}

/// A label may be any text, but a number that is not finite is never meant as a class or a target.
inline bool is_acceptable_label(std::string_view token) {
    double ignored = 0;
    return !token.empty() && parse_number(token, ignored) != NumberStatus::not_finite;
}

}  // namespace alfcg

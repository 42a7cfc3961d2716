#pragma once

#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// Named values that a caller has chosen: numbers, or words such as "auto".
class Parameters {
  public:
    using Value = std::variant<double, std::string>;

    Parameters() = default;
    Parameters(std::initializer_list<std::pair<const std::string, double>> numbers)
        : values_(numbers.begin(), numbers.end()) {}

    void set(std::string_view name, double number) { values_.insert_or_assign(std::string(name), number); }
    void set(std::string_view name, std::string word) {
        values_.insert_or_assign(std::string(name), std::move(word));
    }
    void erase(std::string_view name) { values_.erase(std::string(name)); }

    [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
    [[nodiscard]] bool empty() const { return values_.empty(); }
    /// None when it is not there, or a word.
    [[nodiscard]] std::optional<double> number(std::string_view name) const;
    /// Of one that is there and checked to be whole.
    [[nodiscard]] Index whole(std::string_view name) const {
        return static_cast<Index>(number(name).value());
    }
    /// None when it is not there, or a number.
    [[nodiscard]] std::optional<std::string> word(std::string_view name) const;
    bool operator==(const Parameters&) const = default;
    [[nodiscard]] const std::map<std::string, Value, std::less<>>& all() const { return values_; }

  private:
    std::map<std::string, Value, std::less<>> values_;
};

/// What a parameter may be.
struct ParameterInfo {
    std::string_view name;  // also the command line's option
    std::string_view meaning;
    double least = 0;  // range of values allowed
    double most = std::numeric_limits<double>::infinity();
    bool open = false;            // the ends of the range are not allowed themselves
    bool whole = false;           // integers only
    bool endless = false;         // infinity is allowed too
    std::string_view words = {};  // allowed instead of a number, by '|'
    bool text = false;            // any text is allowed too, such as the name of a file
    bool only_words = false;      // numbers are not allowed
};

/// What a parameter is when the caller says nothing.
struct Default {
    enum class Kind { number, root_of_samples, word, needed };
    Kind kind = Kind::needed;
    double number = 0;
    std::string_view word = {};

    static constexpr Default of(double number) { return {Kind::number, number, ""}; }
    static constexpr Default root() { return {Kind::root_of_samples, 0, ""}; }
    static constexpr Default named(std::string_view word) { return {Kind::word, 0, word}; }
    /// An empty word: it need not be given.
    static constexpr Default none() { return {Kind::word, 0, ""}; }

    [[nodiscard]] std::string text() const;
};

/// One of the parameters that a row (a method, a region, a loss) has.
struct Parameter {
    ParameterInfo info;
    Default fallback;
};

/// Throws QuantityError when a value is out of range.
void check(const ParameterInfo& info, const Parameters::Value& value);
/// A number or an allowed word, as it was typed; throws QuantityError.
Parameters::Value parse(const ParameterInfo& info, const std::string& text);
/// "rho = auto, batch = sqrt(N)", or "no parameters".
std::string describe(std::span<const Parameter> parameters);

/// Throws QuantityError when a value is out of range, or when one is given that is not listed; `owner` ("alfcg-d") is for
/// the message.
void check_parameters(std::string_view owner, std::span<const Parameter> parameters, const Parameters& given);
/// Those of the given ones that are listed.
Parameters own_parameters(std::span<const Parameter> parameters, const Parameters& given);
/// Checks what is given and fills in the rest; N is for those that depend on it.
Parameters resolve(std::string_view owner, std::span<const Parameter> parameters, const Parameters& given,
                   Index samples = 0);

}  // namespace alfcg

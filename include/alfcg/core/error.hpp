#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace alfcg {

/// Bad usage or bad input. The text is one line that says what is wrong, where, and what would be right. Quantities that
/// would change it are named in backticks: "take fewer rows (`rows`)".
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A quantity that the caller chose does not fit: "radius must be positive, not -1". A program with options of its own
/// names can put its own spelling in front of what is wrong.
class QuantityError : public Error {
  public:
    QuantityError(std::string quantity, std::string what)
        : Error(quantity + " " + what), quantity_(std::move(quantity)), what_(std::move(what)) {}

    [[nodiscard]] const std::string& quantity() const { return quantity_; }  // "radius", "inner-steps"
    [[nodiscard]] const std::string& complaint() const { return what_; }     // "must be positive, not -1"

  private:
    std::string quantity_;
    std::string what_;
};

/// Bad input at a place in a file: "FILE:LINE: what". Line 0 means the file as a whole.
class InputError : public Error {
  public:
    InputError(const std::string& file, std::int64_t line, const std::string& what)
        : Error(file + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what) {}
};

}  // namespace alfcg

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace alfcg {

/// Bad usage or bad input. The text is one line that says what is wrong, where, and what would be right.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Bad input at a place in a file: "FILE:LINE: what". Line 0 means the file as a whole.
class InputError : public Error {
  public:
    InputError(const std::string& file, std::int64_t line, const std::string& what)
        : Error(file + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what) {}
};

}  // namespace alfcg

// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace alfcg {

/// The text with the five characters that mean something in markup replaced, and those that XML cannot hold
/// (control characters, broken UTF-8) as U+FFFD: safe as content and inside quotes.
std::string escape_markup(std::string_view text);

}  // namespace alfcg

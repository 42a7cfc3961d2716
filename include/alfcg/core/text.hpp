#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alfcg {

/// Fewest digits that read back as exactly this number ("1", "-0.25", "100000", "1e+100").
std::string format_number(double number);

/// "a, b or c", with that word before the last one.
std::string listed(const std::vector<std::string>& items, std::string_view word);

/// For a message about a name that there is not: "; did you mean alfcg-d?" when one of `names` is near `given` (a slip or two,
/// another case, a part of it), else nothing. `before` is written in front of it.
std::string suggestion(std::string_view given, const std::vector<std::string>& names,
                       std::string_view before = "");

}  // namespace alfcg

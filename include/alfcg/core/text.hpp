#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alfcg {

/// Fewest digits that read back as exactly this number ("1", "-0.25", "100000", "1e+100").
std::string format_number(double number);

/// "a, b or c", with that word before the last one.
std::string listed(const std::vector<std::string>& items, std::string_view word);

}  // namespace alfcg

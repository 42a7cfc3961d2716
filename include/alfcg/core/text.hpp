#pragma once

#include <string>

namespace alfcg {

/// Fewest digits that read back as exactly this number ("1", "-0.25", "100000", "1e+100").
std::string format_number(double number);

}  // namespace alfcg

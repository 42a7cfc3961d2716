#pragma once

#include <string_view>

namespace alfcg {

/// "0.1.0": of the library that is linked.
std::string_view version();

}  // namespace alfcg

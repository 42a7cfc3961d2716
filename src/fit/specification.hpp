#pragma once

#include <string>

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// The region with all its parameters, and with this name where it has none; throws Error when it cannot be.
RegionSpec complete(RegionSpec region, const std::string& name);

}  // namespace alfcg

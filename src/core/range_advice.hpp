#pragma once

#include <string>
#include <type_traits>

namespace alfcg {

/// For messages: what to do about numbers that are too large or too small for this precision.
template <class Real>
std::string range_advice() {
    const std::string normalise = "normalise the data (`normalize`)";
    if (std::is_same_v<Real, float>) return normalise + ", or use double precision (`precision` f64)";
    return normalise + ", and divide labels that are large numbers";
}

}  // namespace alfcg

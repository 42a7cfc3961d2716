#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "alfcg/core/error.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg {

template <class Real>
bool all_finite(const Real* values, std::size_t count) {
    bool good = true;
    for (std::size_t k = 0; k < count; ++k) good &= std::abs(values[k]) <= std::numeric_limits<Real>::max();
    return good;
}

/// Throws the error about an entry that is not finite.
template <class Real>
[[noreturn]] void fail_not_finite(const std::string& name, Index row, Index column, Real value) {
    const char* what = std::isnan(value) ? "NaN" : "infinite";
    if (std::is_same_v<Real, float> && !std::isnan(value)) what = "infinite, or too large for f32";
    throw InputError(name, 0,
                     fmt::format("row {}, column {} (from 0): the value is {}; finite numbers are needed",
                                 row, column, what));
}

}  // namespace alfcg

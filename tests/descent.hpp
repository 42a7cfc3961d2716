#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "bridge.hpp"

namespace alfcg {

/// F never rises, but for rounding: so much of it in single precision.
template <class Real>
void expect_descent(const std::vector<Row<Real>>& rows, double single = 3e-7) {
    const double rounding = std::is_same_v<Real, float> ? single : 1e-13;
    for (std::size_t t = 1; t < rows.size(); ++t)
        EXPECT_LE(rows[t].metrics.objective,
                  rows[t - 1].metrics.objective + rounding * std::abs(rows[t - 1].metrics.objective));
}

}  // namespace alfcg

// The runs of one method over several seeds as one curve with a band.
#pragma once

#include <string_view>
#include <vector>

#include "report/panel.hpp"

namespace alfcg {

/// Median and range of the runs on a common grid.
struct SeedBand {
    std::vector<double> x;  // increasing
    std::vector<double> median;
    std::vector<double> low;
    std::vector<double> high;
};

/// The grid holds all places where some run has a point. Between its points a run is interpolated,
/// geometrically where its values are positive, as a log axis draws it. The curve goes as far as at least
/// half of the runs do.
SeedBand seed_band(const ReportCurve& curve, std::string_view quantity, std::string_view axis);

}  // namespace alfcg

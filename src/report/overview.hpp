// All panels of the paper in one picture: who wins, and whether the claim held.
#pragma once

#include <string>
#include <vector>

#include "report/paper_runs.hpp"

namespace alfcg {

/// A standalone SVG: settings, data and regions from top to bottom, comparisons and radii from left to right; in each panel the best
/// method by epochs and the best at equal time, on the colour of the verdict.
std::string overview_picture(const PaperPlan& plan, const std::vector<PaperComparison>& comparisons);

}  // namespace alfcg

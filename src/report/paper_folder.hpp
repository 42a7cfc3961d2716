// What `run_paper` found, as a folder to look at.
#pragma once

#include <string>
#include <vector>

#include "report/paper_runs.hpp"

namespace alfcg {

/// "rho 1e-5, normalisation spectral".
std::string title_of(const PaperComparison& comparison);

/// Writes report.html, summary.json, overview.svg and figures/ into the plan's folder; returns the page's path.
std::string write_paper(const PaperPlan& plan, const std::vector<PaperComparison>& comparisons,
                        const std::string& precision, const std::string& command);

}  // namespace alfcg

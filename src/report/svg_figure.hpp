// A panel of a report as a static figure for papers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/curve_style.hpp"

namespace alfcg {

/// The panel (schema in page.hpp) as a standalone SVG: log y axis, median and range over seeds, a legend
/// beside it. quantity is "suboptimality", "gap" or "error"; axis is "seconds", "epochs" or "iterations".
/// Values at or below zero lie on the lower edge. Curves that are nowhere above zero are left out of the plot
/// and named so in the legend. Throws Error for other names, and for a panel that does not follow the schema.
std::string svg_figure(const nlohmann::json& panel, const std::string& quantity, const std::string& axis);

/// The same with the styles of a whole report (curve_styles(report)), for panels that hold only some of its
/// methods.
std::string svg_figure(const nlohmann::json& panel, const std::string& quantity, const std::string& axis,
                       const std::vector<CurveStyle>& styles);

}  // namespace alfcg

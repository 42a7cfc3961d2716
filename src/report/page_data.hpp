// The curves of a report as the page's script reads them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/curve_style.hpp"

namespace alfcg {

/// Places 0..count-1 thinned to about `limit`: half of them evenly spaced, half in a geometric progression
/// from the start, where curves are steep; always with the first and the last. All of them when there are no
/// more than `limit`.
std::vector<std::size_t> thinned_places(std::size_t count, std::size_t limit);

/// The most points a run may have in the page, so that a page with `runs` runs stays a few megabytes.
std::size_t points_per_run(std::size_t runs);

/// The figures as JSON text that may stand inside a <script> element. The suboptimality is formed here,
/// before numbers are rounded to six digits: afterwards the digits that matter would be gone.
std::string page_data(const nlohmann::json& report, const std::vector<CurveStyle>& styles);

}  // namespace alfcg

// The result tables of the report page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/curve_style.hpp"

namespace alfcg {

/// A table (schema in page.hpp) as an HTML section with the given id. Each cell carries what it is sorted by,
/// so that the page's script need not read numbers back from text.
std::string page_table(const nlohmann::json& table, const std::string& id,
                       const std::vector<CurveStyle>& styles);

}  // namespace alfcg

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "alfcg/fit/path.hpp"
#include "report/picture.hpp"

namespace alfcg::cli {

/// A path in pictures: scores over the radius, and the singular values or the largest coefficients. `names`: of the
/// features; empty: they have none.
std::vector<Picture> path_pictures(const std::vector<PathPoint>& points, std::size_t best,
                                   std::size_t smallest, const std::vector<std::string>& names);

}  // namespace alfcg::cli

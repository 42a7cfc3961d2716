#pragma once

#include <optional>
#include <vector>

#include "alfcg/objective/objective.hpp"
#include "objective/row_share.hpp"

namespace alfcg {

/// The second moments of the rows' features, around `centre` if that is not empty, from some of the rows, by their weights (null: all
/// alike; else with mean 1). `entries`: those of all rows on all ranks. Fewer directions are found, or none, where they would take more bytes
/// than `memory`.
template <class Real>
std::optional<SecondMoments<Real>> leading_moments(const Features<Real>& features, const Real* weights,
                                                   const std::vector<double>& centre, Index entries,
                                                   const RowShare& rows, int threads, Index memory);

}  // namespace alfcg

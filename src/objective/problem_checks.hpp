#pragma once

#include "alfcg/data/features.hpp"
#include "alfcg/objective/loss.hpp"
#include "objective/row_share.hpp"

namespace alfcg {

/// Throws Error unless rows of sparse data are where they should be, and their columns exist, in increasing order.
template <class Real>
void check_features(const Features<Real>& features, int threads);

/// Throws Error unless the loss can be computed on these data: rows and targets of one number, classes that are among the outputs,
/// numbers that have a square in double precision; and check_features(). A rank may have no rows.
template <class Real>
void check_problem(const Features<Real>& features, const Targets& targets, const LossSpec& loss, int threads,
                   const RowShare& share);

}  // namespace alfcg

#pragma once

#include "alfcg/core/matrix.hpp"
#include "alfcg/data/features.hpp"

namespace alfcg {

/// scores[(i - first) * outputs + l] = <weights row l, sample i> for samples first .. last-1.
template <class Real>
void linear_scores(const Features<Real>& features, Index first, Index last, const Matrix<Real>& weights,
                   Real* scores, int threads);

}  // namespace alfcg

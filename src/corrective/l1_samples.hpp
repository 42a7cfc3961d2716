#pragma once

#include <memory>

#include "alfcg/region/region.hpp"
#include "corrective/on_samples.hpp"

namespace alfcg {

/// Inner steps over the l_1 ball on a sample of the rows, all columns in play.
template <class Real>
std::unique_ptr<SampleDescent<Real>> l1_sample_descent(const Ball& ball);

}  // namespace alfcg

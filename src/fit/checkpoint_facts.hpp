#pragma once

#include <vector>

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// What a checkpoint of a fit must have been made with: the data to the last bit, the loss, what the region was read from, threads.
template <class Real>
std::vector<Fact> checkpoint_facts(const Problem<Real>& problem);

}  // namespace alfcg

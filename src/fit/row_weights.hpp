#pragma once

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// The weights of the rows times those given to their classes; rows of weight 0 are taken out, and whether there were any is
/// returned. Throws Error when they are no weights, or there are no such classes.
template <class Real>
bool weigh(Dataset<Real>& data, const ClassWeights& classes, Ranks* ranks);

/// The weights times (their sum / (classes · their sum in the class)).
template <class Real>
void balance(Dataset<Real>& data, const Classes& classes, Ranks* ranks);

}  // namespace alfcg

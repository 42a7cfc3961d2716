#pragma once

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// The weights of the rows times those given to their classes; rows of weight 0 are taken out. Throws Error when they are
/// no weights, or there are no such classes.
template <class Real>
void weigh(Dataset<Real>& data, const LossSpec& loss, const ClassWeights& classes);

/// The weights times (rows / (classes · rows of the class)).
template <class Real>
void balance(Dataset<Real>& data, const Classes& classes);

}  // namespace alfcg

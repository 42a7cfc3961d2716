#pragma once

#include <memory>

#include "alfcg/data/observations.hpp"
#include "alfcg/objective/objective.hpp"

namespace alfcg {

/// Numbers for every row and every column that are added to the entries of x.
struct BiasSpec {
    bool used = false;
    double penalty = 0;  // so many observations that say 0, for each of them
    double mean = 0;     // and one for all, which is given
};

/// The mean loss over the known entries of a matrix, by their weights: (1/W) Σ w loss(x_ij, y_ij). With biases the minimum over b and c of
/// (1/W) (Σ w loss(mean + b_i + c_j + x_ij, y_ij) + (penalty/2) (‖b‖² + ‖c‖²)); intercept() has b, then c. Iterates are factors, gradients
/// the entries at the known places. threads = 0: all cores. Throws Error when the values do not fit the loss.
template <class Real>
std::unique_ptr<Objective<Real>> completion_objective(const Observations<Real>& known, const LossSpec& loss,
                                                      const BiasSpec& biases = {}, int threads = 0);

}  // namespace alfcg

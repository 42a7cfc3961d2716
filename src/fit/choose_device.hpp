#pragma once

#include <functional>
#include <memory>

#include "alfcg/fit/fit.hpp"

namespace alfcg {

/// Seconds that about one epoch takes of a run on this objective: a pass over all rows, and as many batches as there are in them where the method draws
/// some.
template <class Real>
double epoch_seconds(Objective<Real>& objective, Region<Real>& region, const Options& options);

/// For a problem whose device is to be chosen, and that has one that may be taken: keeps it where an epoch takes less time there than on the CPU, and
/// writes down both. A run that goes on from a checkpoint stays where it was, and nothing is measured. `make` makes the objective anew, so that a run
/// is the one that it would be had the device been given.
template <class Real>
void choose_device(
    Problem<Real>& problem, const Options& options,
    const std::function<std::unique_ptr<Objective<Real>>(const std::shared_ptr<Device>&)>& make);

}  // namespace alfcg

#pragma once

#include <cstdint>

#include "alfcg/data/dataset.hpp"

namespace alfcg {

struct PlantedOptions {
    Index rows = 3000;
    Index features = 200;
    Index classes = 10;
    Index rank = 3;       // of the true weights
    double noise = 0.25;  // standard deviation added to scores of standard deviation 1
    std::uint64_t seed = 1;
};

template <class Real>
struct Planted {
    Dataset<Real> data;
    Matrix<Real> truth;  // classes x features
};

/// Gaussian features labelled by the largest of the noisy scores W x, W of low rank: a problem whose answer
/// is known.
template <class Real>
Planted<Real> planted_low_rank(const PlantedOptions& options = {});

}  // namespace alfcg

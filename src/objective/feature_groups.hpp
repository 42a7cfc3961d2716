#pragma once

#include <cstdint>
#include <vector>

#include "alfcg/data/features.hpp"

namespace alfcg {

/// Features in groups of kernels::patch_width that tend to be zero in the same samples.
struct FeatureGroups {
    Index count = 0;
    std::vector<Index> place;  // of a feature: group * patch_width + which of its features
    /// The other way round; the last places of the last group may have none.
    std::vector<std::int32_t> feature;
    /// Share of groups, over the samples looked at, that are not all zero.
    double filled = 1;
};

template <class Real>
FeatureGroups group_features(const DenseFeatures<Real>& features);

}  // namespace alfcg

#pragma once

#include <memory>

#include "alfcg/region/region.hpp"
#include "region/feature_values.hpp"

namespace alfcg::region {

/// See box(), nonnegative_l2_ball() and isotonic().
template <class Real>
std::unique_ptr<Region<Real>> make_box(FeatureValues lower, FeatureValues upper, const Composite& composite,
                                       int threads);
template <class Real>
std::unique_ptr<Region<Real>> make_nonnegative_l2(double radius, const Composite& composite, int threads);
template <class Real>
std::unique_ptr<Region<Real>> make_isotonic(double lower, double upper, const Composite& composite,
                                            int threads);

}  // namespace alfcg::region

#pragma once

#include <memory>

#include "alfcg/region/region.hpp"

namespace alfcg::region {

/// The balls of norms of the largest magnitudes: see k_support_ball(), k_norm_ball() and owl_ball(). Parameters are checked.
template <class Real>
std::unique_ptr<Region<Real>> make_k_support(Index k, double radius, const Composite& composite, int threads);
template <class Real>
std::unique_ptr<Region<Real>> make_k_norm(Index k, double radius, const Composite& composite, int threads);
template <class Real>
std::unique_ptr<Region<Real>> make_owl(double slope, double radius, const Composite& composite, int threads);

}  // namespace alfcg::region

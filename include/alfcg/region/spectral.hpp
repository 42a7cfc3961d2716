#pragma once

#include <memory>

#include "alfcg/region/region.hpp"

namespace alfcg {

/// Balls of norms of the singular values. Composite terms: nuclear, l2, norm. threads = 0: all cores.

/// The largest singular value ≤ radius.
template <class Real>
std::unique_ptr<Region<Real>> spectral_ball(double radius, const Composite& composite = {}, int threads = 0);

/// The sum of the k largest singular values ≤ radius, k ≥ 1.
template <class Real>
std::unique_ptr<Region<Real>> ky_fan_ball(Index k, double radius, const Composite& composite = {},
                                          int threads = 0);

/// The l_p norm of the singular values ≤ radius, 1 < p ≤ ∞.
template <class Real>
std::unique_ptr<Region<Real>> schatten_ball(double p, double radius, const Composite& composite = {},
                                            int threads = 0);

/// Symmetric positive semidefinite matrices, of square points. Oracles see the symmetric part of the gradient, which is all
/// that counts on such matrices. Composite terms: nuclear (which is the trace here), l2.

/// X ⪰ 0 with trace equal to radius.
template <class Real>
std::unique_ptr<Region<Real>> spectraplex(double radius, const Composite& composite = {}, int threads = 0);

/// X ⪰ 0 with trace at most radius.
template <class Real>
std::unique_ptr<Region<Real>> bounded_trace(double radius, const Composite& composite = {}, int threads = 0);

/// 0 ⪯ X ⪯ radius · I with trace k · radius: the hull of the projections of rank k, times radius.
template <class Real>
std::unique_ptr<Region<Real>> fantope(Index k, double radius = 1, const Composite& composite = {},
                                      int threads = 0);

/// 0 ⪯ X ⪯ radius · I.
template <class Real>
std::unique_ptr<Region<Real>> psd_box(double radius, const Composite& composite = {}, int threads = 0);

}  // namespace alfcg

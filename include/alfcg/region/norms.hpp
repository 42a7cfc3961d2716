#pragma once

#include <memory>
#include <vector>

#include "alfcg/region/region.hpp"

/// Balls of norms, beside lp_ball() and nuclear_ball(). All take the own norm in h (Composite::norm); threads as there.
namespace alfcg {

/// Σ costs_j |x_ij| ≤ radius, costs > 0, one for each column. Composite terms: l1, l2, norm; not l2 with norm.
template <class Real>
std::unique_ptr<Region<Real>> weighted_l1_ball(double radius, std::vector<double> costs,
                                               const Composite& composite = {}, int threads = 0);

/// The k-support norm at most radius: the hull of {x : at most k entries are not 0, ‖x‖₂ ≤ radius}. Composite terms: l1, l2, norm;
/// not l2 with norm.
template <class Real>
std::unique_ptr<Region<Real>> k_support_ball(Index k, double radius, const Composite& composite = {},
                                             int threads = 0);

/// The sum of the k largest magnitudes at most radius. Composite terms: l1, l2, norm; not l2 with norm.
template <class Real>
std::unique_ptr<Region<Real>> k_norm_ball(Index k, double radius, const Composite& composite = {},
                                          int threads = 0);

/// The sorted l_1 norm Σ w_i |x|_(i) at most radius, with weights that fall evenly from 1 + slope, for the largest magnitude, to 1:
/// OWL, or OSCAR. Composite terms: l1, l2, norm; not l2 with norm.
template <class Real>
std::unique_ptr<Region<Real>> owl_ball(double slope, double radius, const Composite& composite = {},
                                       int threads = 0);

/// Σ (x_ij / axes_j)² ≤ radius², axes > 0, one for each column. Composite terms: l1, l2, norm; not l2 with norm.
template <class Real>
std::unique_ptr<Region<Real>> ellipsoid(double radius, std::vector<double> axes,
                                        const Composite& composite = {}, int threads = 0);
/// Σ_i x_i M x_iᵀ ≤ radius² over the rows x_i of x, for a symmetric and positive definite M. Composite term: norm.
template <class Real>
std::unique_ptr<Region<Real>> ellipsoid(double radius, const Matrix<double>& metric,
                                        const Composite& composite = {});

/// ‖x‖_∞ ≤ radius and ‖x‖₁ ≤ k · radius: the hull of the points with k entries ±radius. Composite terms: l1, l2, norm; not l2 with norm.
template <class Real>
std::unique_ptr<Region<Real>> k_sparse_polytope(Index k, double radius, const Composite& composite = {},
                                                int threads = 0);

}  // namespace alfcg

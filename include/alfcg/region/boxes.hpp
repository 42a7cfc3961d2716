#pragma once

#include <memory>
#include <vector>

#include "alfcg/region/region.hpp"

/// Signs, boxes, simplices. Composite terms: l1 and l2 where nothing else is said; threads as for lp_ball().
namespace alfcg {

/// lower ≤ x ≤ upper, for all entries.
template <class Real>
std::unique_ptr<Region<Real>> box(double lower, double upper, const Composite& composite = {},
                                  int threads = 0);
/// lower_j ≤ x_ij ≤ upper_j, one for each column.
template <class Real>
std::unique_ptr<Region<Real>> box(std::vector<double> lower, std::vector<double> upper,
                                  const Composite& composite = {}, int threads = 0);

/// lower_j ≤ x_ij ≤ upper_j and ‖x‖₁ ≤ radius, where lower ≤ 0 ≤ upper; both may be infinite.
template <class Real>
std::unique_ptr<Region<Real>> bounded_l1_ball(double radius, std::vector<double> lower,
                                              std::vector<double> upper, const Composite& composite = {},
                                              int threads = 0);

/// x ≥ 0 and Σ x ≤ radius.
template <class Real>
std::unique_ptr<Region<Real>> nonnegative_l1_ball(double radius, const Composite& composite = {},
                                                  int threads = 0);
/// x ≥ 0 and ‖x‖₂ ≤ radius.
template <class Real>
std::unique_ptr<Region<Real>> nonnegative_l2_ball(double radius, const Composite& composite = {},
                                                  int threads = 0);

/// x ≥ 0 and Σ x = radius. Composite terms: l2 or entropy.
template <class Real>
std::unique_ptr<Region<Real>> simplex(double radius = 1, const Composite& composite = {}, int threads = 0);
/// 0 ≤ x ≤ cap and Σ x = radius. Composite term: l2.
template <class Real>
std::unique_ptr<Region<Real>> capped_simplex(double radius, double cap, const Composite& composite = {},
                                             int threads = 0);
/// 0 ≤ x ≤ radius and Σ x = k · radius. Composite term: l2.
template <class Real>
std::unique_ptr<Region<Real>> hypersimplex(Index k, double radius = 1, const Composite& composite = {},
                                           int threads = 0);

/// 0 ≤ x_ij ≤ upper_j and Σ costs_j x_ij ≤ radius, costs > 0.
template <class Real>
std::unique_ptr<Region<Real>> knapsack(double radius, std::vector<double> costs, std::vector<double> upper,
                                       const Composite& composite = {}, int threads = 0);

/// lower ≤ x_i1 ≤ x_i2 ≤ … ≤ upper in every row. Composite term: l2.
template <class Real>
std::unique_ptr<Region<Real>> isotonic(double lower, double upper, const Composite& composite = {},
                                       int threads = 0);

}  // namespace alfcg

#pragma once

#include <vector>

#include "alfcg/core/matrix.hpp"

/// Passes over the entries of a gradient for oracles that answer entry by entry, or look at few of them. Comparisons are those of
/// Real; sums are double.
namespace alfcg::kernels {

/// to_i = low where x_i > threshold, high where x_i < −threshold, middle elsewhere; how many are not elsewhere.
template <class Real>
Index choose(const Real* x, Index n, double threshold, Real low, Real high, Real middle, Real* to);

/// Adds the positions of entries that are at most `low` or at least `high`, in order.
template <class Real>
void find_outside(const Real* x, Index n, double low, double high, std::vector<Index>& positions);

/// Adds the positions of entries whose magnitudes are from `low` to `high`, in order.
template <class Real>
void find_between(const Real* x, Index n, double low, double high, std::vector<Index>& positions);

/// Numbers of a range, and their sum.
struct Bucket {
    Index count = 0;
    double sum = 0;
};
/// Adds each t_i = scale · (|x_i| − threshold) that is at least `least` to buckets[(t_i − least) · per_unit], or to the last one.
template <class Real>
void fill_buckets(const Real* x, Index n, double threshold, double scale, double least, double per_unit,
                  std::vector<Bucket>& buckets);

/// Σ max(sign · x_i − threshold, 0)² in units of 1/scale².
template <class Real>
double ramp_squares(const Real* x, Index n, double sign, double threshold, double scale);
/// to_i = factor · max(sign · x_i − threshold, 0).
template <class Real>
void write_ramp(const Real* x, Index n, double sign, double threshold, double factor, Real* to);

/// sums_k = Σ scale · x_i and magnitudes_k = Σ |scale · x_i| over the k-th run of `block_entries` entries; the last one may be shorter.
inline constexpr Index block_entries = 128;
template <class Real>
void block_sums(const Real* x, Index n, double scale, double* sums, double* magnitudes);

}  // namespace alfcg::kernels

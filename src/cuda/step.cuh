// A point's weights from those of the point before: what the host would otherwise send as a whole.
#pragma once

#include <cmath>

#include "cuda/lanes.cuh"

namespace alfcg::cuda {

inline constexpr int step_threads = 256;

/// to = from + eta (v − from), entry by entry as the host's kernels round it, for v = left · rightᵀ; without one v is zero, or its few entries are added
/// afterwards.
template <class Real>
struct Step {
    const Real* from;
    Real* to;
    Index cols;
    Index stride;
    int outputs;
    Real keep;  // 1 − eta
    Real eta;
    const Real* left;
    const Real* right;
};

template <class Real>
__global__ void __launch_bounds__(step_threads) step_towards(Step<Real> step) {
    const Index at = block_number() * step_threads + thread_number();
    if (at >= step.outputs * step.stride) return;
    const Index col = at % step.stride;
    const Real x = step.from[at];
    if (step.left == nullptr) {
        step.to[at] = step.keep * x;
    } else if (col >= step.cols) {
        step.to[at] = 0;
    } else {
        const Real left = step.left[at / step.stride];
        const Real right = step.right[col];
        step.to[at] = step.eta == 1 ? left * right : std::fma(step.eta, std::fma(left, right, -x), x);
    }
}

/// to[places[k]] += values[k]; no place comes twice.
template <class Real>
__global__ void __launch_bounds__(step_threads)
    add_entries(const Index* places, const Real* values, Index count, Real* to) {
    const Index k = block_number() * step_threads + thread_number();
    if (k < count) to[places[k]] += values[k];
}

}  // namespace alfcg::cuda

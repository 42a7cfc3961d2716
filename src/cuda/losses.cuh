// Losses of samples with one score: what they are and how they slope, spec 6. Written as the CPU's kernels are.
#pragma once

#include <cmath>

#include "alfcg/core/device.hpp"
#include "cuda/lanes.cuh"

namespace alfcg::cuda {

template <class Real>
struct Judged {
    Real value;
    Real slope;
};

// With e = exp(−|m|), every margin m is safe.
template <class Real>
__device__ Judged<Real> judge_logistic(Real score, Real target) {
    const Real margin = target * score;
    const Real e = std::exp(-std::abs(margin));
    return {std::log1p(e) + (margin < 0 ? -margin : Real(0)),
            -target * ((margin >= 0 ? e : Real(1)) / (1 + e))};
}

template <class Real>
__device__ Judged<Real> judge_sigmoid(Real score, Real target) {
    const Real margin = target * score;
    const Real e = std::exp(-std::abs(margin));
    const Real whole = 1 + e;
    return {(margin >= 0 ? e : Real(1)) / whole, -target * (e / (whole * whole))};
}

template <class Real>
__device__ Judged<Real> judge_huber(Real score, Real target, Real threshold) {
    const Real residual = score - target;
    const Real size = std::abs(residual);
    if (size <= threshold) return {residual * residual / 2, residual};
    return {threshold * (size - threshold / 2), std::copysign(threshold, residual)};
}

template <class Real>
__device__ Judged<Real> judge_welsch(Real score, Real target, Real width) {
    const Real residual = score - target;
    const Real ratio = residual / width;
    return {-width * width / 2 * std::expm1(-ratio * ratio), residual * std::exp(-ratio * ratio)};
}

template <class Real>
__device__ Judged<Real> judge_score(DeviceLoss loss, Real score, Real target, Real parameter) {
    switch (loss) {
        case DeviceLoss::logistic:
            return judge_logistic(score, target);
        case DeviceLoss::sigmoid:
            return judge_sigmoid(score, target);
        case DeviceLoss::huber:
            return judge_huber(score, target, parameter);
        case DeviceLoss::welsch:
            return judge_welsch(score, target, parameter);
        default:
            return {(score - target) * (score - target) / 2, score - target};
    }
}

/// What samples are to be, and how they are judged.
template <class Real>
struct Truth {
    DeviceLoss loss;
    Real parameter;
    int outputs;
    const Real* targets;
    const Real* weights;  // null: all 1

    __device__ Real weight(Index row) const { return weights == nullptr ? Real(1) : weights[row]; }
    /// Of the rows from this one on.
    [[nodiscard]] Truth from(Index row) const {
        return {loss, parameter, outputs, targets + row, weights == nullptr ? nullptr : weights + row};
    }
};

}  // namespace alfcg::cuda

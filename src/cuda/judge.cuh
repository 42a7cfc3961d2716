// Scores of rows become residuals, at one point or at two.
#pragma once

#include "cuda/losses.cuh"
#include "cuda/tiles.cuh"

namespace alfcg::cuda {

inline constexpr int judge_threads = 256;

template <class Real>
struct Judgement {
    Truth<Real> truth;
    RowList rows;
    const Real* scores;  // of row i from i · line on: those at x, then those at y
    Index line;
    const double* shift_x;  // null: none
    const double* shift_y;
    bool second;
    bool slopes;
    double at_x;
    double at_y;
    double factor;     // of both
    Real* residuals;   // rows x outputs: factor (at_x r_x + at_y r_y); null: not wanted
    Real* at_x_alone;  // r_x; null: not wanted
    double* sums;      // of the blocks, three each: losses at x, and the slopes at x and y
    bool fresh;        // else added to what is there
};

/// The scores of one sample at one point; `width` lanes go through them together.
template <class Real>
struct ScoreLine {
    const Real* scores;
    const double* shift;
    Real largest;
    Real total;  // Σ exp(score − largest)

    __device__ Real score(int l) const {
        return shift == nullptr ? scores[l] : scores[l] + static_cast<Real>(shift[l]);
    }
    __device__ void look(int outputs, int lane, int width) {
        largest = score(lane < outputs ? lane : 0);
        for (int l = lane + width; l < outputs; l += width) {
            const Real own = score(l);
            largest = own > largest ? own : largest;
        }
        largest = largest_of_lanes(largest, width);
        total = 0;
        for (int l = lane; l < outputs; l += width) total += std::exp(score(l) - largest);
        total = sum_of_lanes(total, width);
    }
    __device__ Real residual(const Truth<Real>& truth, Real target, int l) const {
        if (truth.loss != DeviceLoss::softmax)
            return judge_score(truth.loss, score(l), target, truth.parameter).slope;
        const Real share = std::exp(score(l) - largest) / total;
        return l == static_cast<int>(target) ? share - 1 : share;
    }
    __device__ Real loss(const Truth<Real>& truth, Real target) const {
        if (truth.loss != DeviceLoss::softmax)
            return judge_score(truth.loss, score(0), target, truth.parameter).value;
        return std::log(total) + (largest - score(static_cast<int>(target)));
    }
};

/// `width` lanes for each sample, a power of two.
template <class Real>
__global__ void __launch_bounds__(judge_threads) judge_rows(Judgement<Real> j, int width) {
    __shared__ double shared[judge_threads / warp_size];
    const int outputs = j.truth.outputs;
    const int lane = lane_number() % width;
    const Index of_warp = warp_size / width;
    const Index of_block = of_warp * (judge_threads / warp_size);
    double loss = 0;
    double slope_x = 0;
    double slope_y = 0;
    for (Index base = block_number() * of_block; base < j.rows.count; base += blocks_of_grid() * of_block) {
        const Index i = base + warp_number() * of_warp + lane_number() / width;
        const bool here = i < j.rows.count;  // the others come along for the shuffles
        const Index at = here ? i : 0;
        const Index row = j.rows.row(at);
        const Real target = j.truth.targets[row];
        const Real weight = j.truth.weight(row);
        ScoreLine<Real> x{j.scores + at * j.line, j.shift_x, 0, 0};
        ScoreLine<Real> y{j.scores + at * j.line + outputs, j.shift_y, 0, 0};
        if (j.truth.loss == DeviceLoss::softmax) {
            x.look(outputs, lane, width);
            if (j.second) y.look(outputs, lane, width);
        }
        if (!here) continue;
        if (lane == 0) loss += static_cast<double>(weight * x.loss(j.truth, target));
        if (j.residuals == nullptr && j.at_x_alone == nullptr) continue;
        for (int l = lane; l < outputs; l += width) {
            const Real at_x = weight * x.residual(j.truth, target, l);
            const Real at_y = j.second ? weight * y.residual(j.truth, target, l) : Real(0);
            if (j.slopes) {
                const double change = static_cast<double>(x.scores[l]) - static_cast<double>(y.scores[l]);
                slope_x += static_cast<double>(at_x) * change;
                slope_y += static_cast<double>(at_y) * change;
            }
            if (j.residuals != nullptr)
                j.residuals[at * outputs + l] =
                    static_cast<Real>(j.factor * j.at_x) * at_x + static_cast<Real>(j.factor * j.at_y) * at_y;
            if (j.at_x_alone != nullptr) j.at_x_alone[at * outputs + l] = at_x;
        }
    }
    loss = sum_of_block(loss, shared);
    if (j.slopes) {
        slope_x = sum_of_block(slope_x, shared);
        slope_y = sum_of_block(slope_y, shared);
    }
    if (thread_number() > 0) return;
    double* const own = j.sums + 3 * block_number();
    own[0] = j.fresh ? loss : own[0] + loss;
    own[1] = j.fresh ? slope_x : own[1] + slope_x;
    own[2] = j.fresh ? slope_y : own[2] + slope_y;
}

}  // namespace alfcg::cuda

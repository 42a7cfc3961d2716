// All dense rows in one pass, where there are few outputs: a tile of rows comes to shared memory, is scored, judged and added up there, while
// the next one is on its way. A thread has its columns' share of the gradient in registers, and weights lie in shared memory as well, so that
// nothing is read twice.
#pragma once

#include "cuda/losses.cuh"

namespace alfcg::cuda {

inline constexpr int fused_rows_together = 4;  // that a warp scores: a weight is read once for them
inline constexpr int fused_threads = 512;      // of a block, at most
inline constexpr int most_tile_rows = 16;

template <class Real>
struct FusedPass {
    const Real* data;
    Index stride;  // entries of a row, a whole number of packs; the last are zero
    Index rows;
    const Real* weights;  // outputs x stride
    Truth<Real> truth;
    Real factor;     // of derivatives
    Real* shares;    // of the gradient: blocks x outputs x stride; null: the value alone
    double* losses;  // of the blocks
    int tile_rows;   // a multiple of fused_rows_together
    int slices;      // warps that score the same rows, each a part of the columns
};

/// Outputs that there are sums for, where there are `outputs`; a whole number of packs.
template <class Real>
__host__ __device__ constexpr int padded_outputs(int outputs) {
    return (outputs + Pack<Real>::size - 1) / Pack<Real>::size * Pack<Real>::size;
}

/// Bytes of shared memory.
template <class Real>
std::size_t fused_memory(Index stride, int capacity, int tile_rows, int slices) {
    const Index entries = (2 * tile_rows + capacity) * stride +
                          static_cast<Index>(slices) * tile_rows * capacity +
                          tile_rows * padded_outputs<Real>(capacity);
    return static_cast<std::size_t>(entries) * sizeof(Real) + warp_size * sizeof(double);
}

/// `capacity`: outputs that there is room for; `own_packs`: packs of columns that a thread has, at most.
template <class Real, int capacity, int own_packs>
__global__ void __launch_bounds__(fused_threads) fused_pass(FusedPass<Real> pass) {
    constexpr int n = Pack<Real>::size;
    constexpr int together = fused_rows_together;
    constexpr int padded = padded_outputs<Real>(capacity);
    const int outputs = pass.truth.outputs;
    const int tile_rows = pass.tile_rows;
    const int packs = static_cast<int>(pass.stride / n);
    const int threads = threads_of_block();
    const int thread = thread_number();

    ALFCG_SHARED_MEMORY(memory);
    Pack<Real>* const tiles = reinterpret_cast<Pack<Real>*>(memory);
    Pack<Real>* const weights = tiles + 2 * tile_rows * packs;
    Real* const partial = reinterpret_cast<Real*>(weights + capacity * packs);
    Real* const residuals = partial + pass.slices * tile_rows * capacity;
    double* const sums = reinterpret_cast<double*>(residuals + tile_rows * padded);

    const Index all_tiles = divided_up(pass.rows, tile_rows);
    const Index first_tile = all_tiles * block_number() / blocks_of_grid();
    const Index last_tile = all_tiles * (block_number() + 1) / blocks_of_grid();

    const auto fetch = [&](Index tile, int buffer) {
        Pack<Real>* const to = tiles + buffer * tile_rows * packs;
        for (int r = 0; r < tile_rows; ++r) {
            const Index row = tile * tile_rows + r;
            for (int p = thread; p < packs; p += threads) {
                if (row < pass.rows) {
                    copy_async(to + r * packs + p, pass.data + row * pass.stride + p * n);
                } else {
                    to[r * packs + p] = {};
                }
            }
        }
    };

    const Pack<Real>* const given = reinterpret_cast<const Pack<Real>*>(pass.weights);
    for (int k = thread; k < capacity * packs; k += threads)
        weights[k] = k < outputs * packs ? given[k] : Pack<Real>{};
    for (int k = thread; k < tile_rows * padded; k += threads) residuals[k] = 0;
    fetch(first_tile, 0);
    commit_copies();

    Real gradient[own_packs][capacity][n] = {};
    double loss = 0;
    const int warps = threads / warp_size;
    const int groups = tile_rows / together;
    for (Index tile = first_tile; tile < last_tile; ++tile) {
        const int buffer = static_cast<int>((tile - first_tile) % 2);
        if (tile + 1 < last_tile) fetch(tile + 1, 1 - buffer);
        commit_copies();
        wait_for_copies<1>();
        __syncthreads();
        const Pack<Real>* const rows = tiles + buffer * tile_rows * packs;

        // Scores: of four rows at a time, a slice of the columns for each warp.
        for (int work = warp_number(); work < groups * pass.slices; work += warps) {
            const int group = work / pass.slices;
            const int slice = work % pass.slices;
            const Pack<Real>* const own = rows + group * together * packs;
            Real scores[together * capacity] = {};
            for (int p = slice * warp_size + lane_number(); p < packs; p += pass.slices * warp_size) {
                Pack<Real> x[together];
#pragma unroll
                for (int r = 0; r < together; ++r) x[r] = own[r * packs + p];
#pragma unroll
                for (int l = 0; l < capacity; ++l) {
                    const Pack<Real> w = weights[l * packs + p];
#pragma unroll
                    for (int r = 0; r < together; ++r)
#pragma unroll
                        for (int k = 0; k < n; ++k) scores[r * capacity + l] += x[r].v[k] * w.v[k];
                }
            }
            const Held held = scatter_sums(scores);
            Real* const to = partial + (slice * tile_rows + group * together) * capacity + held.first;
#pragma unroll
            for (int k = 0; k < divided_up(together * capacity, warp_size); ++k)
                if (k < held.count) to[k] = scores[k];
        }
        __syncthreads();

        // Residuals: a thread for each row.
        const Index row = tile * tile_rows + thread;
        if (thread < tile_rows && row < pass.rows) {
            Real score[capacity];
#pragma unroll
            for (int l = 0; l < capacity; ++l) {
                score[l] = 0;
                for (int slice = 0; slice < pass.slices; ++slice)
                    score[l] += partial[(slice * tile_rows + thread) * capacity + l];
            }
            const Real target = pass.truth.targets[row];
            const Real weight = pass.truth.weight(row);
            Real* const own = residuals + thread * padded;
            if (pass.truth.loss == DeviceLoss::softmax) {
                Real largest = score[0];
#pragma unroll
                for (int l = 1; l < capacity; ++l)
                    if (l < outputs && score[l] > largest) largest = score[l];
                Real sum = 0;
                Real true_score = 0;
                const int true_class = static_cast<int>(target);
#pragma unroll
                for (int l = 0; l < capacity; ++l) {
                    if (l >= outputs) continue;
                    if (l == true_class) true_score = score[l];
                    score[l] = std::exp(score[l] - largest);
                    sum += score[l];
                }
                loss += static_cast<double>(weight * (std::log(sum) + (largest - true_score)));
#pragma unroll
                for (int l = 0; l < capacity; ++l)
                    if (l < outputs)
                        own[l] =
                            pass.factor * weight * (score[l] / sum - (l == true_class ? Real(1) : Real(0)));
            } else {
                const Judged<Real> judged =
                    judge_score(pass.truth.loss, score[0], target, pass.truth.parameter);
                loss += static_cast<double>(weight * judged.value);
                own[0] = pass.factor * weight * judged.slope;
            }
        }
        __syncthreads();

        // The gradient: every thread has columns of its own.
        if (pass.shares != nullptr) {
            const Index left = pass.rows - tile * tile_rows;
            const int count = left < tile_rows ? static_cast<int>(left) : tile_rows;
            for (int r = 0; r < count; ++r) {
                Real residual[padded];
                const Pack<Real>* const of_row = reinterpret_cast<const Pack<Real>*>(residuals + r * padded);
#pragma unroll
                for (int k = 0; k < padded / n; ++k) {
                    const Pack<Real> some = of_row[k];
#pragma unroll
                    for (int j = 0; j < n; ++j) residual[k * n + j] = some.v[j];
                }
#pragma unroll
                for (int q = 0; q < own_packs; ++q) {
                    const int p = thread + q * threads;
                    if (p >= packs) continue;
                    const Pack<Real> x = rows[r * packs + p];
#pragma unroll
                    for (int l = 0; l < capacity; ++l)
#pragma unroll
                        for (int k = 0; k < n; ++k) gradient[q][l][k] += residual[l] * x.v[k];
                }
            }
        }
        __syncthreads();
    }
    if (pass.shares != nullptr) {
        Pack<Real>* const share =
            reinterpret_cast<Pack<Real>*>(pass.shares + block_number() * outputs * pass.stride);
#pragma unroll
        for (int q = 0; q < own_packs; ++q) {
            const int p = thread + q * threads;
            if (p >= packs) continue;
#pragma unroll
            for (int l = 0; l < capacity; ++l) {
                if (l >= outputs) continue;
                Pack<Real> own;
#pragma unroll
                for (int k = 0; k < n; ++k) own.v[k] = gradient[q][l][k];
                share[l * packs + p] = own;
            }
        }
    }
    loss = sum_of_block(loss, sums);
    if (thread == 0) pass.losses[block_number()] = loss;
}

}  // namespace alfcg::cuda

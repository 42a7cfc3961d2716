// Shares of a sum become the sum.
#pragma once

#include "cuda/lanes.cuh"

namespace alfcg::cuda {

inline constexpr int sum_threads = 256;

/// sum[e] = Σ_s shares[s · size + e], unless `fresh` with what is there. A block has 32 neighbouring entries, and a warp every eighth share of them.
template <class T>
__global__ void __launch_bounds__(sum_threads)
    sum_shares(const T* shares, Index count, Index size, T* sum, bool fresh) {
    constexpr int warps = sum_threads / warp_size;
    __shared__ T partial[warps][warp_size];
    const Index entry = block_number() * warp_size + lane_number();
    T own = 0;
    if (entry < size) {
#pragma unroll 8
        for (Index s = warp_number(); s < count; s += warps) own += shares[s * size + entry];
    }
    partial[warp_number()][lane_number()] = own;
    __syncthreads();
    if (warp_number() > 0 || entry >= size) return;
    T total = 0;
    for (int w = 0; w < warps; ++w) total += partial[w][lane_number()];
    sum[entry] = fresh ? total : sum[entry] + total;
}

/// sums[block][l] = Σ of column l of a table, over the rows of the block.
template <class Real>
__global__ void __launch_bounds__(sum_threads)
    sum_columns(const Real* table, Index rows, int cols, double* sums) {
    constexpr int warps = sum_threads / warp_size;
    __shared__ double partial[warps][warp_size];
    const Index first = rows * block_number() / blocks_of_grid();
    const Index last = rows * (block_number() + 1) / blocks_of_grid();
    for (int base = 0; base < cols; base += warp_size) {
        const int col = base + lane_number();
        double own = 0;
        if (col < cols)
            for (Index i = first + warp_number(); i < last; i += warps)
                own += static_cast<double>(table[i * cols + col]);
        partial[warp_number()][lane_number()] = own;
        __syncthreads();
        if (warp_number() == 0 && col < cols) {
            double total = 0;
            for (int w = 0; w < warps; ++w) total += partial[w][lane_number()];
            sums[block_number() * cols + col] = total;
        }
        __syncthreads();
    }
}

}  // namespace alfcg::cuda

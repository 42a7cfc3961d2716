// Threads of a warp and of a block, and what they add up together: always in the same order.
#pragma once

#include "cuda/runtime.cuh"

namespace alfcg::cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned every_lane = 0xffffffffU;

__device__ inline int thread_number() {
    return static_cast<int>(threadIdx.x);
}
__device__ inline int threads_of_block() {
    return static_cast<int>(blockDim.x);
}
__device__ inline int lane_number() {
    return thread_number() % warp_size;
}
__device__ inline int warp_number() {
    return thread_number() / warp_size;
}
__device__ inline Index block_number() {
    return static_cast<Index>(blockIdx.x);
}
__device__ inline Index blocks_of_grid() {
    return static_cast<Index>(gridDim.x);
}

/// Sixteen bytes of numbers, which are loaded and stored together.
template <class Real>
struct alignas(16) Pack {
    static constexpr int size = static_cast<int>(16 / sizeof(Real));
    Real v[size];
};

/// The sum over `width` neighbouring lanes (a power of two), which all of them get. All lanes of the warp take part.
template <class T>
__device__ T sum_of_lanes(T value, int width = warp_size) {
    for (int offset = width / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(every_lane, value, offset);
    return value;
}
template <class T>
__device__ T largest_of_lanes(T value, int width = warp_size) {
    for (int offset = width / 2; offset > 0; offset /= 2) {
        const T other = __shfl_xor_sync(every_lane, value, offset);
        value = other > value ? other : value;
    }
    return value;
}

/// Which of the values that were added up a lane has got: `count` of them, from the first on.
struct Held {
    int first;
    int count;
};

/// Sums of `count` values each over all lanes. Every one of them ends in one lane: the lane has values[0], values[1], ... of what it holds. Each
/// exchange halves what a lane still has, so that it takes about as many of them as there are values, in place of five times as many.
template <int count, int offset = warp_size / 2, class T>
__device__ Held scatter_sums(T (&values)[count], Held held = {0, count}) {
    constexpr int half = (count + 1) / 2;
    const bool upper = (lane_number() & offset) != 0;
    T kept[half];
#pragma unroll
    for (int i = 0; i < half; ++i) {
        const T lower_one = values[i];
        const T upper_one = i + half < count ? values[i + half < count ? i + half : 0] : T(0);
        kept[i] = (upper ? upper_one : lower_one) +
                  __shfl_xor_sync(every_lane, upper ? lower_one : upper_one, offset);
    }
    held.first += upper ? half : 0;
    held.count = upper ? held.count - half : (held.count < half ? held.count : half);
    if constexpr (offset > 1) held = scatter_sums<half, offset / 2>(kept, held);
#pragma unroll
    for (int i = 0; i < half; ++i) values[i] = kept[i];
    return held;
}

/// The sum over the block's threads, which thread 0 gets; `shared` has a number for each warp. Ends with a barrier.
__device__ inline double sum_of_block(double value, double* shared) {
    value = sum_of_lanes(value);
    if (lane_number() == 0) shared[warp_number()] = value;
    __syncthreads();
    double sum = 0;
    if (thread_number() == 0)
        for (int warp = 0; warp * warp_size < threads_of_block(); ++warp) sum += shared[warp];
    __syncthreads();
    return sum;
}

}  // namespace alfcg::cuda

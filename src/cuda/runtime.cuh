// What the kernels and those who call them need of CUDA, in few words. Compiled by nvcc against CUDA's own headers; tests compile the same
// sources against an emulation (tests/cuda_emulation), which is included before.
#pragma once

#ifndef ALFCG_CUDA_EMULATION
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

/// Shared memory whose size is given at the launch.
#define ALFCG_SHARED_MEMORY(name) extern __shared__ __align__(16) unsigned char name[]

namespace alfcg::cuda {

/// Sixteen bytes on their way to shared memory; complete once their group is waited for.
__device__ inline void copy_async(void* shared, const void* global) {
    __pipeline_memcpy_async(shared, global, 16);
}
/// Ends a group of copies.
__device__ inline void commit_copies() {
    __pipeline_commit();
}
/// Waits for all groups but the newest.
template <int newest>
__device__ void wait_for_copies() {
    __pipeline_wait_prior(newest);
}

template <class... Parameters, class... Arguments>
void start_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, std::size_t shared,
                  cudaStream_t stream, Arguments... arguments) {
    kernel<<<blocks, static_cast<unsigned>(threads), shared, stream>>>(static_cast<Parameters>(arguments)...);
}

}  // namespace alfcg::cuda
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "alfcg/core/matrix.hpp"

namespace alfcg::cuda {

inline void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

inline dim3 grid(Index x, Index y = 1, Index z = 1) {
    return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 blocks, int threads, std::size_t shared, cudaStream_t stream,
            Arguments... arguments) {
    if (blocks.x == 0) return;  // nothing to do
    start_kernel(kernel, blocks, threads, shared, stream, arguments...);
    check(cudaGetLastError(), "a kernel cannot be started");
}

__host__ __device__ constexpr Index divided_up(Index count, Index by) {
    return (count + by - 1) / by;
}

/// Memory of the device, or (`pinned`) of the host where the device can reach it. It grows, and then holds nothing.
template <class T, bool pinned = false>
class Memory {
  public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { release(); }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] Index size() const { return size_; }
    T* room_for(Index count) {
        if (count > size_) {
            count = std::max(count, size_ + size_ / 2);  // what grows again grows on
            release();
            void* memory = nullptr;
            const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
            check(pinned ? cudaMallocHost(&memory, bytes) : cudaMalloc(&memory, bytes),
                  "memory cannot be had");
            data_ = static_cast<T*>(memory);
            size_ = count;
        }
        return data_;
    }

  private:
    void release() {
        if (data_ != nullptr) static_cast<void>(pinned ? cudaFreeHost(data_) : cudaFree(data_));
        data_ = nullptr;
        size_ = 0;
    }

    T* data_ = nullptr;
    Index size_ = 0;
};

/// Work in the order in which it was asked for.
class Stream {
  public:
    Stream() { check(cudaStreamCreate(&stream_), "no stream can be had"); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

    operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)
    void wait() const { check(cudaStreamSynchronize(stream_), "a kernel failed"); }
    /// Either side may be the device's. The host's is to stay as it is until wait().
    template <class T>
    void copy(T* to, const T* from, Index count) const {
        check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDefault,
                              stream_),
              "memory cannot be copied");
    }
    template <class T>
    void clear(T* at, Index count) const {
        check(cudaMemsetAsync(at, 0, static_cast<std::size_t>(count) * sizeof(T), stream_),
              "memory cannot be cleared");
    }

  private:
    cudaStream_t stream_ = nullptr;
};

}  // namespace alfcg::cuda

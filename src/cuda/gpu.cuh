// What a GPU is like, as far as passes are cut to it.
#pragma once

#include "cuda/runtime.cuh"

namespace alfcg::cuda {

struct Gpu {
    int number = 0;
    int processors = 0;
    int block_memory = 0;      // bytes of shared memory that a block may have
    int processor_memory = 0;  // and all blocks of a multiprocessor together
    int cache = 0;             // bytes of the second-level cache

    explicit Gpu(int device) : number(device) {
        const auto ask = [&](int& value, cudaDeviceAttr what) {
            check(cudaDeviceGetAttribute(&value, what, device), "the device does not answer");
        };
        ask(processors, cudaDevAttrMultiProcessorCount);
        ask(block_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin);
        ask(processor_memory, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
        ask(cache, cudaDevAttrL2CacheSize);
    }

    /// For this thread, from now on.
    void use() const { check(cudaSetDevice(number), "the device cannot be used"); }
};

}  // namespace alfcg::cuda

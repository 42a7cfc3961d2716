// CUDA for tests, on the CPU: enough of it to compile src/cuda/ with a C++ compiler and to run it, slowly and strictly. Blocks come one after
// another; the threads of a block are fibers, which meet at barriers and shuffles. Whatever a stream was asked for happens when it is waited
// for, so that a host that does not wait sees nothing; copies to shared memory happen when their group is waited for; memory that was not
// written is full of NaN; threads that wait for others that do not come are an error. ALFCG_EMULATION_ORDER=backward or shuffled runs the
// threads of a block in another order: results that depend on it lack a barrier. ALFCG_EMULATION_COPIES=soon makes copies at once, before what other
// streams have still to do; ALFCG_EMULATION_PINNING=none lets no memory be pinned.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "counts.hpp"

#define __global__
#define __device__
#define __host__
#define __shared__ static thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define ALFCG_SHARED_MEMORY(name) unsigned char* name = alfcg::emulation::shared_memory()
#define threadIdx (alfcg::emulation::thread_index())
#define blockIdx (alfcg::emulation::block_index)
#define blockDim (alfcg::emulation::block_size)
#define gridDim (alfcg::emulation::grid_size)

struct dim3 {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
};

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorInvalidValue, cudaErrorLaunchFailure };
enum cudaMemcpyKind { cudaMemcpyDefault };
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrL2CacheSize,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaDeviceProp {
    char name[256];
    int major;
    int minor;
};
struct EmulatedStream;
using cudaStream_t = EmulatedStream*;
struct EmulatedEvent;
using cudaEvent_t = EmulatedEvent*;
inline constexpr unsigned cudaEventDisableTiming = 2;
inline constexpr unsigned cudaHostRegisterReadOnly = 8;

cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream);
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel /*kernel*/, cudaFuncAttribute /*attribute*/, int /*value*/) {
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel /*kernel*/, int /*threads*/,
                                                          std::size_t /*shared*/) {
    *blocks = 2;
    return cudaSuccess;
}

namespace alfcg::emulation {

extern thread_local dim3 block_index;
extern thread_local dim3 block_size;
extern thread_local dim3 grid_size;
dim3 thread_index();
unsigned char* shared_memory();

void wait_for_block();
/// What the lane has whose number differs by `mask`.
std::uint64_t exchange(std::uint64_t bits, int mask);
void copy_later(void* to, const void* from, std::size_t bytes);
void end_copies();
void make_copies(std::size_t but_newest);

/// Puts a kernel into a stream.
void start(std::function<void()> body, dim3 blocks, int threads, std::size_t shared, cudaStream_t stream);

}  // namespace alfcg::emulation

inline void __syncthreads() {
    alfcg::emulation::wait_for_block();
}
inline void __syncwarp() {
    static_cast<void>(alfcg::emulation::exchange(0, 0));
}
template <class T>
T __shfl_xor_sync(unsigned /*mask*/, T value, int mask) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = alfcg::emulation::exchange(bits, mask);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

namespace alfcg::cuda {

inline void copy_async(void* shared, const void* global) {
    emulation::copy_later(shared, global, 16);
}
inline void commit_copies() {
    emulation::end_copies();
}
template <int newest>
void wait_for_copies() {
    emulation::make_copies(newest);
}
template <class... Parameters, class... Arguments>
void start_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, std::size_t shared,
                  cudaStream_t stream, Arguments... arguments) {
    emulation::start([=] { kernel(static_cast<Parameters>(arguments)...); }, blocks, threads, shared, stream);
}

}  // namespace alfcg::cuda

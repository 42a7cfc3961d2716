#include "cuda_emulation.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

struct EmulatedStream {
    std::deque<std::function<void()>> waiting;
    std::uint64_t begun = 0;

    void push(std::function<void()> work) { waiting.push_back(std::move(work)); }
    [[nodiscard]] std::uint64_t asked() const { return begun + waiting.size(); }
    // What it was asked for, up to this many of its works; that may make others run, which wait for less of this one.
    void run_until(std::uint64_t count) {
        while (begun < count) {
            const std::function<void()> work = std::move(waiting.front());
            waiting.pop_front();
            ++begun;
            work();
        }
    }
};

struct EmulatedEvent {
    EmulatedStream* stream = nullptr;
    std::uint64_t after = 0;  // works of the stream
};

namespace alfcg::emulation {

thread_local dim3 block_index;
thread_local dim3 block_size;
thread_local dim3 grid_size;

namespace {

constexpr std::size_t stack_size = std::size_t{128} << 10;
constexpr int lanes = 32;

// Threads of the host that use the device at the same time.
std::recursive_mutex& one_at_a_time() {
    static std::recursive_mutex mutex;
    return mutex;
}

struct Barrier {
    int arrived = 0;
    unsigned generation = 0;
};

struct Warp {
    Barrier barrier;
    std::uint64_t slots[2][lanes];  // the next shuffle must not overwrite what this one still reads
};

struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
};

struct Fiber {
    std::unique_ptr<unsigned char[]> stack = std::make_unique<unsigned char[]>(stack_size);
    ucontext_t first{};
    jmp_buf at{};
    bool begun = false;
    bool done = false;
    int number = 0;
    const Barrier* barrier = nullptr;  // that it waits at
    unsigned generation = 0;
    unsigned shuffles = 0;
    std::vector<std::vector<Copy>> copies;  // in groups, the last of which is open
};

// The block that runs on this thread of the CPU.
struct Block {
    std::vector<Fiber> fibers;
    std::vector<Warp> warps;
    Barrier barrier;
    int threads = 0;
    std::vector<std::uint64_t> shared;
    const std::function<void()>* body = nullptr;
    Fiber* now = nullptr;
    jmp_buf scheduler{};
};
thread_local Block block;

[[noreturn]] void leave() {
    _longjmp(block.scheduler, 1);
}

void run_fiber() {
    (*block.body)();
    block.now->done = true;
    leave();
}

void resume(Fiber& fiber) {
    block.now = &fiber;
    if (_setjmp(block.scheduler) != 0) return;
    if (fiber.begun) _longjmp(fiber.at, 1);
    fiber.begun = true;
    getcontext(&fiber.first);
    fiber.first.uc_stack.ss_sp = fiber.stack.get();
    fiber.first.uc_stack.ss_size = stack_size;
    fiber.first.uc_link = nullptr;
    makecontext(&fiber.first, run_fiber, 0);
    setcontext(&fiber.first);
}

void wait_at(Barrier& barrier, int members) {
    Fiber& self = *block.now;
    if (++barrier.arrived == members) {
        barrier.arrived = 0;
        ++barrier.generation;
        return;
    }
    self.barrier = &barrier;
    self.generation = barrier.generation;
    if (_setjmp(self.at) == 0) leave();
    self.barrier = nullptr;
}

std::vector<int> order_of_threads(int threads) {
    std::vector<int> order;
    for (int k = 0; k < threads; ++k) order.push_back(k);
    const char* asked = std::getenv("ALFCG_EMULATION_ORDER");
    const std::string name = asked == nullptr ? "" : asked;
    if (name == "backward") std::reverse(order.begin(), order.end());
    if (name == "shuffled") std::shuffle(order.begin(), order.end(), std::mt19937(block_index.x));
    return order;
}

void run_block(const std::function<void()>& body, int threads, std::size_t shared) {
    block.body = &body;
    block.threads = threads;
    block.shared.assign(shared / sizeof(std::uint64_t) + 1, ~std::uint64_t{0});
    block.barrier = {};
    if (std::ssize(block.fibers) < threads) block.fibers.resize(static_cast<std::size_t>(threads));
    block.warps.assign(static_cast<std::size_t>(threads / lanes), {});
    for (int k = 0; k < threads; ++k) {
        Fiber& fiber = block.fibers[static_cast<std::size_t>(k)];
        fiber.begun = fiber.done = false;
        fiber.number = k;
        fiber.barrier = nullptr;
        fiber.shuffles = 0;
        fiber.copies.assign(1, {});
    }
    const std::vector<int> order = order_of_threads(threads);
    for (int left = threads; left > 0;) {
        bool moved = false;
        for (const int k : order) {
            Fiber& fiber = block.fibers[static_cast<std::size_t>(k)];
            const bool waits = fiber.barrier != nullptr && fiber.barrier->generation == fiber.generation;
            if (fiber.done || waits) continue;
            moved = true;
            resume(fiber);
            if (fiber.done) --left;
        }
        if (!moved) throw std::runtime_error("emulation: threads wait for others that do not come");
    }
}

}  // namespace

dim3 thread_index() {
    return {static_cast<unsigned>(block.now->number), 0, 0};
}

unsigned char* shared_memory() {
    return reinterpret_cast<unsigned char*>(block.shared.data());
}

void wait_for_block() {
    wait_at(block.barrier, block.threads);
}

std::uint64_t exchange(std::uint64_t bits, int mask) {
    Fiber& self = *block.now;
    Warp& warp = block.warps[static_cast<std::size_t>(self.number / lanes)];
    const int lane = self.number % lanes;
    std::uint64_t* slots = warp.slots[self.shuffles++ % 2];
    slots[lane] = bits;
    wait_at(warp.barrier, lanes);
    return slots[lane ^ mask];
}

void copy_later(void* to, const void* from, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 ||
        reinterpret_cast<std::uintptr_t>(from) % bytes != 0)
        throw std::runtime_error("emulation: a copy to shared memory is not aligned");
    block.now->copies.back().push_back({to, from, bytes});
}

void end_copies() {
    block.now->copies.emplace_back();
}

void make_copies(std::size_t but_newest) {
    auto& groups = block.now->copies;
    while (groups.size() - 1 > but_newest) {
        for (const Copy& copy : groups.front()) std::memcpy(copy.to, copy.from, copy.bytes);
        groups.erase(groups.begin());
    }
}

void start(std::function<void()> body, dim3 blocks, int threads, std::size_t shared, cudaStream_t stream) {
    if (threads <= 0 || threads > 1024 || threads % lanes != 0 || blocks.x == 0 || blocks.y == 0 ||
        blocks.z == 0 || blocks.y > 65535 || blocks.z > 65535)
        throw std::runtime_error("emulation: a launch of no shape that a GPU has");
    const std::scoped_lock lock(one_at_a_time());
    ++alfcg_emulation_counts()->launches;
    stream->push([=] {
        block_size = {static_cast<unsigned>(threads), 1, 1};
        grid_size = blocks;
        for (unsigned z = 0; z < blocks.z; ++z)
            for (unsigned y = 0; y < blocks.y; ++y)
                for (unsigned x = 0; x < blocks.x; ++x) {
                    block_index = {x, y, z};
                    run_block(body, threads, shared);
                }
    });
}

namespace {

// As small as will do, so that small data meet all of its limits.
constexpr int processors = 3;
constexpr int block_memory = 48 << 10;
constexpr int cache = 16 << 10;

std::vector<EmulatedStream*>& streams() {
    static std::vector<EmulatedStream*> all;
    return all;
}
bool asked_for(const char* variable, const char* value) {
    const char* asked = std::getenv(variable);
    return asked != nullptr && std::string(asked) == value;
}

// Where copies are made as soon as they are asked for, whatever other streams have still to do: what they overwrite must not be in use.
void copy(EmulatedStream* stream, std::size_t bytes, std::function<void()> work) {
    ++alfcg_emulation_counts()->copies;
    alfcg_emulation_counts()->copied += static_cast<double>(bytes);
    stream->push(std::move(work));
    if (asked_for("ALFCG_EMULATION_COPIES", "soon")) stream->run_until(stream->asked());
}

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t allocate(void** memory, std::size_t bytes) {
    constexpr std::size_t line = 256;
    const std::scoped_lock lock(one_at_a_time());
    ++alfcg_emulation_counts()->allocations;
    *memory = std::aligned_alloc(line, (bytes / line + 2) * line);
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    std::memset(*memory, 0xff, (bytes / line + 2) * line);
    return cudaSuccess;
}

}  // namespace

}  // namespace alfcg::emulation

using namespace alfcg::emulation;

EmulationCounts* alfcg_emulation_counts() {
    static EmulationCounts counts;
    return &counts;
}

cudaError_t cudaGetLastError() {
    return std::exchange(last_error, cudaSuccess);
}
const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorMemoryAllocation ? "out of memory" : "no such thing in the emulation";
}
cudaError_t cudaGetDeviceCount(int* count) {
    *count = 2;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    return device < 2 ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
    *properties = {"emulated on the CPU", 9, 0};
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
    *value = attribute == cudaDevAttrMultiProcessorCount                ? processors
             : attribute == cudaDevAttrL2CacheSize                      ? cache
             : attribute == cudaDevAttrMaxSharedMemoryPerMultiprocessor ? 2 * block_memory
                                                                        : block_memory;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *total = std::size_t{1} << 30;
    *free = *total;
    return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    return allocate(memory, bytes);
}
cudaError_t cudaFree(void* memory) {
    const std::scoped_lock lock(one_at_a_time());
    for (EmulatedStream* stream : streams()) stream->run_until(stream->asked());  // as CUDA does
    std::free(memory);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    return allocate(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
    return cudaFree(memory);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    const std::scoped_lock lock(one_at_a_time());
    *stream = streams().emplace_back(new EmulatedStream);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const std::scoped_lock lock(one_at_a_time());
    std::erase(streams(), stream);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    const std::scoped_lock lock(one_at_a_time());
    ++alfcg_emulation_counts()->synchronisations;
    stream->run_until(stream->asked());
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
    *event = new EmulatedEvent;
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const std::scoped_lock lock(one_at_a_time());
    *event = {stream, stream->asked()};
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
    const std::scoped_lock lock(one_at_a_time());
    if (event->stream != nullptr)
        stream->push([awaited = *event] { awaited.stream->run_until(awaited.after); });
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void* /*memory*/, std::size_t /*bytes*/, unsigned /*flags*/) {
    if (asked_for("ALFCG_EMULATION_PINNING", "none")) last_error = cudaErrorInvalidValue;
    return last_error;
}
cudaError_t cudaHostUnregister(void* /*memory*/) {
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
    const std::scoped_lock lock(one_at_a_time());
    copy(stream, bytes, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind /*kind*/,
                              cudaStream_t stream) {
    const std::scoped_lock lock(one_at_a_time());
    copy(stream, width * height, [=] {
        for (std::size_t i = 0; i < height; ++i)
            std::memcpy(static_cast<char*>(to) + i * to_pitch,
                        static_cast<const char*>(from) + i * from_pitch, width);
    });
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
    const std::scoped_lock lock(one_at_a_time());
    stream->push([=] { std::memset(at, value, bytes); });
    return cudaSuccess;
}

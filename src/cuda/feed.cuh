// Data that come from the host while others are worked on: two buffers, which take turns, and a stream of their own for the copies.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cuda/gpu.cuh"

namespace alfcg::cuda {

/// Bytes that may be used: nearly all that are free, or ALFCG_CUDA_MEMORY where that is less.
inline double room() {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "the device does not answer");
    const char* const asked = std::getenv("ALFCG_CUDA_MEMORY");
    const double most = 0.95 * static_cast<double>(free);
    return asked == nullptr || *asked == '\0' ? most : std::min(most, std::strtod(asked, nullptr));
}

[[noreturn]] inline void refuse_size(double needed, double room) {
    constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
    std::ostringstream text;
    text.precision(3);
    text << "what passes keep takes " << needed / gibibyte
         << " GiB of its memory, even where the data stay on the host, and " << room / gibibyte
         << " GiB are free: take fewer rows (`rows`), or the CPU (`device` cpu)";
    throw std::runtime_error(text.str());
}

/// How data are laid out: the first rows lie on the device, the others come in parts, of which there is room for two.
struct Layout {
    double for_data = 0;  // bytes that they may take altogether
    double part = 0;      // bytes of a part
    bool streamed = false;

    /// Data of so many bytes, rows of no more than `row` among them, where so many are needed besides.
    static Layout make(double data, double row, double besides) {
        constexpr double largest_part = 256.0 * 1024 * 1024;
        constexpr int parts = 8;  // that there would be room for, at least
        const double all = room();
        const double left = all - besides;
        if (data <= left) return {left, 0, false};
        if (left < parts * row) refuse_size(besides + parts * row, all);
        return {left, std::max(row, std::min(left / parts, largest_part)), true};
    }
};

class Event {
  public:
    Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "no event can be had"); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

    void record(const Stream& stream) const { check(cudaEventRecord(event_, stream), "an event"); }
    /// What the stream is asked for from now on waits for it; nothing waits for one that was never recorded.
    void hold(const Stream& stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "an event"); }

  private:
    cudaEvent_t event_ = nullptr;
};

/// Somebody's memory where the device can fetch it by itself, as long as this lives. Where the system does not allow that, copies take a way
/// through memory of the driver's, for which the host waits.
class Pinned {
  public:
    Pinned() = default;
    Pinned(const void* memory, std::size_t bytes) {
        auto* const at = const_cast<void*>(memory);
        if (bytes == 0) return;
        if (cudaHostRegister(at, bytes, cudaHostRegisterReadOnly) == cudaSuccess) {
            memory_ = at;
        } else {
            static_cast<void>(cudaGetLastError());  // else the next launch would report it
        }
    }
    Pinned(Pinned&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
    Pinned& operator=(Pinned&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~Pinned() {
        if (memory_ != nullptr) static_cast<void>(cudaHostUnregister(memory_));
    }

  private:
    void* memory_ = nullptr;
};

/// The turns of the two buffers. Parts are sent in their order; the first two before anything waits for them, each later one where the one
/// before the last has been left.
class Feed {
  public:
    /// send(part, buffer, stream) for the parts to come.
    template <class Send>
    void begin(int parts, const Send& send) {
        parts_ = parts;
        for (int part = 0; part < std::min(2, parts); ++part) start(part, send);
    }
    void arrive(int part, const Stream& work) const { there_[part % 2].hold(work); }
    template <class Send>
    void leave(int part, const Stream& work, const Send& send) {
        free_[part % 2].record(work);
        if (part + 2 < parts_) start(part + 2, send);
    }

  private:
    template <class Send>
    void start(int part, const Send& send) {
        free_[part % 2].hold(copies_);
        send(part, part % 2, copies_);
        there_[part % 2].record(copies_);
    }

    Stream copies_;
    Event there_[2];
    Event free_[2];
    int parts_ = 0;
};

}  // namespace alfcg::cuda

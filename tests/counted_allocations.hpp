// Counts every operator new of the program that includes it, which must be a single file.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace alfcg {

inline std::atomic<long> allocations{0};

}  // namespace alfcg

// Kept out of line: inlined, the compiler sees a free without its new. Sanitizers have a nothrow form of their own.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    ++alfcg::allocations;
    return std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (void* memory = operator new(bytes, std::nothrow)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
    ++alfcg::allocations;
    const auto boundary = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/,
                                       std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}

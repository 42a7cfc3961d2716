#include "alfcg/core/buffer.hpp"

#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace alfcg {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t large_page = std::size_t{2} << 20;

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= 2 * large_page) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: refusal does no harm
#endif
}

std::align_val_t alignment_for(std::size_t bytes) {
    return std::align_val_t{bytes >= 2 * large_page ? large_page : cache_line};
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
    void* memory = ::operator new(bytes, alignment_for(bytes));
    prefer_large_pages(memory, bytes);
    return memory;
}

void release_aligned(void* memory, std::size_t bytes) {
    ::operator delete(memory, alignment_for(bytes));
}

// The thread sanitizer does not follow memory that mremap moves.
#if defined(__linux__) && !defined(__SANITIZE_THREAD__)

void* resize_pages(void* pages, std::size_t old_bytes, std::size_t new_bytes) {
    if (new_bytes == 0) {
        if (pages != nullptr) munmap(pages, old_bytes);
        return nullptr;
    }
    void* result = pages == nullptr ? mmap(nullptr, new_bytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                    : mremap(pages, old_bytes, new_bytes, MREMAP_MAYMOVE);
    if (result == MAP_FAILED) throw std::bad_alloc();
    return result;
}

#else

void* resize_pages(void* pages, std::size_t /*old_bytes*/, std::size_t new_bytes) {
    if (new_bytes == 0) {
        std::free(pages);
        return nullptr;
    }
    void* result = std::realloc(pages, new_bytes);
    if (result == nullptr) throw std::bad_alloc();
    return result;
}

#endif

}  // namespace alfcg

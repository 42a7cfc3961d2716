#include "alfcg/core/buffer.hpp"

#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace alfcg {

#ifdef __linux__

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

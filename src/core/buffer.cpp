#include "alfcg/core/buffer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace alfcg {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t large_page = std::size_t{2} << 20;

// From here on a block is given large pages of its own, the last one perhaps in part.
bool is_large(std::size_t bytes) {
    return bytes >= large_page / 2;
}

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: refusal does no harm
#endif
}

std::align_val_t alignment_for(std::size_t bytes) {
    return std::align_val_t{is_large(bytes) ? large_page : cache_line};
}

std::size_t whole_large_pages(std::size_t bytes) {
    return (bytes + large_page - 1) / large_page * large_page;
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
    if (!is_large(bytes)) return ::operator new(bytes, alignment_for(bytes));
    void* memory = ::operator new(whole_large_pages(bytes), alignment_for(bytes));
    prefer_large_pages(memory, whole_large_pages(bytes));
    return memory;
}

void release_aligned(void* memory, std::size_t bytes) {
    ::operator delete(memory, alignment_for(bytes));
}

void release_file_pages(PageFile& file, std::size_t bytes) noexcept {
    if (file.pages != nullptr) munmap(file.pages, bytes);
    file.pages = nullptr;
}

void* resize_file_pages(PageFile& file, std::size_t old_bytes, std::size_t new_bytes) {
    const auto check = [](int problem) {
        if (problem != 0) throw std::system_error(problem, std::generic_category());
    };
    const auto end_of = [&](std::size_t bytes) { return static_cast<off_t>(file.offset + bytes); };
    // A hole in a file is filled when it is written to, and a full disk would then end the program.
    if (new_bytes > old_bytes)
        check(posix_fallocate(file.descriptor, end_of(old_bytes), static_cast<off_t>(new_bytes - old_bytes)));
    release_file_pages(file, old_bytes);
    if (new_bytes < old_bytes) check(ftruncate(file.descriptor, end_of(new_bytes)) == 0 ? 0 : errno);
    if (new_bytes == 0) return nullptr;
    void* pages = mmap(nullptr, new_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, end_of(0));
    check(pages == MAP_FAILED ? errno : 0);
    return file.pages = pages;
}

// The thread sanitizer does not follow memory that mremap moves.
#if defined(__linux__) && !defined(__SANITIZE_THREAD__)

namespace {

void* map_pages(std::size_t bytes) {
    void* pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return pages;
}

// Pages that begin where a large page may begin.
void* map_large_pages(std::size_t bytes) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t kept = (bytes + page - 1) / page * page;
    auto* mapped = static_cast<std::byte*>(map_pages(kept + large_page));
    const std::size_t before =
        (large_page - reinterpret_cast<std::uintptr_t>(mapped) % large_page) % large_page;
    if (before > 0) munmap(mapped, before);
    if (before < large_page) munmap(mapped + before + kept, large_page - before);
    prefer_large_pages(mapped + before, bytes);
    return mapped + before;
}

}  // namespace

void* resize_pages(void* pages, std::size_t old_bytes, std::size_t new_bytes) {
    if (new_bytes == 0) {
        if (pages != nullptr) munmap(pages, old_bytes);
        return nullptr;
    }
    if (pages == nullptr) return is_large(new_bytes) ? map_large_pages(new_bytes) : map_pages(new_bytes);
    void* result = MAP_FAILED;
    if (new_bytes <= old_bytes || !is_large(new_bytes)) {
        result = mremap(pages, old_bytes, new_bytes, MREMAP_MAYMOVE);
    } else {
        void* place = map_large_pages(new_bytes);
        result = mremap(pages, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
        if (result == MAP_FAILED) {
            munmap(place, new_bytes);
        } else {
            prefer_large_pages(result, new_bytes);
        }
    }
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

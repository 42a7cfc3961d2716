#include "data/mapped_pages.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace alfcg {

namespace {

// What a signal handler may look at: no locks, no memory that moves. Files beyond the last place have no name in its message.
struct Place {
    std::atomic<std::uintptr_t> first = 0;  // 0: free; 1: about to be taken
    std::atomic<std::size_t> bytes = 0;
    std::array<char, 256> path{};
};
std::array<Place, 32> places;

Place* take_place(const void* pages, std::size_t bytes, const std::string& path) {
    for (Place& place : places) {
        std::uintptr_t free = 0;
        if (!place.first.compare_exchange_strong(free, 1)) continue;
        std::strncpy(place.path.data(), path.c_str(), place.path.size() - 1);
        place.bytes = bytes;
        place.first = reinterpret_cast<std::uintptr_t>(pages);
        return &place;
    }
    return nullptr;
}

}  // namespace

std::shared_ptr<void> map_file(int descriptor, std::size_t bytes, const std::string& path) {
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    if (pages == MAP_FAILED) return {};
    Place* const place = take_place(pages, bytes, path);
    return {pages, [bytes, place](void* p) {
                if (place != nullptr) place->first = 0;
                munmap(p, bytes);
            }};
}

const char* mapped_file_at(const void* address) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (const Place& place : places) {
        const std::uintptr_t first = place.first;
        // A page is mapped whole, also where the file ends in it.
        constexpr std::size_t largest_page = std::size_t{1} << 16;
        if (first > 1 && at >= first && at - first < place.bytes + largest_page) return place.path.data();
    }
    return nullptr;
}

}  // namespace alfcg

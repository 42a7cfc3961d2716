#include "core/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace alfcg {

void side_by_side(std::size_t count, int threads, FunctionRef<void(std::size_t)> task) {
    std::vector<std::exception_ptr> thrown(count);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t k = next++; k < count; k = next++) {
            try {
                task(k);
            } catch (...) {
                thrown[k] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        while (others.size() + 1 < std::min(count, static_cast<std::size_t>(threads)))
            others.emplace_back(work);
        work();
    }
    for (const std::exception_ptr& problem : thrown)
        if (problem) std::rethrow_exception(problem);
}

}  // namespace alfcg

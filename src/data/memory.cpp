#include "data/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "alfcg/core/error.hpp"

namespace alfcg {

double physical_memory() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void check_memory(const std::string& source, double count, double item_bytes, const std::string& need,
                  const std::string& remedy) {
    const double needed = count * item_bytes;
    const double present = physical_memory();
    if (needed <= present) return;
    constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
    throw Error(fmt::format("{}: {} about {:.3g} GiB of memory, this machine has {:.3g} GiB; {}", source,
                            need, needed / gibibyte, present / gibibyte, remedy));
}

}  // namespace alfcg

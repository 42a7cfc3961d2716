#include "data/memory.hpp"

#include <fmt/format.h>

#include "alfcg/core/error.hpp"
#include "core/memory.hpp"

namespace alfcg {

void check_memory(const std::string& source, double count, double item_bytes, const std::string& need,
                  const std::string& remedy) {
    const double needed = count * item_bytes;
    const double present = memory_limit();
    if (needed <= present) return;
    constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
    throw Error(fmt::format(
        "{}: {} about {:.3g} GiB of memory, {} {:.3g} GiB; {}", source, need, needed / gibibyte,
        memory_is_limited() ? "this process may have" : "this machine has", present / gibibyte, remedy));
}

}  // namespace alfcg

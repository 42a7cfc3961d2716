#pragma once

#include <string>

namespace alfcg {

/// Bytes of physical memory of this machine.
double physical_memory();

/// Throws Error when `count` items of `item_bytes` bytes are more than the machine has: `source` then is
/// refused before the first page is touched, instead of being killed by the operating system half way. The
/// product is formed in floating point and so cannot overflow.
void check_memory(const std::string& source, double count, double item_bytes);

}  // namespace alfcg

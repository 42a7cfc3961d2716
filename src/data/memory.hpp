#pragma once

#include <string>

namespace alfcg {

/// Throws Error when `count` items of `item_bytes` bytes are more than this process may have: `source` then is
/// refused before the first page is touched, instead of being killed by the operating system half way. The
/// product is formed in floating point and so cannot overflow. `need` and `remedy` are parts of the message.
void check_memory(const std::string& source, double count, double item_bytes,
                  const std::string& need = "the data need",
                  const std::string& remedy = "take fewer rows (`rows`)");

}  // namespace alfcg

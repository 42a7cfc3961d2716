#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace alfcg {

/// The first bytes of a file as pages of memory, private copies where they are written to; null where the system has none. A file that is
/// cut short while it is looked at ends the program with SIGBUS: mapped_file_at() tells a handler which one it was.
std::shared_ptr<void> map_file(int descriptor, std::size_t bytes, const std::string& path);

/// The name of the mapped file that an address lies in, null for others. For signal handlers.
const char* mapped_file_at(const void* address) noexcept;

}  // namespace alfcg

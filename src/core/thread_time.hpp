#pragma once

#include <chrono>

namespace alfcg {

/// What the calling thread has had of a CPU: while others have it, this stands still.
std::chrono::nanoseconds thread_time();

}  // namespace alfcg

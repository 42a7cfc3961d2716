#pragma once

#include <cstddef>

#include "core/function_ref.hpp"

namespace alfcg {

/// Calls task(k) for k = 0 .. count − 1, on up to so many threads; rethrows what the first of them threw. Small passes are not
/// worth being shared among threads, whole fits always are.
void side_by_side(std::size_t count, int threads, FunctionRef<void(std::size_t)> task);

}  // namespace alfcg

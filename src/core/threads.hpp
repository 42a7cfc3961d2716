#pragma once

namespace alfcg {

/// Threads to use when the caller leaves the choice to us (0): as many as there are cores.
int resolve_threads(int threads);

}  // namespace alfcg

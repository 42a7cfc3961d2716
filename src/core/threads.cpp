#include "core/threads.hpp"

#include <omp.h>

#include <algorithm>

namespace alfcg {

int resolve_threads(int threads) {
    return threads > 0 ? threads : std::max(1, omp_get_num_procs());
}

}  // namespace alfcg

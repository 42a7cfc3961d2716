// What the program opens when it was started by mpirun: a library of its own, so that no other start pays for MPI.
#include <exception>

#include "alfcg/mpi/ranks.hpp"

namespace {

// A failure that all ranks have in common takes no longer to get round.
constexpr double patience = 2;

}  // namespace

extern "C" {

/// This process among those that were started together; null where MPI cannot be had.
alfcg::Ranks* alfcg_open_ranks() {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return nullptr;
    try {
        return new alfcg::MpiRanks(MPI_COMM_WORLD);
    } catch (const std::exception&) {
        return nullptr;
    }
}

/// Whether all ranks are at their end, as this one is.
bool alfcg_all_here(alfcg::Ranks* ranks) {
    return static_cast<alfcg::MpiRanks*>(ranks)->all_here(patience);
}

/// The end of this process among the others: together with them, or of all, with this status, where they are not to be waited for.
void alfcg_close_ranks(alfcg::Ranks* ranks, bool together, int status) {
    auto* own = static_cast<alfcg::MpiRanks*>(ranks);
    if (!together) own->abort(status);
    delete own;
    MPI_Finalize();
}

}  // extern "C"

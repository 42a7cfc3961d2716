#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "alfcg/core/ranks.hpp"

namespace alfcg {

/// The processes of an MPI communicator. All in a header: the library needs no MPI, and whoever uses this brings their own.
class MpiRanks final : public Ranks {
  public:
    /// MPI must be initialised, and stay so. The communicator is duplicated, so that nobody else's messages are met; all of its processes
    /// make one.
    explicit MpiRanks(MPI_Comm comm) : Ranks(rank_in(comm), size_of(comm)) { MPI_Comm_dup(comm, &comm_); }
    ~MpiRanks() override {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized == 0) MPI_Comm_free(&comm_);
    }

    /// Whether all others come here too within so many seconds. Not to be followed by anything but the end.
    [[nodiscard]] bool all_here(double seconds) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Comm apart = comm_;
        MPI_Ibarrier(apart, &request);
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        int here = 0;
        while (MPI_Test(&request, &here, MPI_STATUS_IGNORE) == MPI_SUCCESS && here == 0) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }
    void abort(int status) { MPI_Abort(comm_, status); }

  protected:
    void gather_bytes(const void* mine, std::size_t bytes, void* all) override {
        // MPI counts in ints: what is larger goes in pieces, which then lie apart.
        for_pieces(bytes, [&](std::size_t at, int count) {
            MPI_Datatype stripe = striped(bytes, count);
            MPI_Allgather(static_cast<const char*>(mine) + at, count, MPI_BYTE, static_cast<char*>(all) + at,
                          1, stripe, comm_);
            MPI_Type_free(&stripe);
        });
    }
    void exchange_bytes(const void* blocks, std::size_t bytes, void* received) override {
        for_pieces(bytes, [&](std::size_t at, int count) {
            MPI_Datatype stripe = striped(bytes, count);
            MPI_Alltoall(static_cast<const char*>(blocks) + at, 1, stripe, static_cast<char*>(received) + at,
                         1, stripe, comm_);
            MPI_Type_free(&stripe);
        });
    }
    void tell_bytes(void* bytes, std::size_t count) override {
        for_pieces(count, [&](std::size_t at, int piece) {
            MPI_Bcast(static_cast<char*>(bytes) + at, piece, MPI_BYTE, 0, comm_);
        });
    }
    void collect_bytes(const void* mine, std::size_t bytes, void* all) override {
        for_pieces(bytes, [&](std::size_t at, int count) {
            MPI_Datatype stripe = striped(bytes, count);
            MPI_Gather(static_cast<const char*>(mine) + at, count, MPI_BYTE, static_cast<char*>(all) + at, 1,
                       stripe, 0, comm_);
            MPI_Type_free(&stripe);
        });
    }
    void deal_bytes(const void* blocks, std::size_t bytes, void* mine) override {
        for_pieces(bytes, [&](std::size_t at, int count) {
            MPI_Datatype stripe = striped(bytes, count);
            MPI_Scatter(static_cast<const char*>(blocks) + at, 1, stripe, static_cast<char*>(mine) + at,
                        count, MPI_BYTE, 0, comm_);
            MPI_Type_free(&stripe);
        });
    }

  private:
    static int rank_in(MPI_Comm comm) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        return rank;
    }
    static int size_of(MPI_Comm comm) {
        int size = 1;
        MPI_Comm_size(comm, &size);
        return size;
    }
    template <class Body>
    static void for_pieces(std::size_t bytes, const Body& body) {
        constexpr std::size_t most = std::size_t{1} << 30;
        for (std::size_t at = 0; at < bytes; at += most)
            body(at, static_cast<int>(std::min(most, bytes - at)));
    }
    // `count` bytes, the next of which lie `stride` bytes further.
    static MPI_Datatype striped(std::size_t stride, int count) {
        MPI_Datatype run = MPI_DATATYPE_NULL;
        MPI_Datatype stripe = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(count, MPI_BYTE, &run);
        MPI_Type_create_resized(run, 0, static_cast<MPI_Aint>(stride), &stripe);
        MPI_Type_commit(&stripe);
        MPI_Type_free(&run);
        return stripe;
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace alfcg

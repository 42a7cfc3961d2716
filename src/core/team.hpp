#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "core/function_ref.hpp"

namespace alfcg {

/// Threads that stand by for the one they belong to. Each thread of the caller's has a team of its own, which grows with
/// what is asked of it; members wait awake for a while after their last work, then sleep.
class Team {
  public:
    /// The calling thread's.
    static Team& mine();

    Team() = default;
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// Calls body(part) for part = 0 .. threads-1, the first of them here, each on a thread of its own as far as the
    /// system gives as many. Calls from within a body are made one after another. The body must not throw.
    void run(int threads, FunctionRef<void(int)> body);

  private:
    // No two share a cache line, nor the pair of lines that a core may fetch at once.
    struct alignas(128) Member {
        std::atomic<unsigned> ordered = 0;            // jobs
        std::atomic<unsigned> done = 0;               // of them
        const FunctionRef<void(int)>* job = nullptr;  // the last; null: go home
        int part = 0;                                 // of it
        std::thread thread;
    };

    static void work(Member& member);
    // Returns how many threads there are then, with the caller.
    int recruit(int threads);
    void order(Member& member, const FunctionRef<void(int)>* job, int part);

    std::vector<std::unique_ptr<Member>> members_;
    bool busy_ = false;
};

}  // namespace alfcg

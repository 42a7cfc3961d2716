#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/function_ref.hpp"

namespace alfcg {

/// Threads that stand by for the one they belong to. Each thread of the caller's has a team of its own, which grows with
/// what is asked of it; members wait awake for a while after their last work, then sleep.
///
/// Threads must never hurt: the caller does whatever no member has begun, so that it does not wait for one that the system
/// keeps from running; and when work has taken longer than the caller alone would have taken, it works alone for a while.
class Team {
  public:
    /// One item of some work. `part` says whose memory to use, which nobody else uses meanwhile; `next` is the item that
    /// the part has after this one, or the number of items.
    using Work = FunctionRef<void(int part, int item, int next)>;

    /// The calling thread's.
    static Team& mine();

    Team() = default;
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// Calls work(part, item, next) once for every item. Are there as many as parts, item k belongs to part k; are there
    /// more, they go to whatever part is free. Parts are done by any thread, some at the same time, some one after another,
    /// so that none may wait for another. Work must not throw. If it has work for the team itself, that is done by the
    /// thread that has it.
    void run(int parts, int items, Work work);

  private:
    friend class TeamLimit;

    using Clock = std::chrono::steady_clock;

    // No two share a cache line, nor the pair of lines that a core may fetch at once.
    struct alignas(128) Member {
        std::atomic<unsigned> offered = 0;  // jobs with a part for this member
        std::atomic<unsigned> claimed = 0;  // of them: begun, by the member or by the caller
        std::atomic<unsigned> done = 0;     // of them: all up to this one
        std::thread thread;
    };
    struct Job {
        Work work;
        int parts;
        int items;
        // Every item belongs to a part; else parts take them as they get free.
        [[nodiscard]] bool assigned() const { return items == parts; }
        void do_alone(int item) const { work(assigned() ? item : 0, item, assigned() ? items : item + 1); }
    };

    Member& member_of(int part) { return *members_[static_cast<std::size_t>(part) - 1]; }
    void serve(Member& member, int part);
    // Whether whoever asks has the part that was offered; else it has been begun already.
    static bool claim(Member& member, unsigned offer);
    // An item for a part, where they are not assigned.
    int take_item();
    // The items a part gets, from this one on; returns how many they were.
    int do_part(int part, int item);
    int do_part(int part);
    // The items of the job from this one on.
    void do_together(int first);
    // Returns how many parts can be done at the same time then.
    int recruit(int parts);
    void offer(int part);
    void forget_members_of_parent();

    std::vector<std::unique_ptr<Member>> members_;
    const Job* job_ = nullptr;        // at hand; null: members go home
    std::atomic<int> unclaimed_ = 0;  // its first item that no part has
    bool busy_ = false;
    int most_ = std::numeric_limits<int>::max();  // threads, with the caller
    unsigned forks_ = 0;                          // that had led to this process when it recruited members
    Clock::time_point alone_until_;               // in the past: members help
};

/// While it lives, so many threads at most do the work of the calling thread, into however many parts that is divided.
class TeamLimit {
  public:
    explicit TeamLimit(int threads) : team_(Team::mine()), before_(std::exchange(team_.most_, threads)) {}
    ~TeamLimit() { team_.most_ = before_; }
    TeamLimit(const TeamLimit&) = delete;
    TeamLimit& operator=(const TeamLimit&) = delete;

  private:
    Team& team_;
    int before_;
};

}  // namespace alfcg

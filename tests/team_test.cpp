#include "core/team.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace alfcg {
namespace {

TEST(Team, DoesEveryPartOnce) {
    for (const int threads : {1, 2, 3, 8, 2, 33}) {
        for (int round = 0; round < 50; ++round) {
            std::vector<int> calls(static_cast<std::size_t>(threads), 0);
            parallel(threads, [&](int part) { ++calls[static_cast<std::size_t>(part)]; });
            EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(threads), 1));
        }
    }
}

TEST(Team, DoesEveryItemOnceAndNoTwoInTheSamePart) {
    constexpr int parts = 3;
    for (const int items : {3, 4, 5, 50}) {
        for (int round = 0; round < 50; ++round) {
            std::vector<int> calls(static_cast<std::size_t>(items), 0);
            std::array<std::atomic<int>, parts> at_work{};
            std::array<int, parts> announced;
            announced.fill(-1);
            const auto work = [&](int part, int item, int next) {
                const auto place = static_cast<std::size_t>(part);
                EXPECT_EQ(at_work[place]++, 0);
                ++calls[static_cast<std::size_t>(item)];
                EXPECT_TRUE(items > parts || part == item);
                EXPECT_TRUE(announced[place] < 0 || announced[place] == item);
                announced[place] = next < items ? next : -1;
                --at_work[place];
            };
            Team::mine().run(parts, items, work);
            EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(items), 1));
        }
    }
}

using Clock = std::chrono::steady_clock;

// Not asleep: a thread that sleeps gets nothing done, and the team would see that.
void work_for(Clock::duration time) {
    for (const auto start = Clock::now(); Clock::now() - start < time;) {
    }
}

TEST(Team, MembersHelp) {
    std::set<std::thread::id> ids;
    for (int round = 0; round < 2000 && ids.size() < 2; ++round) {
        std::vector<std::thread::id> now(3);
        parallel(3, [&](int part) {
            work_for(std::chrono::milliseconds(2));
            now[static_cast<std::size_t>(part)] = std::this_thread::get_id();
        });
        ids.insert(now.begin(), now.end());
    }
    EXPECT_GE(ids.size(), 2U);
}

TEST(Team, ThreadsAreTheSameEveryTime) {
    std::set<std::thread::id> ids;
    for (int round = 0; round < 200; ++round) {
        std::vector<std::thread::id> now(3);
        parallel(3, [&](int part) { now[static_cast<std::size_t>(part)] = std::this_thread::get_id(); });
        EXPECT_EQ(now.front(), std::this_thread::get_id());
        ids.insert(now.begin(), now.end());
    }
    EXPECT_LE(ids.size(), 3U);
}

// A member that keeps the caller waiting is not asked again for a while.
TEST(Team, WorksAloneAfterWaiting) {
    Team team;
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> helped = false;
    const auto wait_for_members = [&](int part, int /*item*/, int /*next*/) {
        if (std::this_thread::get_id() == caller) {
            if (part == 0) work_for(std::chrono::milliseconds(5));  // a member has time to come
        } else {
            helped = true;
            work_for(std::chrono::milliseconds(200));
        }
    };
    for (int round = 0; round < 2000 && !helped; ++round) team.run(2, 2, wait_for_members);
    ASSERT_TRUE(helped);
    bool alone = false;
    for (int round = 0; round < 10 && !alone; ++round) {  // the while may be over before the first
        helped = false;
        team.run(2, 2, wait_for_members);
        alone = !helped;
    }
    EXPECT_TRUE(alone);
}

TEST(Team, CallsWithinACallAreMadeOneAfterAnother) {
    std::vector<int> calls(9, 0);
    parallel(3, [&](int outer) {
        const auto id = std::this_thread::get_id();
        parallel(3, [&](int inner) {
            EXPECT_EQ(std::this_thread::get_id(), id);
            ++calls[3 * static_cast<std::size_t>(outer) + static_cast<std::size_t>(inner)];
        });
    });
    EXPECT_EQ(calls, std::vector<int>(9, 1));
}

TEST(Team, MembersThatHaveGoneToSleepWakeUp) {
    int sum = 0;
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::vector<int> calls(2, 0);
        parallel(2, [&](int part) { calls[static_cast<std::size_t>(part)] = 1; });
        sum += calls[0] + calls[1];
    }
    EXPECT_EQ(sum, 10);
}

TEST(Team, EveryThreadHasItsOwn) {
    std::atomic<int> calls = 0;
    std::vector<std::thread> callers(4);
    for (std::thread& caller : callers) {
        caller = std::thread([&] {
            for (int round = 0; round < 100; ++round) parallel(3, [&](int /*part*/) { ++calls; });
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(calls, 1200);
}

// A child has none of its parent's threads, and must not wait for them.
TEST(Team, AChildOfAForkHasAnotherTeam) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer lets no child of a process with threads start threads";
#endif
    const auto count = [] {
        std::atomic<int> calls = 0;
        for (int round = 0; round < 100; ++round) parallel(3, [&](int /*part*/) { ++calls; });
        return calls.load();
    };
    EXPECT_EQ(count(), 300);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(60);  // instead of waiting for ever
        // The thread's team ends with it, too.
        int calls = count();
        std::thread([&] { calls += count(); }).join();
        std::exit(calls == 600 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(count(), 300);
}

}  // namespace
}  // namespace alfcg

#include "core/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

TEST(Team, PartsRunAtTheSameTime) {
    std::atomic<int> arrived = 0;
    parallel(4, [&](int /*part*/) {
        ++arrived;
        while (arrived < 4) std::this_thread::yield();
    });
    EXPECT_EQ(arrived, 4);
}

TEST(Team, ThreadsAreTheSameEveryTime) {
    std::set<std::thread::id> ids;
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread::id> now(3);
        parallel(3, [&](int part) { now[static_cast<std::size_t>(part)] = std::this_thread::get_id(); });
        EXPECT_EQ(now.front(), std::this_thread::get_id());
        ids.insert(now.begin(), now.end());
    }
    EXPECT_EQ(ids.size(), 3U);
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

}  // namespace
}  // namespace alfcg

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "alfcg/alfcg.hpp"
#include "bridge.hpp"
#include "core/parallel.hpp"
#include "sized_problem.hpp"

namespace alfcg {
namespace {

using Clock = std::chrono::steady_clock;

// Gives this thread's team reason to do without its members for half a second: one of them keeps it waiting.
void keep_members_away() {
    const auto caller = std::this_thread::get_id();
    for (std::atomic<bool> came = false; !came;) {
        parallel(2, [&](int part) {
            const bool member = std::this_thread::get_id() != caller;
            if (member) came = true;
            if (!member && part > 0) return;
            const auto time = std::chrono::milliseconds(member ? 100 : 2);
            for (const auto start = Clock::now(); Clock::now() - start < time;) {
            }
        });
    }
}

template <class Real>
Matrix<Real> solution(const reference::Problem& problem, Storage storage, const char* method) {
    const Bridge<Real> bridge(problem, storage, 2);
    const auto region = make_region<Real>(ball("nuclear", 0, 4));
    Options options;
    options.method = method;
    options.max_iterations = 15;
    if (std::string(method) != "alfcg-d") options.parameters.set("batch", 700);  // enough for two
    return solve(*bridge.objective, *region, options).x;
}

template <class Real>
void check_same_bits(const reference::Problem& problem, Storage storage, const char* method) {
    const Matrix<Real> together = solution<Real>(problem, storage, method);
    keep_members_away();
    const Matrix<Real> alone = solution<Real>(problem, storage, method);
    EXPECT_TRUE(std::equal(alone.data(), alone.data() + alone.size(), together.data()));
}

// The bits of a result depend on the number of threads that was asked for, not on who found time to help.
TEST(Threads, WhoDoesTheWorkChangesNoBit) {
    for (const Entries entries : all_entries) {
        const auto problem = problem_with(entries, "multinomial", 3000, 250, 8);
        for (const Storage storage : {Storage::dense, Storage::sparse})
            for (const char* method : {"alfcg-d", "alfcg-mvr2"})
                check_same_bits<float>(problem, storage, method);
    }
}

// A child has none of its parent's threads, and must not wait for them.
TEST(Threads, AChildCanSolveAfterItsParentDid) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer lets no child of a process with threads start threads";
#endif
    const auto problem = problem_with(Entries::drawings, "multinomial", 3000, 250, 8);
    const auto solve_once = [&] { return solution<float>(problem, Storage::dense, "alfcg-mvr1"); };
    const Matrix<float> parents = solve_once();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(60);  // instead of waiting for ever
        const Matrix<float> own = solve_once();
        std::exit(std::equal(own.data(), own.data() + own.size(), parents.data()) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace alfcg

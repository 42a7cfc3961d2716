#include "core/team.hpp"

#include <system_error>
#include <utility>

#include "core/waiting.hpp"

namespace alfcg {

namespace {

thread_local bool is_member = false;

}  // namespace

Team& Team::mine() {
    thread_local Team team;
    return team;
}

Team::~Team() {
    for (const auto& member : members_) {
        order(*member, nullptr, 0);
        member->thread.join();
    }
}

void Team::work(Member& member) {
    is_member = true;
    for (unsigned jobs = 0;; ++jobs) {
        await_change(member.ordered, jobs);
        if (member.job == nullptr) return;
        (*member.job)(member.part);
        member.done.store(jobs + 1, std::memory_order_release);
        member.done.notify_one();
    }
}

int Team::recruit(int threads) {
    if (static_cast<int>(members_.size()) + 1 >= threads) return threads;
    members_.reserve(static_cast<std::size_t>(threads) - 1);
    try {
        while (static_cast<int>(members_.size()) + 1 < threads) {
            auto member = std::make_unique<Member>();
            member->thread = std::thread([member = member.get()] { work(*member); });
            members_.push_back(std::move(member));
        }
    } catch (const std::system_error&) {
        // No more threads are to be had.
    }
    return static_cast<int>(members_.size()) + 1;
}

void Team::order(Member& member, const FunctionRef<void(int)>* job, int part) {
    member.job = job;
    member.part = part;
    member.ordered.fetch_add(1, std::memory_order_release);
    member.ordered.notify_one();
}

void Team::run(int threads, FunctionRef<void(int)> body) {
    const int available = busy_ || is_member ? 1 : recruit(threads);
    for (int part = 1; part < available; ++part)
        order(*members_[static_cast<std::size_t>(part - 1)], &body, part);
    const bool was_busy = std::exchange(busy_, true);
    body(0);
    for (int part = available; part < threads; ++part) body(part);
    busy_ = was_busy;
    for (int part = 1; part < available; ++part) {
        const Member& member = *members_[static_cast<std::size_t>(part - 1)];
        await_change(member.done, member.ordered.load(std::memory_order_relaxed) - 1);
    }
}

}  // namespace alfcg

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
    finish();
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

void Team::start(int threads, FunctionRef<void(int)> body) {
    int available = 1;
    if (!busy_ && !is_member) {
        finish();
        available = recruit(threads);
        body_ = body;
        for (; at_work_ + 1 < available; ++at_work_)
            order(*members_[static_cast<std::size_t>(at_work_)], &*body_, at_work_ + 1);
    }
    for (int part = available; part < threads; ++part) body(part);
}

void Team::finish() {
    for (; at_work_ > 0; --at_work_) {
        const Member& member = *members_[static_cast<std::size_t>(at_work_ - 1)];
        const unsigned ordered = member.ordered.load(std::memory_order_relaxed);
        await_change(member.done, ordered - 1);
    }
}

void Team::run(int threads, FunctionRef<void(int)> body) {
    if (busy_ || is_member) {
        for (int part = 0; part < threads; ++part) body(part);
        return;
    }
    start(threads, body);
    busy_ = true;
    body(0);
    busy_ = false;
    finish();
}

}  // namespace alfcg

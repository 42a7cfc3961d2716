#include "core/team.hpp"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/thread_time.hpp"
#include "core/waiting.hpp"

namespace alfcg {

namespace {

thread_local bool is_member = false;

// How long the caller works alone for the time that it has lost with members: they cost it a sixteenth at most. But what it
// has waited for may have been a disk, which says nothing about members: so it is not for long.
constexpr int alone_for_lost = 16;
constexpr std::chrono::milliseconds longest_alone{500};

std::atomic<unsigned>& forks() {
    static std::atomic<unsigned> count = 0;
    // A child has none of its parent's threads but the one that forked.
    [[maybe_unused]] static const int told = pthread_atfork(nullptr, nullptr, [] { ++count; });
    return count;
}

}  // namespace

Team& Team::mine() {
    thread_local Team team;
    return team;
}

Team::~Team() {
    forget_members_of_parent();
    job_ = nullptr;
    for (int part = 1; part <= static_cast<int>(members_.size()); ++part) offer(part);
    for (const auto& member : members_) member->thread.join();
}

void Team::forget_members_of_parent() {
    if (members_.empty() || forks_ == forks()) return;
    // There is no thread to join.
    for (const auto& member : members_) std::construct_at(&member->thread);
    members_.clear();
}

int Team::recruit(int parts) {
    forget_members_of_parent();
    parts = std::min(parts, most_);
    if (static_cast<int>(members_.size()) + 1 >= parts) return parts;
    forks_ = forks();
    members_.reserve(static_cast<std::size_t>(parts) - 1);
    try {
        for (int part = static_cast<int>(members_.size()) + 1; part < parts; ++part) {
            auto member = std::make_unique<Member>();
            member->thread = std::thread([this, part, member = member.get()] { serve(*member, part); });
            members_.push_back(std::move(member));
        }
    } catch (const std::system_error&) {
        // No more threads are to be had.
    }
    return static_cast<int>(members_.size()) + 1;
}

void Team::serve(Member& member, int part) {
    is_member = true;
    for (unsigned seen = 0;;) {
        await_change(member.offered, seen);
        seen = member.offered.load(std::memory_order_acquire);
        if (!claim(member, seen)) continue;
        if (job_ == nullptr) return;
        do_part(part);
        member.done.store(seen, std::memory_order_release);
        member.done.notify_one();
    }
}

void Team::offer(int part) {
    Member& member = member_of(part);
    member.offered.fetch_add(1, std::memory_order_release);
    member.offered.notify_one();
}

bool Team::claim(Member& member, unsigned offer) {
    unsigned before = offer - 1;
    return member.claimed.compare_exchange_strong(before, offer, std::memory_order_acq_rel);
}

int Team::take_item() {
    return std::min(unclaimed_.fetch_add(1, std::memory_order_relaxed), job_->items);
}

int Team::do_part(int part) {
    return do_part(part, job_->assigned() ? part : take_item());
}

int Team::do_part(int part, int item) {
    int done = 0;
    for (; item < job_->items; ++done) {
        const int next = job_->assigned() ? job_->items : take_item();
        job_->work(part, item, next);
        item = next;
    }
    return done;
}

void Team::do_together(int first) {
    const Clock::time_point start = Clock::now();
    const int left = job_->items - first;
    const int own = job_->assigned() ? first : 0;
    const int parts = std::min(job_->parts, own + left);
    const int available = recruit(parts);
    unclaimed_.store(first + 1, std::memory_order_relaxed);
    for (int part = own + 1; part < available; ++part) offer(part);
    const auto offered = thread_time();
    int done = do_part(own, first);
    // The last first, since it has been offered last.
    for (int part = parts - 1; part > own; --part) {
        if (part < available) {
            Member& member = member_of(part);
            const unsigned offer = member.offered.load(std::memory_order_relaxed);
            if (!claim(member, offer)) continue;
            member.done.store(offer, std::memory_order_relaxed);
        }
        done += do_part(part);
    }
    const auto finished = thread_time();
    for (int part = own + 1; part < available; ++part) {
        const Member& member = member_of(part);
        const unsigned offer = member.offered.load(std::memory_order_relaxed);
        for (unsigned seen; (seen = member.done.load(std::memory_order_acquire)) != offer;)
            await_change(member.done, seen);
    }
    const Clock::time_point now = Clock::now();
    const Clock::duration lost = (now - start) - (finished - offered) * left / done;
    if (lost > Clock::duration::zero())
        alone_until_ = now + std::min<Clock::duration>(alone_for_lost * lost, longest_alone);
}

void Team::run(int parts, int items, Work work) {
    const Job job{work, parts, items};
    int item = 0;
    if (parts > 1 && !busy_ && !is_member) {
        busy_ = true;
        while (item < items && Clock::now() < alone_until_) job.do_alone(item++);
        if (items - item > 1) {
            job_ = &job;
            do_together(std::exchange(item, items));
        }
        busy_ = false;
    }
    while (item < items) job.do_alone(item++);
}

}  // namespace alfcg

// Ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "alfcg/core/ranks.hpp"

namespace alfcg {

/// What they share.
class RankHub {
  public:
    explicit RankHub(int size) : mine(static_cast<std::size_t>(size)), size_(size) {}

    /// Waits for all others; throws where one of them is gone.
    void meet() {
        std::unique_lock lock(mutex_);
        if (gone_) throw std::runtime_error("another rank is gone");
        const long turn = turn_;
        if (++here_ == size_) {
            here_ = 0;
            ++turn_;
            changed_.notify_all();
            return;
        }
        changed_.wait(lock, [&] { return turn_ != turn || gone_; });
        if (turn_ == turn) throw std::runtime_error("another rank is gone");
    }
    void leave() {
        const std::lock_guard lock(mutex_);
        gone_ = true;
        changed_.notify_all();
    }

    std::vector<const void*> mine;

  private:
    int size_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int here_ = 0;
    long turn_ = 0;
    bool gone_ = false;
};

class ThreadRanks final : public Ranks {
  public:
    ThreadRanks(RankHub& hub, int rank, int size) : Ranks(rank, size), hub_(hub) {}

  protected:
    void gather_bytes(const void* mine, std::size_t bytes, void* all) override {
        share(mine, [&](const char* theirs, std::size_t k) {
            std::memcpy(static_cast<char*>(all) + k * bytes, theirs, bytes);
        });
    }
    void exchange_bytes(const void* blocks, std::size_t bytes, void* received) override {
        share(blocks, [&](const char* theirs, std::size_t k) {
            std::memcpy(static_cast<char*>(received) + k * bytes,
                        theirs + static_cast<std::size_t>(rank()) * bytes, bytes);
        });
    }
    void tell_bytes(void* bytes, std::size_t count) override {
        share(bytes, [&](const char* theirs, std::size_t k) {
            if (k == 0 && rank() != 0) std::memcpy(bytes, theirs, count);
        });
    }
    void collect_bytes(const void* mine, std::size_t bytes, void* all) override {
        share(mine, [&](const char* theirs, std::size_t k) {
            if (rank() == 0) std::memcpy(static_cast<char*>(all) + k * bytes, theirs, bytes);
        });
    }
    void deal_bytes(const void* blocks, std::size_t bytes, void* mine) override {
        share(blocks, [&](const char* theirs, std::size_t k) {
            if (k == 0) std::memcpy(mine, theirs + static_cast<std::size_t>(rank()) * bytes, bytes);
        });
    }

  private:
    template <class Take>
    void share(const void* mine, const Take& take) {
        hub_.mine[static_cast<std::size_t>(rank())] = mine;
        hub_.meet();
        for (std::size_t k = 0; k < hub_.mine.size(); ++k) take(static_cast<const char*>(hub_.mine[k]), k);
        hub_.meet();
    }

    RankHub& hub_;
};

/// Runs body(ranks) on so many ranks at a time; throws what the first that failed by itself has thrown.
inline void on_ranks(int size, const std::function<void(Ranks&)>& body) {
    RankHub hub(size);
    std::vector<std::thread> threads;
    std::exception_ptr first;
    std::mutex order;
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
            try {
                ThreadRanks ranks(hub, rank, size);
                body(ranks);
            } catch (...) {
                const std::lock_guard lock(order);
                if (!first) first = std::current_exception();
                hub.leave();
            }
        });
    for (std::thread& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
}

}  // namespace alfcg

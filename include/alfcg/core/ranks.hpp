#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// Several processes that work on one problem, each on its share of the rows; one of them, rank 0, decides what only one can decide. All ranks
/// must make the same calls in the same order, with as many numbers each. What they get is the same to the bit on every rank, and in every run
/// of as many ranks. MPI's are in alfcg/mpi/ranks.hpp.
class Ranks {
  public:
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] int rank() const { return rank_; }  // 0 .. size() - 1
    [[nodiscard]] int size() const { return size_; }

    /// Every number becomes the sum of those that the ranks have in its place, added up in the order of ranks. A few numbers may come along.
    void sum(std::span<float> numbers, std::span<double> few = {});
    void sum(std::span<double> numbers, std::span<double> few = {});
    [[nodiscard]] double sum(double number);
    /// Every number becomes the largest of those in its place.
    void largest(std::span<double> numbers);

    /// What rank 0 has.
    void tell(std::span<std::byte> bytes);
    template <class T>
    [[nodiscard]] T told(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        tell(std::as_writable_bytes(std::span<T>(&value, 1)));
        return value;
    }

    /// What each rank has, in their order.
    template <class T>
    [[nodiscard]] std::vector<T> gather(const T& mine) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> all(static_cast<std::size_t>(size_));
        gather_counted(&mine, sizeof(T), all.data());
        return all;
    }
    [[nodiscard]] std::vector<std::string> gather(const std::string& mine);
    /// The same for rank 0 alone, of what may be long; the others get nothing. And the way back: each gets its part of what rank 0 has.
    [[nodiscard]] std::vector<std::string> collect(const std::string& mine);
    [[nodiscard]] std::string deal(const std::vector<std::string>& parts);
    /// Whether that is so on all of them.
    [[nodiscard]] bool all(bool mine);

    /// Bytes that this rank has had for others: a sum of n numbers of s bytes, and q few ones, is (2 s ⌈n/K⌉ + 8 q)(K − 1) of them where the
    /// numbers take more than `small` bytes, and (s n + 8 q)(K − 1) where not.
    [[nodiscard]] std::int64_t bytes_sent() const { return sent_; }
    [[nodiscard]] std::int64_t calls() const { return calls_; }
    static constexpr std::size_t small = 2048;
    /// What a sum of numbers that take so many bytes costs, in bytes that a rank sends: a message counts as so many more, which could be sent
    /// while it travels.
    [[nodiscard]] double cost_of_sum(std::int64_t bytes) const;
    static constexpr double message_bytes = 16384;

  protected:
    Ranks(int rank, int size) : rank_(rank), size_(size) {}

    /// `all` gets the bytes of each rank, in their order.
    virtual void gather_bytes(const void* mine, std::size_t bytes, void* all) = 0;
    /// Rank r gets the r-th block of each rank, in their order.
    virtual void exchange_bytes(const void* blocks, std::size_t bytes, void* received) = 0;
    /// All get what rank 0 has.
    virtual void tell_bytes(void* bytes, std::size_t count) = 0;
    /// Rank 0 gets the bytes of each rank, in their order; or gives each its block.
    virtual void collect_bytes(const void* mine, std::size_t bytes, void* all) = 0;
    virtual void deal_bytes(const void* blocks, std::size_t bytes, void* mine) = 0;

  private:
    enum class Merge { sum, largest };
    template <class Real>
    void merge(Merge how, std::span<Real> numbers, std::span<double> few);
    template <class Real>
    void merge_small(Merge how, std::span<Real> numbers, std::span<double> few);
    void gather_counted(const void* mine, std::size_t bytes, void* all);

    int rank_;
    int size_;
    std::int64_t sent_ = 0;
    std::int64_t calls_ = 0;
    std::vector<std::byte> outgoing_;
    std::vector<std::byte> incoming_;
};

/// Does something that may fail on one rank and not on another, and on none of them goes on then: what is wrong on the first such rank is thrown
/// on all. A rank that fails elsewhere in what such a body does waits for the others at their next call of this.
void agree(Ranks* ranks, const std::function<void()>& body);

/// One process has none, and nothing to add up.
template <class Real>
void sum_over(Ranks* ranks, std::span<Real> numbers, std::span<double> few = {}) {
    if (ranks != nullptr) ranks->sum(numbers, few);
}
inline double sum_over(Ranks* ranks, double number) {
    return ranks == nullptr ? number : ranks->sum(number);
}

/// A share becomes the sum of all.
template <class Real>
void add_up(Matrix<Real>& share) {
    sum_over(share.shared_by(), share.span());
    share.share_by(nullptr);
}

}  // namespace alfcg

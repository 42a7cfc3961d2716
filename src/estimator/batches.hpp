#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// Where batches come from: uniform draws with replacement from the run's own random stream, blocks of rows in random order, or a
/// list to replay.
class Batches {
  public:
    /// `block`: rows of a block; 0: rows are drawn one by one.
    Batches(Index samples, std::uint64_t seed, const std::vector<std::vector<Index>>* replay,
            std::function<void(std::span<const Index>)> on_draw, Index block = 0);

    /// The next batch, of `size` rows (a replayed one is as long as it was written).
    std::span<const Index> draw(Index size);

    /// What draw() would return, drawn ahead; empty when no more are to be replayed. Valid until the next draw.
    std::span<const Index> upcoming(Index size);

    [[nodiscard]] Index samples() const { return samples_; }

    void archive(Archive& state);

  private:
    void draw_ahead(Index size);
    [[nodiscard]] Index row_of(std::uint64_t draw) const;
    Index next_in_blocks();

    Index samples_;
    std::uint64_t reciprocal_;  // of `samples_`, times 2^64, rounded down
    std::mt19937_64 generator_;
    const std::vector<std::vector<Index>>* replay_;
    std::size_t replayed_ = 0;
    std::function<void(std::span<const Index>)> on_draw_;
    std::vector<Index> batch_;
    std::vector<Index> ahead_;  // drawn, but not handed out yet

    Index block_;               // 0: none
    std::vector<Index> order_;  // of the blocks in this epoch
    Index shift_ = 0;           // the row that the first block begins with
    std::size_t at_block_ = 0;  // in `order_`
    Index at_row_ = 0;          // in that block
};

}  // namespace alfcg

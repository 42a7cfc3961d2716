#include "estimator/batches.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"

namespace alfcg {

Batches::Batches(Index samples, std::uint64_t seed, const std::vector<std::vector<Index>>* replay,
                 std::function<void(std::span<const Index>)> on_draw, Index block)
    : samples_(samples),
      reciprocal_(~std::uint64_t{0} / static_cast<std::uint64_t>(std::max<Index>(samples, 1))),
      generator_(seed),
      replay_(replay),
      on_draw_(std::move(on_draw)),
      block_(block) {
    if (samples < 1) throw Error("the objective has no samples to draw from");
    if (replay_ == nullptr) return;
    for (std::size_t i = 0; i < replay_->size(); ++i) {
        const auto& rows = (*replay_)[i];
        if (rows.empty()) throw Error("batch " + std::to_string(i + 1) + " is empty");
        for (const Index row : rows) {
            if (row < 0 || row >= samples_) {
                throw Error("batch " + std::to_string(i + 1) + " names row " + std::to_string(row) +
                            ": rows go from 0 to " + std::to_string(samples_ - 1));
            }
        }
    }
}

std::span<const Index> Batches::draw(Index size) {
    std::span<const Index> batch;
    if (replay_ != nullptr) {
        if (replayed_ == replay_->size()) {
            throw Error("the batches (`batches`) ran out after " + std::to_string(replayed_) +
                        " draws: give more, or stop earlier");
        }
        batch = (*replay_)[replayed_++];
    } else {
        draw_ahead(size);
        batch_.assign(ahead_.begin(), ahead_.begin() + size);
        ahead_.erase(ahead_.begin(), ahead_.begin() + size);
        batch = batch_;
    }
    if (on_draw_) on_draw_(batch);
    return batch;
}

std::span<const Index> Batches::upcoming(Index size) {
    if (replay_ != nullptr)
        return replayed_ < replay_->size() ? std::span<const Index>((*replay_)[replayed_])
                                           : std::span<const Index>();
    draw_ahead(size);
    return std::span(ahead_).first(static_cast<std::size_t>(size));
}

void Batches::archive(Archive& state) {
    std::ostringstream words;  // the generator's state, as the standard has it
    words << generator_;
    std::string text = words.str();
    state(text, replayed_, ahead_, order_, shift_, at_block_, at_row_);
    if (!state.loading()) return;
    std::istringstream(text) >> generator_;
    if (replay_ != nullptr && replayed_ > replay_->size())
        state.reject("it has replayed more batches than there are");
}

void Batches::draw_ahead(Index size) {
    const auto drawn = static_cast<Index>(ahead_.size());
    if (drawn >= size) return;
    ahead_.resize(static_cast<std::size_t>(size));
    std::generate(ahead_.begin() + drawn, ahead_.end(),
                  [&] { return block_ > 0 ? next_in_blocks() : row_of(generator_()); });
}

// The rows, from a random one on and behind the last one the first again, are cut into blocks, which come in random order. By the
// random row, every row is as likely as any other at every place of an epoch.
Index Batches::next_in_blocks() {
    if (at_block_ == order_.size()) {
        shift_ = row_of(generator_());
        order_.resize(static_cast<std::size_t>((samples_ + block_ - 1) / block_));
        for (std::size_t k = 0; k < order_.size(); ++k) {
            const std::size_t other = static_cast<std::size_t>(generator_() % (k + 1));
            order_[k] = order_[other];
            order_[other] = static_cast<Index>(k);
        }
        at_block_ = 0;
    }
    const Index place = order_[at_block_] * block_ + at_row_;
    if (++at_row_ == block_ || place + 1 == samples_) {
        ++at_block_;
        at_row_ = 0;
    }
    const Index row = place + shift_;
    return row < samples_ ? row : row - samples_;
}

// The remainder, without a division. Its bias, samples / 2^64, is far below anything a run could show.
Index Batches::row_of(std::uint64_t draw) const {
    __extension__ using Wide = unsigned __int128;
    const auto samples = static_cast<std::uint64_t>(samples_);
    const auto quotient =
        static_cast<std::uint64_t>((Wide{draw} * reciprocal_) >> 64);  // up to two too small
    std::uint64_t remainder = draw - quotient * samples;
    while (remainder >= samples) remainder -= samples;
    return static_cast<Index>(remainder);
}

}  // namespace alfcg

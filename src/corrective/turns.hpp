#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "alfcg/core/archive.hpp"

namespace alfcg {

/// Whose turn it is, of a rival, who begins, and inner steps, either of which can go on from wherever the other has led: one goes on until
/// what is left to go, as far as that is proven, shrinks more slowly for what it costs than the other is thought to make it shrink: a guess
/// at first, then what its last turn has shown.
class Turns {
  public:
    [[nodiscard]] bool is_rivals() const { return turn_ == 0; }

    /// What is known at the iterate, after so many passes in all.
    void look(double objective, double gap, double passes) {
        bound_ = std::max(bound_, objective - gap);
        const Mark now{std::log(std::max(objective - bound_, std::numeric_limits<double>::min())), passes};
        if (!begun_) begin_.left = last_.left = now.left;
        begun_ = true;
        if (cost(last_, now) < least_cost) return;
        const double rate = (last_.left - now.left) / cost(last_, now);
        last_ = now;
        if (rate >= rates_[1 - turn_]) return;
        // A slow spell says less than a whole turn.
        rates_[turn_] = std::max(rate, (begin_.left - now.left) / cost(begin_, now) / 2);
        turn_ = 1 - turn_;
        begin_ = now;
    }

    void archive(Archive& state) {
        state(turn_, rates_, bound_, begun_, begin_, last_);
        if (turn_ >= rates_.size()) state.reject("it is nobody's turn");
    }

  private:
    // Of a spell, in passes over all rows; and what a pass of inner steps costs, which comes in small pieces.
    static constexpr double least_cost = 8;
    static constexpr double dearer = 1.7;
    // What is left shrinks by this a pass, as a logarithm.
    static constexpr double guess = 0.15;

    struct Mark {
        double left = 0;  // its logarithm
        double passes = 0;

        void archive(Archive& state) { state(left, passes); }
    };
    [[nodiscard]] double cost(const Mark& from, const Mark& to) const {
        return (to.passes - from.passes) * (is_rivals() ? 1 : dearer);
    }

    std::size_t turn_ = 0;
    std::array<double, 2> rates_{guess, guess};
    double bound_ = -std::numeric_limits<double>::infinity();
    bool begun_ = false;
    Mark begin_;  // of the turn
    Mark last_;   // when the rate was looked at
};

}  // namespace alfcg

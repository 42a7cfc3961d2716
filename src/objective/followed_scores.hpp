#pragma once

#include <algorithm>

#include "alfcg/core/matrix.hpp"
#include "objective/factored_move.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

/// Scores of every row at an iterate x that moves. The scores of a · x + b · v are a · Z + b · Z_v, and with v = s·u·wᵀ
/// the scores Z_v are s·(X w)·uᵀ: one number a row.
template <class Real>
class FollowedScores {
  public:
    /// Scores laid out like the blocks of a pass.
    void resize(Index samples, Index outputs, kernels::ScoreLayout layout);
    /// Those of another, without what is known of a move.
    void take(const FollowedScores& other) {
        samples_ = other.samples_;
        outputs_ = other.outputs_;
        by_output_ = other.by_output_;
        stride_ = other.stride_;
        scores_ = other.scores_;
    }
    void shift(double by) {
        for (Real& score : scores_) score = static_cast<Real>(static_cast<double>(score) + by);
    }
    void clear() { std::fill(scores_.begin(), scores_.end(), Real(0)); }

    void store(RowRange range, const Real* scores, kernels::ScoreLayout layout);
    void load(RowRange range, Real* scores, kernels::ScoreLayout layout) const;

    /// The move that projection() is for, once it has been filled.
    FactoredMove<Real>& move() { return move_; }
    [[nodiscard]] const FactoredMove<Real>& move() const { return move_; }
    [[nodiscard]] bool needs_projection() const { return move_.vertex.scale != 0; }

    /// Z_v of a range: X w, or all scores.
    Real* projection(RowRange range) { return projection_.data() + range.first; }
    void prepare_projection() { projection_.resize(static_cast<std::size_t>(samples_)); }
    void prepare_towards() { towards_.resize(scores_.size()); }
    void store_towards(RowRange range, const Real* scores, kernels::ScoreLayout layout);

    /// scores += factor · Z; and <Z, residuals>, where blocks are padded with zeros.
    void add_to(RowRange range, double factor, Real* scores, kernels::ScoreLayout layout) const;
    [[nodiscard]] double product(RowRange range, const Real* residuals, kernels::ScoreLayout layout) const;

    /// keep · Z + coefficient · Z_v, into a block's scores or in place; Z_v by its factors, or all of it.
    struct Mix {
        double keep = 1;
        double coefficient = 0;
        bool factored = true;
    };
    void load_mixed(RowRange range, Mix mix, Real* scores, kernels::ScoreLayout layout) const;
    void advance(RowRange range, Mix mix);

    /// Z, and where it is asked for Z_v.
    void archive(Archive& state, bool along) {
        state(samples_, outputs_, by_output_, stride_, scores_);
        if (along) state(towards_, projection_, move_);
    }

  private:
    // Calls visit(offset here, offset in the block, count) for every run of entries that lie side by side.
    template <class Visit>
    void for_each_run(RowRange range, kernels::ScoreLayout layout, const Visit& visit) const {
        if (by_output_) {
            for (Index l = 0; l < outputs_; ++l)
                visit(l * stride_ + range.first, l * layout.output_stride, range.count);
        } else {
            visit(range.first * stride_, 0, range.count * stride_);
        }
    }
    // The same where Z is already, laid out with these strides.
    void mix_into(RowRange range, Mix mix, Real* to, kernels::ScoreLayout layout) const;

    Index samples_ = 0;
    Index outputs_ = 0;
    bool by_output_ = false;          // scores of an output side by side
    Index stride_ = 0;                // from output to output, or from row to row
    AlignedVector<Real> scores_;      // Z
    AlignedVector<Real> towards_;     // Z_v of a dense vertex
    AlignedVector<Real> projection_;  // X w
    FactoredMove<Real> move_;
};

}  // namespace alfcg

#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "alfcg/objective/objective.hpp"
#include "objective/block_loss.hpp"
#include "objective/followed_scores.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

/// (1/N) Σ loss(W x_i, y_i). Data are read once per pass: a block of rows that fits the cache gives its
/// scores, its residuals and its share of the gradient before it leaves. Each piece of the rows has a share of
/// its own; shares are summed in a fixed order, so that the same thread count gives the same bits.
template <class Real>
class LinearObjective final : public Objective<Real> {
  public:
    LinearObjective(const Features<Real>& features, const Targets& targets, const LossSpec& loss,
                    int threads);

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index samples() const override { return samples_; }
    double evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) override;
    double value(const Iterate<Real>& x) override;
    double value_after(const Iterate<Real>& x, const Move<Real>& move, double step) override;
    void batch_gradient(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& gradient) override;
    void blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
               Matrix<Real>& scratch) override;
    void expect(std::span<const Index> rows) override;
    std::unique_ptr<GradientTable<Real>> gradient_table() override;

    /// residuals[k * outputs + l] = ∂loss/∂score_l of row rows[k] at x: a component gradient is the outer
    /// product of its residual and its features.
    void residuals(std::span<const Index> rows, const Iterate<Real>& x, Real* residuals);
    /// gradient = Σ_k residuals[k] ⊗ features of rows[k].
    void combine(std::span<const Index> rows, const Real* residuals, Matrix<Real>& gradient);

  private:
    // Where a pass takes the scores at its first point from.
    enum class Source {
        data,
        data_and_remember,
        remembered,
        remembered_and_moved,
        second_and_moved,
    };
    struct Pass {
        Selection selection;
        Blend<Real> points;
        Matrix<Real>* gradient = nullptr;
        Source source = Source::data;
        const FactoredMove<Real>* move = nullptr;  // from the second point, or from what is remembered
    };
    struct Scratch {
        AlignedVector<Real> scores;      // of one block
        AlignedVector<Real> second;      // of one block at the second point
        AlignedVector<Real> change;      // of one block: scores less those at the second point
        AlignedVector<Real> projection;  // of one block: X w of the move from the second point
        AlignedVector<Real> targets;     // of one block of listed rows
    };

    [[nodiscard]] Scoring scoring() const { return {shape_.rows, loss_.relative()}; }
    double run(const Pass& pass);
    double pass_piece(const Pass& pass, int part, int piece, int next);
    double apply_loss(const Pass& pass, RowRange range, const Real* targets, Scratch& scratch,
                      Slopes& slopes) const;
    // Whether set 0 has something to score.
    [[nodiscard]] bool scores_rows(const Pass& pass) const;
    void score_block(const Pass& pass, int part, RowRange range, Scratch& scratch);
    void complete_scores(const Pass& pass, RowRange range, Scratch& scratch);
    const Real* targets_of(const Selection& selection, RowRange range, Scratch& scratch) const;
    // Memory of every thread, before they start: a thread must not throw.
    void prepare_scratch(int threads, const Blend<Real>& points);
    // The mean over `count` rows.
    [[nodiscard]] double mean_loss(Index count) const;
    // Calls body(range) for blocks of all rows, without a look at the data.
    template <class Body>
    void for_each_block(const Body& body);
    // Over all rows, from what is remembered if that can be.
    double full_pass(const Iterate<Real>& x, Matrix<Real>* gradient);
    Source source_of(const Iterate<Real>& x);
    // Whether Z and the Z_v of this move are at hand then.
    bool prepare_line(const Iterate<Real>& x, const Move<Real>& move);
    // The move of a batch's iterate that leads from one version to another, if it is one of the last and has factors.
    const FactoredMove<Real>* factored_move(const Iterate<Real>& x, Version from, Version to);
    void prepare_weights(const Pass& pass);
    void prepare_projection(const Selection& selection, std::size_t set, const VertexFactors<Real>& vertex);
    void prepare_point(const Selection& selection, std::size_t set, const Iterate<Real>& point,
                       const Iterate<Real>& x);

    BlockLoss<Real> loss_;
    int threads_;
    Index samples_;
    Shape shape_;
    std::unique_ptr<RowEngine<Real>> engine_;
    std::vector<Scratch> scratch_;  // one per thread
    std::vector<double> losses_;    // summed up, one per piece
    std::vector<Slopes> slopes_;    // the same

    // Scores of an iterate that is looked at in full after every move.
    bool may_remember_;
    FollowedScores<Real> scores_;
    Version scores_at_ = Version::none;  // the point they are of
    Version full_at_ = Version::none;    // the last point that was looked at in full
    int followed_ = 0;                   // looks in full in a row, each a move after the last
    int moves_ = 0;                      // made since the scores were computed from the data
    Version along_ = Version::none;      // the move whose Z_v is at hand
    bool factored_ = false;              // as a projection

    // Of an iterate whose batch gradients are asked for: moves, by where they lead, and the points that the weights of
    // the engine's sets are of.
    struct LedTo {
        Version to = Version::none;
        FactoredMove<Real> move;
    };
    std::array<LedTo, 2> led_to_;
    std::size_t next_led_to_ = 0;
    std::array<Version, 2> prepared_at_{};
};

}  // namespace alfcg

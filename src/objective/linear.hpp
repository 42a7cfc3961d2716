#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alfcg/objective/objective.hpp"
#include "data/page_advice.hpp"
#include "objective/block_loss.hpp"
#include "objective/followed_intercept.hpp"
#include "objective/followed_scores.hpp"
#include "objective/linear_model.hpp"
#include "objective/linear_part.hpp"
#include "objective/row_engine.hpp"
#include "objective/row_share.hpp"

namespace alfcg {

/// (1/N) Σ loss(W x_i, y_i). Data are read once per pass: a block of rows that fits the cache gives its
/// scores, its residuals and its share of the gradient before it leaves. Each piece of the rows has a share of
/// its own; shares are summed in a fixed order, so that the same thread count gives the same bits.
/// With an intercept b, f(W) is the minimum of (1/N) Σ loss(W x_i + b, y_i) over b, found anew from the scores wherever all
/// rows are looked at; batches are judged with a b that they move along (linear_intercept.cpp).
template <class Real>
class LinearObjective final : public LinearModel<Real> {
  public:
    LinearObjective(const Features<Real>& features, const Targets& targets, const LossSpec& loss, int threads,
                    bool intercept, std::optional<Index> memory, const RowShare& share);

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index samples() const override { return rows_.total; }
    [[nodiscard]] Index entries() const override { return entries_; }
    [[nodiscard]] Ranks* ranks() const override { return rows_.ranks; }
    void keep_shares(bool keep) override { keeps_shares_ = keep && rows_.ranks != nullptr; }
    double evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) override;
    double value(const Iterate<Real>& x) override;
    double value_after(const Iterate<Real>& x, const Move<Real>& move, double step) override;
    double slope_after(const Iterate<Real>& x, const Move<Real>& move, double step) override;
    void batch_gradient(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& gradient) override;
    void blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
               Matrix<Real>& scratch) override;
    void expect(std::span<const Index> rows) override;
    std::unique_ptr<Part<Real>> part(std::span<const Index> columns) override;
    [[nodiscard]] Index column_bytes(Index column) override;
    std::vector<double> most_curvatures() override;
    std::unique_ptr<Part<Real>> part(const Matrix<Real>& directions) override;
    std::unique_ptr<Part<Real>> sample(const Iterate<Real>& x, Index rows, std::uint64_t seed) override;
    std::unique_ptr<Hull<Real>> hull() override;
    std::optional<SecondMoments<Real>> second_moments() override;
    std::vector<double> intercept(const Iterate<Real>& x) override;
    bool settled(const Iterate<Real>& x) const override { return !x.intercept().going; }
    bool certifies(const Iterate<Real>& x) const override {
        return settled(x) || std::isfinite(intercept_->reach());
    }
    void archive(Archive& state) override;

    /// Which of the rows are here. What follows counts them from the first that is.
    [[nodiscard]] const RowShare& share() const override { return rows_; }
    void residuals(std::span<const Index> rows, const Iterate<Real>& x, Index count,
                   Real* residuals) override;
    void own_residuals(std::span<const Index> rows, const Iterate<Real>& x, Real* residuals) override;
    void combine(std::span<const Index> rows, const Real* residuals, Matrix<Real>& gradient) override;

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
        Selection selection;  // of the rows that are here
        Index count = 0;      // rows that the mean is over, on all ranks
        Blend<Real> points;
        Matrix<Real>* gradient = nullptr;
        Source source = Source::data;
        const FactoredMove<Real>* move = nullptr;  // from the second point, or from what is remembered
        FollowedScores<Real>* scores = nullptr;    // what is remembered, or is to be
        bool judges = true;                        // false: scores are all that is wanted
    };
    struct Scratch {
        AlignedVector<Real> scores;      // of one block
        AlignedVector<Real> second;      // of one block at the second point
        AlignedVector<Real> change;      // of one block: scores less those at the second point
        AlignedVector<Real> projection;  // of one block: X w of the move from the second point
        AlignedVector<Real> targets;     // of one block of listed rows
        AlignedVector<Real> weights;     // the same
    };

    class HullOfScores;

    [[nodiscard]] std::unique_ptr<LinearPart<Real>> few_features(Features<Real> products) const;
    // What the last part has left where x is now.
    bool take_left(const Iterate<Real>& x);
    [[nodiscard]] DrawnRows<Real> draw(const Iterate<Real>& x, Index count, std::uint64_t seed) const;
    // How much the losses of a block bend, from residuals that a pass over all rows has made of the scores in `raw`.
    void keep_bends(RowRange range, const Real* residuals, const Real* raw);
    [[nodiscard]] Scoring scoring() const { return {shape_.rows, loss_.relative()}; }
    double run(const Pass& pass);
    void run_own(const Pass& pass, bool sums_residuals);
    void combine_own(std::span<const Index> rows, const Real* residuals, Matrix<Real>& gradient);
    double pass_piece(const Pass& pass, int part, int piece, int next);
    double apply_loss(const Pass& pass, RowRange range, Scratch& scratch, int piece);
    // Whether set 0 has something to score.
    [[nodiscard]] bool scores_rows(const Pass& pass) const;
    void score_block(const Pass& pass, int part, RowRange range, Scratch& scratch);
    void complete_scores(const Pass& pass, RowRange range, Scratch& scratch);
    Truth<Real> truth_of(const Selection& selection, RowRange range, Scratch& scratch) const;
    // Memory of every thread, before they start: a thread must not throw.
    void prepare_scratch(int threads, const Blend<Real>& points);
    [[nodiscard]] Pass full(const Iterate<Real>* x = nullptr) const {
        return {.selection = {nullptr, samples_}, .count = rows_.total, .points = {.x = x}};
    }
    // Those of a batch that are here.
    [[nodiscard]] Selection own_rows(std::span<const Index> rows, std::vector<Index>& list) const;
    // The sum over the parts.
    [[nodiscard]] double own_loss() const;
    // The mean over all rows of all ranks, after passes of for_each_block.
    [[nodiscard]] double mean_loss() const;
    // Adds up what the ranks have made of their rows, of gradients where they do not keep their shares; `few` are other numbers to be added up.
    void sum_ranks(Matrix<Real>* gradient, std::span<double> few) const;
    // Calls body(part, range) for blocks of all rows, without a look at the data.
    void for_each_block(FunctionRef<void(int part, RowRange range)> body);
    // Over all rows, from what is remembered if that can be.
    double full_pass(const Iterate<Real>& x, Matrix<Real>* gradient);
    Source source_of(const Iterate<Real>& x);
    void begin_intercept(std::span<const double> weights);
    double full_pass_with_intercept(const Iterate<Real>& x, Matrix<Real>* gradient, Source source);
    // The least mean loss over the intercept, which starts from `at` and ends there; load(range, scores) gives a block's
    // scores without it. `x` is where that is, or null for a point in between.
    using LoadScores = FunctionRef<void(RowRange range, Real* scores)>;
    // The mean loss at these scores, without an intercept.
    double loss_of(LoadScores load);
    // No score is larger in size.
    double largest_score(LoadScores load);
    InterceptFound best_intercept(LoadScores load, std::vector<double>& at, const Iterate<Real>* x);
    [[nodiscard]] const std::vector<double>& intercept_at(const Iterate<Real>& x) const;
    void add_intercept(const std::vector<double>& intercept, Index count, kernels::ScoreLayout layout,
                       Real* scores) const;
    void add_residuals(const Real* residuals, Index count, kernels::ScoreLayout layout, double* sums) const;
    // By output, those of all pieces.
    [[nodiscard]] std::vector<double> residual_sums() const;
    // Whether Z and the Z_v of this move are at hand then; v is its atom, or both of them together.
    bool prepare_line(const Iterate<Real>& x, const Move<Real>& move);
    // Scores at x + step · d, without an intercept, of a line that is prepared; and those of d.
    void load_after(const Move<Real>& move, double step, RowRange range, Real* scores) const;
    void load_direction(const Move<Real>& move, RowRange range, Real* scores) const;
    // The move of a batch's iterate that leads from one version to another, if it is one of the last and has factors.
    const FactoredMove<Real>* factored_move(const Iterate<Real>& x, Version from, Version to);
    void prepare_weights(const Pass& pass);
    void prepare_projection(const Selection& selection, std::size_t set, const VertexFactors<Real>& vertex);
    void prepare_point(const Selection& selection, std::size_t set, const Iterate<Real>& point,
                       const Iterate<Real>& x);

    RowShare rows_;
    bool keeps_shares_ = false;  // of gradients
    std::optional<FollowedIntercept<Real>> intercept_;
    BlockLoss<Real> loss_;
    int threads_;
    Index
        samples_;  // that passes go through: those that are here, or one of weight 0 that stands in for none
    Shape shape_;
    Features<Real> features_;
    PageAdvice<Real> pages_;
    Index entries_;
    std::vector<Index> own_list_;         // of a batch, those that are here
    std::vector<Index> next_list_;        // of the one to come
    std::vector<double> column_entries_;  // of sparse data, once asked for
    Index room_;                          // bytes that copies may take
    std::unique_ptr<RowEngine<Real>> engine_;
    std::vector<Scratch> scratch_;   // one per thread
    std::vector<double> losses_;     // summed up, one per piece
    std::vector<double> few_;        // of a pass: numbers that ranks add up beside its gradient
    std::vector<Slopes> slopes_;     // the same
    std::vector<double> residuals_;  // the same, one per piece and output

    // Scores of an iterate that is looked at in full after every move.
    bool may_remember_;
    FollowedScores<Real> scores_;
    Version scores_at_ = Version::none;                                    // the point they are of
    LeftByPart<Real> left_{.scores = &scores_, .scores_at = &scores_at_};  // of a point that is to come
    Version full_at_ = Version::none;  // the last point that was looked at in full
    int followed_ = 0;                 // looks in full in a row, each a move after the last
    int moves_ = 0;                    // made since the scores were computed from the data
    Version along_ = Version::none;    // the move whose Z_v is at hand
    bool factored_ = false;            // as a projection
    Matrix<Real> together_;            // v of a move with two atoms

    FollowedScores<Real> aside_;  // with an intercept: scores of a point that is looked at in between

    // Of all rows, where samples have been asked for: how much each loss bends at the point that was looked at last.
    bool keeps_bends_ = false;
    AlignedVector<Real> row_bends_;
    Version bends_at_ = Version::none;

    // Of an iterate whose batch gradients are asked for: moves, by where they lead, and the points that the weights of
    // the engine's sets are of.
    struct LedTo {
        Version to = Version::none;
        FactoredMove<Real> move;

        void archive(Archive& state) { state(to, move); }
    };
    std::array<LedTo, 2> led_to_;
    std::size_t next_led_to_ = 0;
    std::array<Version, 2> prepared_at_{};
};

}  // namespace alfcg

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
    LinearObjective(const Features<Real>& features, const Targets& targets, const LossOptions& loss,
                    int threads);

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index samples() const override { return samples_; }
    double evaluate(const Matrix<Real>& x, Matrix<Real>& gradient) override;
    double value(const Matrix<Real>& x) override;
    void batch_gradient(std::span<const Index> rows, const Matrix<Real>& x, Matrix<Real>& gradient) override;
    void blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
               Matrix<Real>& scratch) override;
    void expect(std::span<const Index> rows) override;
    std::unique_ptr<GradientTable<Real>> gradient_table() override;

    void follow(const Matrix<Real>* x) override;
    void aim(const Vertex<Real>& vertex) override;
    std::optional<double> value_along(double step) override;
    void moved(const Vertex<Real>& vertex, double step) override;

    /// residuals[k * outputs + l] = ∂loss/∂score_l of row rows[k] at x: a component gradient is the outer
    /// product of its residual and its features.
    void residuals(std::span<const Index> rows, const Matrix<Real>& x, Real* residuals);
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
    };
    struct Scratch {
        AlignedVector<Real> scores;      // of one block
        AlignedVector<Real> second;      // of one block at the second point
        AlignedVector<Real> change;      // of one block: scores less those at the second point
        AlignedVector<Real> projection;  // of one block: X w of the move from the second point
        AlignedVector<Real> targets;     // of one block of listed rows
        Slopes slopes;
    };
    // What is known of the iterate that is followed.
    enum class Knowledge { nothing, scores, scores_before_a_move };

    [[nodiscard]] Scoring scoring() const { return {shape_.rows, loss_.relative()}; }
    double run(const Pass& pass);
    double pass_piece(const Pass& pass, int part, int piece, int next);
    double apply_loss(const Pass& pass, Stretch stretch, const Real* targets, Scratch& scratch) const;
    // Whether set 0 has something to score.
    [[nodiscard]] bool scores_rows(const Pass& pass) const;
    void score_block(const Pass& pass, int part, Stretch stretch, Scratch& scratch);
    void complete_scores(const Pass& pass, Stretch stretch, Scratch& scratch);
    const Real* targets_of(const Selection& selection, Stretch stretch, Scratch& scratch) const;
    // Memory of every thread, before they start: a thread must not throw.
    void prepare_scratch(int threads, const Blend<Real>& points);
    // The mean over `count` rows.
    [[nodiscard]] double mean_loss(Index count) const;
    // Calls body(stretch) for blocks of all rows, without a look at the data.
    template <class Body>
    void for_each_block(const Body& body);
    double followed_pass(const Matrix<Real>& x, Matrix<Real>* gradient);
    void note_move(const Vertex<Real>& vertex, double step);
    // One of the last two.
    [[nodiscard]] const FactoredMove<Real>& noted_move(Index number) const {
        return last_moves_[static_cast<std::size_t>(number % 2)];
    }
    void prepare_weights(const Pass& pass);
    void prepare_projection(const Selection& selection, std::size_t set, const VertexFactors<Real>& vertex);
    void prepare_point(const Selection& selection, std::size_t set, const Matrix<Real>& point, Index place);

    BlockLoss<Real> loss_;
    int threads_;
    Index samples_;
    Shape shape_;
    Index data_bytes_;
    std::unique_ptr<RowEngine<Real>> engine_;
    std::vector<Scratch> scratch_;  // one per thread
    std::vector<double> losses_;    // summed up, one per piece

    const Matrix<Real>* followed_ = nullptr;
    Knowledge known_ = Knowledge::nothing;
    FollowedScores<Real> scores_;
    bool aimed_ = false;     // Z_v of the vertex aimed at is at hand
    bool factored_ = false;  // as a projection
    double step_ = 0;        // of the move the scores have not made yet
    int moves_ = 0;          // since the scores were computed from the data

    // Moves of an iterate whose batch gradients are asked for, as long as none goes towards a dense vertex; and how many
    // had led to the weights of the engine's sets for batches.
    static constexpr Index nowhere = -1;
    std::array<FactoredMove<Real>, 2> last_moves_;
    bool noting_moves_ = false;
    Index moves_noted_ = 0;
    std::array<Index, 2> prepared_at_{nowhere, nowhere};
};

}  // namespace alfcg

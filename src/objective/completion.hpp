#pragma once

#include <functional>
#include <vector>

#include "alfcg/objective/completion.hpp"
#include "core/function_ref.hpp"
#include "objective/bias_search.hpp"
#include "objective/loss_table.hpp"

namespace alfcg {

/// f over the known entries of a matrix.
template <class Real>
class Completion final : public Objective<Real> {
  public:
    Completion(const Observations<Real>& known, const LossSpec& loss, const BiasSpec& biases, int threads);

    [[nodiscard]] Shape shape() const override { return known_.pattern.shape; }
    [[nodiscard]] const Pattern* pattern() const override { return &known_.pattern; }
    [[nodiscard]] Index samples() const override { return known_.size(); }
    [[nodiscard]] Index entries() const override { return known_.size(); }

    double evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) override;
    double value_after(const Iterate<Real>& x, const Move<Real>& move, double step) override;
    double slope_after(const Iterate<Real>& x, const Move<Real>& move, double step) override;
    void batch_gradient(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& gradient) override;
    std::unique_ptr<GradientTable<Real>> gradient_table() override;
    void sweep(TwoFactors<Real>& factors, double penalty) override;
    double evaluate_product(const TwoFactors<Real>& factors, Matrix<Real>& gradient) override;
    std::vector<double> intercept(const Iterate<Real>& x) override;
    void archive(Archive& state) override;

    /// ∂loss of some places at x, times their weights and samples() / W.
    void slopes_at(std::span<const Index> places, const Iterate<Real>& x, std::vector<double>& slopes);

  private:
    // What is known about the way along a move.
    struct Line {
        Version x = Version::none;
        Version move = Version::none;
        double value = 0;  // at x
        double slope = 0;  // where f is a parabola
        double bend = 0;
    };

    // Entries become the slopes of the losses there, times their weights; returns the sum of the losses.
    using Entries = FunctionRef<void(Index first, Index last, Real* to)>;
    double judge_entries(Entries entries, const std::vector<double>& biases, Real* slopes) const;
    // f less its factor 1/W, where biases are best; they begin where they are. Leaves the slopes.
    double settle(Entries entries, std::vector<double>& biases, Real* slopes);
    [[nodiscard]] double penalty_at(const std::vector<double>& biases) const;
    void take_bends(Entries entries, const std::vector<double>& biases, const Real* slopes);
    [[nodiscard]] std::vector<double> first_biases(const Iterate<Real>& x) const;
    void look_along(const Iterate<Real>& x, const Move<Real>& move);
    [[nodiscard]] Index row_of(Index place) const;

    // Lines of one factor for the other.
    void solve_rows(TwoFactors<Real>& factors, double penalty);
    void solve_columns(TwoFactors<Real>& factors, double penalty);
    // The observations of some columns, one column after the other; in `starts` these begin.
    struct Columns {
        Index first = 0;
        Index last = 0;
        std::vector<std::int32_t> rows;
        AlignedVector<Real> values;
        AlignedVector<Real> weights;
    };
    void pick(const std::vector<Index>& starts, std::vector<Index>& come_to, Columns& columns) const;

    Observations<Real> known_;
    const LossRow& loss_;
    double parameter_;
    JudgeBlock<Real> judge_;
    bool parabola_;
    BiasSpec biases_;
    int threads_;
    double total_ = 0;  // W
    BiasSearch<Real> search_;
    Matrix<Real> bends_;  // of places, where f is no parabola or has weights
    Matrix<Real> trial_;  // slopes at a point that a line search tries
    Matrix<Real> way_;    // a direction at the places, where f is no parabola
    Version evaluated_ = Version::none;
    double value_ = 0;  // there
    Line line_;
    std::vector<Index> column_starts_;  // when sweeps have begun: places before a column
    Columns all_columns_;               // in memory where that is modest
};

}  // namespace alfcg

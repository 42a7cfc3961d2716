#pragma once

#include <memory>
#include <vector>

#include "alfcg/data/features.hpp"
#include "alfcg/objective/part.hpp"
#include "objective/block_loss.hpp"
#include "objective/followed_scores.hpp"
#include "objective/intercept_search.hpp"
#include "objective/row_engine.hpp"

namespace alfcg {

/// The same loss on the products of the data with a few directions: a linear model of few features, whose scores and second
/// derivatives are kept.
template <class Real>
class LinearPart final : public Part<Real> {
  public:
    /// `products`: a row for each sample, a column for each direction; the last one is of ones where there is an intercept. A pass
    /// over the data they come from looks at so many `entries`.
    LinearPart(Features<Real> products, Index entries, const BlockLoss<Real>& loss, Index outputs,
               const InterceptRule* intercept, int threads);

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index free_columns() const override { return intercept_ != nullptr ? 1 : 0; }
    [[nodiscard]] double share() const override { return share_; }
    double evaluate(const Matrix<Real>& s, Matrix<Real>& gradient) override;
    void curve(const Matrix<Real>& d, Matrix<Real>& product) override;
    void stiffen(double stiffness) override { stiffness_ = stiffness; }
    double value_after(double step) override;
    double advance(double step, Matrix<Real>& gradient) override;
    void curvatures(Matrix<double>& diagonal) override;
    bool curvature_matrix(Matrix<double>& matrix) override;
    using typename Part<Real>::Walk;
    bool walk(const Walk& walk, const Matrix<Real>& s, std::span<double> u) override;
    void take_intercept(const Iterate<Real>& x, Matrix<Real>& s) const override;
    void leave_intercept(const Matrix<Real>& s, const Iterate<Real>& x) const override;

  private:
    enum class Source { data, moved };
    double judge_all(Source source, const Real* weights, Matrix<Real>& gradient);
    // Scores of a block become residuals; what the second derivatives are made of is kept.
    double judge(RowRange range, Real* scores, Real* raw, double* bends);
    // Scores of a direction become what the second derivatives make of them.
    void bend(RowRange range, Real* scores) const;
    void prepare_scratch(int threads);

    Features<Real> products_;
    const BlockLoss<Real>& loss_;
    Shape shape_;
    const InterceptRule* intercept_;
    int threads_;
    double share_;
    double stiffness_ = 0;
    Index samples_;
    std::unique_ptr<RowEngine<Real>> engine_;
    FollowedScores<Real> scores_;  // at S, and of D
    // Second derivatives of a loss of one score; else the shares of the classes, outputs a sample.
    AlignedVector<Real> bends_;
    std::vector<double> bend_sums_;  // over all samples, one per output
    std::vector<double> squares_;    // of the columns of the products, summed up
    struct Scratch {
        AlignedVector<Real> scores;
        AlignedVector<Real> raw;
    };
    std::vector<Scratch> scratch_;  // one per thread

    // The products by columns, for those who walk through them.
    void lay_out_columns();
    class OneScore;
    class Softmax;
    template <class Scores>
    void walk_through(Scores scores, const Walk& walk, const Matrix<Real>& s, std::span<double> u);
    std::vector<Index> start_;
    std::vector<std::int32_t> row_;
    AlignedVector<Real> value_;
    std::vector<double> walked_;    // what a walk keeps of every sample
    AlignedVector<Real> shares_;    // of the classes, output by output
    std::vector<double> diagonal_;  // of ∇²f(S); empty: not known there
};

}  // namespace alfcg

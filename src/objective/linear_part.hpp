#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "alfcg/data/features.hpp"
#include "alfcg/objective/part.hpp"
#include "objective/block_loss.hpp"
#include "objective/followed_scores.hpp"
#include "objective/intercept_search.hpp"
#include "objective/row_engine.hpp"
#include "objective/row_share.hpp"

namespace alfcg {

/// Rows of the data, each with a weight of its own.
template <class Real>
struct DrawnRows {
    std::vector<Index> list;  // increasing; empty: all of them, as they are
    AlignedVector<Real> targets;
    AlignedVector<Real> weights;
    Index count = 0;  // on all ranks
};

/// What a part knows of the point that the next move leads to.
template <class Real>
struct LeftByPart {
    Version move = Version::none;  // which is to be made in full
    Version at = Version::none;    // where it has led
    bool whole = false;            // the part was all of f: these are its value and gradient
    double value = 0;
    Matrix<Real> gradient = {};
    // Where scores go, and which point they were of.
    FollowedScores<Real>* scores = nullptr;
    Version* scores_at = nullptr;

    void archive(Archive& state) { state(move, at, whole, value, gradient); }
};

/// The same loss on the products of the data with a few directions, or on a few of the rows: a linear model whose scores and second
/// derivatives are kept. Of rows on several ranks, each has those that are here.
template <class Real>
class LinearPart final : public Part<Real> {
  public:
    /// `products`: a row for each sample, a column for each direction; the last one is of ones where there is an intercept. A pass
    /// over the data they come from looks at so many `entries`.
    LinearPart(Features<Real> products, Index entries, const BlockLoss<Real>& loss, Index outputs,
               const InterceptRule* intercept, const RowShare& rows, int threads);
    /// Some of the rows with all of their features, through the engine of those who look at all rows. Passes over rows drawn leave no
    /// weights behind in it that anybody may rely on: `prepared` says which there are.
    LinearPart(const Features<Real>& features, RowEngine<Real>& engine, std::span<Version> prepared,
               DrawnRows<Real> drawn, const BlockLoss<Real>& loss, Index outputs,
               const InterceptRule* intercept, const RowShare& rows, int threads);

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index free_columns() const override { return intercept_ != nullptr ? 1 : 0; }
    [[nodiscard]] bool relative() const override { return loss_.relative(); }
    [[nodiscard]] double share() const override { return share_; }
    [[nodiscard]] Index samples() const override { return all_; }
    double evaluate(const Matrix<Real>& s, Matrix<Real>& gradient) override;
    void curve(const Matrix<Real>& d, Matrix<Real>& product) override;
    double aim(const Matrix<Real>& d) override;
    void stiffen(double stiffness) override { stiffness_ = stiffness; }
    double value_after(double step) override;
    double advance(double step, Matrix<Real>& gradient) override;
    void curvatures(Matrix<double>& diagonal) override;
    Index curvature_matrix(Index rows, bool dear, Matrix<double>& matrix) override;
    using typename Part<Real>::Walk;
    std::optional<double> walk(const Walk& walk, const Matrix<Real>& s, std::span<double> u) override;
    double spread(const Matrix<Real>& directions, Matrix<Real>& products, std::vector<double>& mean) override;
    void take_intercept(const Iterate<Real>& x, Matrix<Real>& s) const override;
    void leave_intercept(const Matrix<Real>& s, const Iterate<Real>& x) const override;
    void leave(Version move, double value, const Matrix<Real>& gradient) const override;
    /// With one output: what is known where x goes is left there; `whole`: the part is all of f.
    void leave_to(LeftByPart<Real>* left, bool whole) {
        left_ = left;
        whole_ = whole;
    }
    void archive(Archive& state) override;

  private:
    // f at these weights, or at the scores at hand.
    double judge_all(const Matrix<Real>* weights, Matrix<Real>& gradient);
    // Scores of a block become residuals; what the second derivatives are made of is kept, and summed up.
    double judge(RowRange range, Real* scores, Real* raw, double* bends);
    // Scores of a direction become what the second derivatives make of them.
    void bend(RowRange range, Real* scores, Real* sums) const;
    [[nodiscard]] double weight_of(Index i) const {
        return truth_.weights == nullptr ? 1 : static_cast<double>(truth_.weights[i]);
    }
    // A pass over the rows with these weights, if any: make(part, range, scores, totals) is to turn scores into residuals, whose
    // products with the rows are summed up where `sums` is given, and may add to 1 + outputs totals, which are returned.
    using Make = FunctionRef<void(int part, RowRange range, Real* scores, double* totals)>;
    std::vector<double> pass(const Matrix<Real>* weights, Make make, Matrix<Real>* sums);
    void prepare_scratch(int threads, Index outputs);
    [[nodiscard]] Selection selection() const {
        return {drawn_.list.empty() ? nullptr : drawn_.list.data(), samples_};
    }
    // Whether the products are all there is: of all rows, with the intercept's column among them.
    [[nodiscard]] bool is_whole() const { return drawn_.list.empty() && !apart_; }
    [[nodiscard]] Index features() const { return shape_.cols - (apart_ ? 1 : 0); }
    [[nodiscard]] Truth<Real> truth(Index first) const {
        return {truth_.targets + first, truth_.weights == nullptr ? nullptr : truth_.weights + first};
    }
    [[nodiscard]] Real* bends_of(Index i, Index l) {
        return bends_.data() + (by_output_ ? l * samples_ + i : i * shape_.rows + l);
    }
    [[nodiscard]] const Real* bends_of(Index i, Index l) const {
        return bends_.data() + (by_output_ ? l * samples_ + i : i * shape_.rows + l);
    }

    [[nodiscard]] Index entries();  // on all ranks
    Index entries_ = -1;            // once asked for

    Features<Real> products_;
    DrawnRows<Real> drawn_;
    const BlockLoss<Real>& loss_;
    Truth<Real> truth_;
    const RowShare& rows_;
    Index samples_;  // here
    Index all_;      // on all ranks
    Shape shape_;
    const InterceptRule* intercept_;
    bool apart_;  // the intercept is none of the features
    int threads_;
    double share_;
    double stiffness_ = 0;
    std::unique_ptr<RowEngine<Real>> own_engine_;
    RowEngine<Real>* engine_;
    std::span<Version> prepared_;
    FollowedScores<Real> scores_;  // at S, and of D
    LeftByPart<Real>* left_ = nullptr;
    bool whole_ = false;
    // Second derivatives of a loss of one score; else the shares of the classes. Those of an output lie side by side where scores do.
    AlignedVector<Real> bends_;
    bool by_output_ = false;
    std::vector<double> bend_sums_;  // over all samples, one per output
    std::vector<double> squares_;    // of the columns of the products, summed up, once asked for
    Matrix<Real> weights_;           // without those of an intercept that stands apart
    Matrix<Real> sums_;
    struct Scratch {
        AlignedVector<Real> scores;
        AlignedVector<Real> raw;
    };
    std::vector<Scratch> scratch_;  // one per thread

    // Samples with the weights that their products have in the matrix of second derivatives: all where `rows` is as many, else about
    // `rows`, drawn where the loss bends.
    struct WeighedRow {
        Index row = 0;
        double weight = 0;
    };
    [[nodiscard]] std::vector<WeighedRow> weighed_rows(Index rows);
    std::uint64_t draws_ = 0;

    // The products by columns, for those who walk through them.
    void lay_out_columns();
    class OneScore;
    class Softmax;
    // `gram`: ∇²f(S), where it takes the place of a look at the samples.
    template <class Scores>
    double walk_through(Scores scores, const Matrix<double>* gram, const Walk& walk, const Matrix<Real>& s,
                        std::span<double> u);
    std::vector<Index> start_;
    Buffer<std::int32_t> row_;
    Buffer<Real> value_;
    std::vector<double> walked_;    // what a walk keeps of every sample
    AlignedVector<Real> shares_;    // of the classes, output by output
    std::vector<double> diagonal_;  // of ∇²f(S); empty: not known there
    std::vector<Matrix<double>>
        walked_matrix_;  // ∇²f(S), for walks over several ranks; empty: not known there
};

}  // namespace alfcg

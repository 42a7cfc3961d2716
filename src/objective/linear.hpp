#pragma once

#include <span>
#include <vector>

#include "alfcg/objective/objective.hpp"

namespace alfcg {

/// (1/N) Σ loss(W x_i, y_i). Data are read once per pass: a block of rows that fits the cache gives its
/// scores, its residuals and its share of the gradient before it leaves. Each thread adds up its own share;
/// shares are summed in a fixed order, so that the same thread count gives the same bits.
template <class Real>
class LinearObjective final : public Objective<Real> {
  public:
    LinearObjective(const Features<Real>& features, Targets targets, const LossOptions& loss, int threads);

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index samples() const override { return samples_; }
    double evaluate(const Matrix<Real>& x, Matrix<Real>& gradient) override;
    double value(const Matrix<Real>& x) override;
    void batch_gradient(std::span<const Index> rows, const Matrix<Real>& x, Matrix<Real>& gradient) override;
    std::unique_ptr<GradientTable<Real>> gradient_table() override;

    /// residuals[k * outputs + l] = ∂loss/∂score_l of row rows[k] at x: a component gradient is the outer
    /// product of its residual and its features.
    void residuals(std::span<const Index> rows, const Matrix<Real>& x, Real* residuals);
    /// gradient = Σ_k residuals[k] ⊗ features of rows[k].
    void combine(std::span<const Index> rows, const Real* residuals, Matrix<Real>& gradient);

  private:
    struct Scratch {
        AlignedVector<Real> gradient;   // this thread's share, where it cannot go straight to the result
        AlignedVector<Real> scores;     // of one block
        std::vector<const Real*> rows;  // of one block
        double loss = 0;
    };
    // The rows of one pass: all of them, or those listed.
    struct Selection {
        const Index* list = nullptr;
        Index count = 0;
        [[nodiscard]] Index row(Index i) const { return list == nullptr ? i : list[i]; }
    };

    double pass(const Selection& selection, const Matrix<Real>& x, Matrix<Real>* gradient);
    double dense_pass(const DenseFeatures<Real>& features, const Selection& selection, const Matrix<Real>& x,
                      Matrix<Real>* gradient);
    double sparse_pass(const SparseFeatures<Real>& features, const Selection& selection,
                       const Matrix<Real>& x, Matrix<Real>* gradient);
    // Scratch memory of every thread, before they start: a thread must not throw.
    void prepare(int threads, Index block, bool gradient, bool own_share_of_first);
    double residual(Index row, Real* scores, double weight) const;
    double total_loss(int threads) const;
    // gradient += the shares of threads 1 .. threads-1.
    void add_shares(int threads, Real* gradient);

    const Features<Real>& features_;
    Targets targets_;
    LossOptions loss_;
    int threads_;
    Index samples_;
    Shape shape_;
    std::vector<Scratch> scratch_;            // one per thread
    AlignedVector<Real> transposed_weights_;  // sparse data: features x outputs
};

}  // namespace alfcg

#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alfcg/core/device.hpp"
#include "objective/block_loss.hpp"
#include "objective/followed_intercept.hpp"
#include "objective/linear_model.hpp"

namespace alfcg {

/// The linear model whose rows lie on a device: what goes through rows is done there. Weights go up once a point, and of batches at two points
/// the one that is new; of a point that a short move has led to, the move alone. Gradients and scalars come back. Parts of f, which alfcg-c works on,
/// hulls and second moments are the CPU's.
template <class Real>
class DeviceObjective final : public LinearModel<Real> {
  public:
    DeviceObjective(const Features<Real>& features, Targets targets, const LossSpec& loss, int threads,
                    bool intercept, std::optional<Index> memory, std::shared_ptr<Device> device);

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index samples() const override { return share_.total; }
    [[nodiscard]] Index entries() const override { return entries_; }
    [[nodiscard]] double streamed() const override { return rows_->streamed(); }
    double evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) override;
    double value(const Iterate<Real>& x) override;
    double value_after(const Iterate<Real>& x, const Move<Real>& move, double step) override;
    double slope_after(const Iterate<Real>& x, const Move<Real>& move, double step) override;
    void batch_gradient(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& gradient) override;
    void blend(std::span<const Index> rows, const Blend<Real>& blend, Matrix<Real>& gradient,
               Matrix<Real>& scratch) override;
    std::vector<double> intercept(const Iterate<Real>& x) override;
    [[nodiscard]] bool settled(const Iterate<Real>& x) const override { return !x.intercept().going; }
    [[nodiscard]] bool certifies(const Iterate<Real>& x) const override {
        return settled(x) || std::isfinite(intercept_->reach());
    }
    void archive(Archive& state) override;

    [[nodiscard]] const RowShare& share() const override { return share_; }
    void residuals(std::span<const Index> rows, const Iterate<Real>& x, Index count,
                   Real* residuals) override;
    void own_residuals(std::span<const Index> rows, const Iterate<Real>& x, Real* residuals) override;
    void combine(std::span<const Index> rows, const Real* residuals, Matrix<Real>& gradient) override;

    std::unique_ptr<Part<Real>> part(std::span<const Index> columns) override { return host().part(columns); }
    [[nodiscard]] Index column_bytes(Index column) override { return host().column_bytes(column); }
    std::unique_ptr<Part<Real>> part(const Matrix<Real>& directions) override {
        return host().part(directions);
    }
    std::unique_ptr<Part<Real>> sample(const Iterate<Real>& x, Index rows, std::uint64_t seed) override {
        return host().sample(x, rows, seed);
    }
    std::unique_ptr<Hull<Real>> hull() override { return host().hull(); }
    std::optional<SecondMoments<Real>> second_moments() override { return host().second_moments(); }

  private:
    // The same function on the CPU, once it is asked for.
    Objective<Real>& host();
    void measure_scale();
    // The slot that has the weights of a point, which need not be sent again; not that of `other`.
    int place(const Iterate<Real>& x, int other = -1);
    // The same of a point that a short move led to, from one that is there: what the move needs is sent. -1 for others.
    int place_by_step(const Iterate<Real>& x, int other);
    double evaluate_with_intercept(const Iterate<Real>& x, Matrix<Real>* gradient);
    // The scores at x + step · d, and the intercept at x.
    std::vector<double> score_after(const Iterate<Real>& x, const Move<Real>& move, double step);
    // The least mean loss at the scores at hand.
    InterceptFound best_intercept(std::vector<double>& at, const Iterate<Real>* x);
    DevicePoint point(const Iterate<Real>& x, int slot) const;
    // Residuals at x, and their sums.
    void make_residuals(std::span<const Index> rows, const Iterate<Real>& x, Real* residuals, double* sums);
    // Whatever fails on the device, as an error of ours.
    template <class Body>
    decltype(auto) on_device(const Body& body) const;

    RowShare share_;
    Features<Real> features_;
    Targets targets_;
    LossSpec spec_;
    int threads_;
    std::optional<Index> memory_;
    Shape shape_;
    Index entries_;
    std::optional<FollowedIntercept<Real>> intercept_;
    std::shared_ptr<Device> device_;  // outlives its rows
    std::unique_ptr<DeviceRows<Real>> rows_;
    std::unique_ptr<Objective<Real>> host_;

    std::array<Version, 2> placed_{};
    std::array<int, 2> steps_{};  // since the weights there were sent as a whole
    int oldest_ = 0;
    Version scores_at_ = Version::none;  // the point whose scores the device keeps
    Iterate<Real> after_;                // x + step · d
    Matrix<Real> along_;                 // the gradient there
    std::vector<double> sums_;
    std::vector<Index> step_positions_;
    std::vector<Real> step_values_;
};

}  // namespace alfcg

#pragma once

#include "calibration/checkpoint.hpp"
#include "calibration/descent.hpp"
#include "calibration/probe.hpp"
#include "calibration/trust.hpp"
#include "estimator/sampler.hpp"
#include "solve/staged.hpp"

namespace alfcg {

/// ALFCG-FS, -MVR1 and -MVR2 that find their own scale (docs/calibration.md). The estimators are the printed
/// ones, each from a full gradient on. The batch of iteration t has had no part in the choice of the last
/// direction, so that its slope along it is an honest one: together with the secant on the same batch it says
/// how long the step should have been. Full gradients, where the method takes them, guard the way.
template <class Real>
class CalibratedBatches final : public StagedMethod<Real> {
  public:
    enum class Kind { spider, ema, storm };
    struct Parts {
        Kind kind = Kind::spider;
        Index batch = 1;
        Index period = 0;            // spider: iterations from one full gradient to the next
        std::optional<double> beta;  // momentum as printed, with this β; else the rule's own
    };

    CalibratedBatches(Objective<Real>& objective, Batches& batches, const Parts& parts);

    void moved(double distance) override;
    void conclude(Run<Real>& run, Iterate<Real>& x) override;
    [[nodiscard]] std::optional<double> scale() const override { return trust_.scale(); }
    [[nodiscard]] bool takes_shares() const override { return true; }
    void archive(Run<Real>& run, Archive& state) override;

  protected:
    Estimate estimate(Run<Real>& run, std::optional<double> alpha, Proposal<Real>& proposal) override;
    double aim(Run<Real>& run, Proposal<Real>& proposal) override;
    double step(const StepInput& input, LineFunction& line) override;
    [[nodiscard]] std::optional<double> curvature() const override { return trust_.curvature(); }

  private:
    [[nodiscard]] bool full_gradient_due() const;
    [[nodiscard]] double momentum() const;
    [[nodiscard]] double epochs() const { return static_cast<double>(used_) / static_cast<double>(samples_); }
    // <g_t, d> for the direction d of the last move, which the proposal still holds; none after a whole step.
    [[nodiscard]] std::optional<double> slope_along(const Proposal<Real>& last, const Iterate<Real>& x) const;

    // What the last direction was worth, in the eyes of a full gradient or of a batch.
    Index look_at_batch(const Iterate<Real>& x, Proposal<Real>& proposal);
    void see_slope(double slope);
    void see_ema_slope(double slope);

    // Whether the way so far has to be gone back.
    void check_way(const Matrix<Real>& gradient, const Iterate<Real>& x, double composite);
    void watch_epoch(const Iterate<Real>& x, double composite);
    void mark(const Iterate<Real>& x, double composite);

    // The mean of the points passed. A run may end there: where F is lower than at x, as far as the slopes at
    // both ends of the way between them tell, and proven to be no higher than at the checkpoint.
    void average(const Iterate<Real>& x, double composite);
    bool settle_at_mean(Run<Real>& run, Iterate<Real>& x, const Matrix<Real>& gradient);

    void find_first_curvature(Run<Real>& run, const Proposal<Real>& proposal, double composite);

    Batches& batches_;
    Sampler<Real> sampler_;
    Probe<Real> probe_;
    Descent<Real> descent_;
    Parts parts_;
    Index samples_;
    bool averages_;  // ema, where x is kept as entries: means of factors would cost more than the run
    Trust trust_;

    Index iteration_ = 0;
    Index used_ = 0;         // component gradients
    Index since_full_ = 0;   // iterations since the last full gradient
    bool full_due_ = true;   // the next estimate is a full gradient
    bool at_known_ = false;  // x is the checkpoint's point: its gradient is at hand
    bool full_ = false;      // this estimate is a full gradient
    double next_full_ = 1;   // storm: epochs at the next full gradient
    Index last_secant_ = 0;  // ema: iterations that look at two points
    Index next_secant_ = 1;
    double noise_ = 0;  // ema: tβ, summed
    double alpha_ = 1;

    // The last move x_{t−1} → x_t.
    Iterate<Real> previous_;  // x_{t−1}, where the estimator needs it
    double slope_ = 0;        // <g_{t−1}, d>
    double gap_ = 0;
    double composite_gain_ = 0;  // h(x_{t−1}) − h(v)
    double length_squared_ = 0;
    double step_ = 0;

    Checkpoint<Real> safe_;  // the last point known to be no worse than the start
    double decrease_ = 0;    // F(x_0) − F at it, at least, for convex f
    EpochWatch watch_;       // ema: what the batches say about the way since `mark_`
    Vertex<Real> mark_;
    double marked_at_ = 0;  // epochs
    bool watched_ = false;  // this iteration has added to it
    Iterate<Real> mean_;    // ema: of the points passed
    Index averaged_ = 0;    // the iteration of the last of them
    Vertex<Real> here_;     // memory for it

    enum class Going { on, to_safe, towards_safe, to_mark };
    Going going_ = Going::on;
    double back_ = 0;  // share of the way back that is gone
};

}  // namespace alfcg

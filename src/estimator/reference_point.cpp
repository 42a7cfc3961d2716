// Estimators that correct a batch gradient with what is remembered of the whole: SVRG and SAGA.
#include "estimator/estimator.hpp"
#include "estimator/sampler.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

template <class Real>
class SvrgEstimator final : public Estimator<Real> {
  public:
    explicit SvrgEstimator(const EstimatorParts<Real>& parts)
        : sampler_(parts.objective, parts.batches), period_(parts.period), batch_(parts.batch) {}

    Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        if (iteration % period_ == 0) {
            const auto answer = sampler_.full(x, gradient);
            snapshot_.stand_at(x);
            at_snapshot_ = gradient;
            return {answer.cost, answer.value, std::nullopt};
        }
        gradient = at_snapshot_;
        const auto answer =
            sampler_.blend(batch_, {.keep = 1, .at_x = 1, .x = &x, .at_y = -1, .y = &snapshot_}, gradient);
        return {answer.cost, std::nullopt, std::nullopt};
    }
    void archive(Archive& state) override { state(snapshot_, at_snapshot_); }

  private:
    Sampler<Real> sampler_;
    Index period_;
    Index batch_;
    Iterate<Real> snapshot_;    // x̃
    Matrix<Real> at_snapshot_;  // ∇f(x̃)
};

template <class Real>
class SagaEstimator final : public Estimator<Real> {
  public:
    explicit SagaEstimator(const EstimatorParts<Real>& parts)
        : objective_(parts.objective),
          batches_(parts.batches),
          batch_(parts.batch),
          table_(objective_.gradient_table()) {}

    Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        const Index samples = objective_.samples();
        // Every row at once leaves nothing of the old table: it is filled anew.
        if (iteration == 0 || batch_ >= samples) {
            const double value = table_->fill(x, mean_);
            gradient = mean_;
            return {samples, value, std::nullopt};
        }
        const auto rows = batches_.draw(batch_);
        table_->exchange(rows, x, gradient, mean_change_);
        kernels::axpby(gradient.size(), 1, mean_.data(), 1, gradient.data());
        kernels::axpby(gradient.size(), 1, mean_change_.data(), 1, mean_.data());
        return {static_cast<Index>(rows.size()), std::nullopt, std::nullopt};
    }
    void archive(Archive& state) override { state(*table_, mean_); }

  private:
    Objective<Real>& objective_;
    Batches& batches_;
    Index batch_;
    std::unique_ptr<GradientTable<Real>> table_;  // a_i
    Matrix<Real> mean_;                           // ā
    Matrix<Real> mean_change_;
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> svrg_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<SvrgEstimator<Real>>(parts);
}
template <class Real>
std::unique_ptr<Estimator<Real>> saga_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<SagaEstimator<Real>>(parts);
}

template std::unique_ptr<Estimator<float>> svrg_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> svrg_estimator(const EstimatorParts<double>&);
template std::unique_ptr<Estimator<float>> saga_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> saga_estimator(const EstimatorParts<double>&);

}  // namespace alfcg

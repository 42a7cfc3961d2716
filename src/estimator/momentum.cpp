#include "estimator/estimator.hpp"
#include "estimator/sampler.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

template <class Real>
class EmaEstimator final : public Estimator<Real> {
  public:
    EmaEstimator(Objective<Real>& objective, Batches& batches, Index batch)
        : sampler_(objective, batches), batch_(batch) {}

    Estimate estimate(Index iteration, const Matrix<Real>& x, std::optional<double> alpha,
                      Matrix<Real>& gradient) override {
        if (iteration == 0) return {sampler_.gradient(batch_, x, gradient), std::nullopt, alpha};
        const Index cost = sampler_.gradient(batch_, x, at_x_);
        kernels::axpby(x.size(), alpha.value(), at_x_.data(), 1 - alpha.value(), gradient.data());
        return {cost, std::nullopt, alpha};
    }

  private:
    Sampler<Real> sampler_;
    Index batch_;
    Matrix<Real> at_x_;
};

template <class Real>
class StormEstimator final : public Estimator<Real> {
  public:
    StormEstimator(Objective<Real>& objective, Batches& batches, Index batch)
        : sampler_(objective, batches), batch_(batch) {}

    Estimate estimate(Index iteration, const Matrix<Real>& x, std::optional<double> alpha,
                      Matrix<Real>& gradient) override {
        Index cost = 0;
        if (iteration == 0) {
            cost = sampler_.gradient(batch_, x, gradient);
        } else {
            cost = sampler_.gradients(batch_, x, previous_, at_x_, at_previous_);
            // The difference first: with every row in the batch it vanishes exactly, and g_t = ∇f(x_t).
            kernels::axpby(x.size(), -1, at_previous_.data(), 1, gradient.data());
            kernels::axpby(x.size(), 1, at_x_.data(), 1 - alpha.value(), gradient.data());
        }
        previous_ = x;
        return {cost, std::nullopt, alpha};
    }

  private:
    Sampler<Real> sampler_;
    Index batch_;
    Matrix<Real> previous_;  // x_{t−1}
    Matrix<Real> at_x_;
    Matrix<Real> at_previous_;
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> ema_estimator(Objective<Real>& objective, Batches& batches, Index batch) {
    return std::make_unique<EmaEstimator<Real>>(objective, batches, batch);
}
template <class Real>
std::unique_ptr<Estimator<Real>> storm_estimator(Objective<Real>& objective, Batches& batches, Index batch) {
    return std::make_unique<StormEstimator<Real>>(objective, batches, batch);
}

template std::unique_ptr<Estimator<float>> ema_estimator(Objective<float>&, Batches&, Index);
template std::unique_ptr<Estimator<double>> ema_estimator(Objective<double>&, Batches&, Index);
template std::unique_ptr<Estimator<float>> storm_estimator(Objective<float>&, Batches&, Index);
template std::unique_ptr<Estimator<double>> storm_estimator(Objective<double>&, Batches&, Index);

}  // namespace alfcg

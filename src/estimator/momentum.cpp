#include <cmath>

#include "estimator/estimator.hpp"
#include "estimator/sampler.hpp"

namespace alfcg {

namespace {

// α_t of the step rule, or the schedule (t+1)^{−power}.
double momentum_at(Index iteration, std::optional<double> alpha, double power) {
    return alpha ? *alpha : std::pow(static_cast<double>(iteration + 1), -power);
}

template <class Real>
class EmaEstimator final : public Estimator<Real> {
  public:
    explicit EmaEstimator(const EstimatorParts<Real>& parts)
        : sampler_(parts.objective, parts.batches), batch_(parts.batch), power_(parts.power) {}

    Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> alpha,
                      Matrix<Real>& gradient) override {
        const double a = momentum_at(iteration, alpha, power_);
        if (iteration == 0) {
            const auto answer = sampler_.gradient(batch_, x, gradient);
            return {answer.cost, answer.value, a};
        }
        const auto answer = sampler_.blend(batch_, {.keep = 1 - a, .at_x = a, .x = &x}, gradient);
        return {answer.cost, std::nullopt, a};
    }

  private:
    Sampler<Real> sampler_;
    Index batch_;
    double power_;
};

template <class Real>
class StormEstimator final : public Estimator<Real> {
  public:
    explicit StormEstimator(const EstimatorParts<Real>& parts)
        : sampler_(parts.objective, parts.batches),
          batch_(parts.batch),
          period_(parts.period),
          power_(parts.power) {}

    Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> alpha,
                      Matrix<Real>& gradient) override {
        const double a = momentum_at(iteration, alpha, power_);
        typename Sampler<Real>::Answer answer;
        if (period_ > 0 && iteration % period_ == 0) {
            answer = sampler_.full(x, gradient);
        } else if (iteration == 0) {
            answer = sampler_.gradient(batch_, x, gradient);
        } else {
            answer = sampler_.blend(
                batch_, {.keep = 1 - a, .at_x = 1, .x = &x, .at_y = a - 1, .y = &previous_}, gradient);
        }
        previous_.stand_at(x);
        return {answer.cost, answer.value, a};
    }
    void archive(Archive& state) override { state(previous_); }

  private:
    Sampler<Real> sampler_;
    Index batch_;
    Index period_;
    double power_;
    Iterate<Real> previous_;  // x_{t−1}
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> ema_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<EmaEstimator<Real>>(parts);
}
template <class Real>
std::unique_ptr<Estimator<Real>> storm_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<StormEstimator<Real>>(parts);
}

template std::unique_ptr<Estimator<float>> ema_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> ema_estimator(const EstimatorParts<double>&);
template std::unique_ptr<Estimator<float>> storm_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> storm_estimator(const EstimatorParts<double>&);

}  // namespace alfcg

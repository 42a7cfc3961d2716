#include "estimator/estimator.hpp"
#include "estimator/sampler.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

template <class Real>
class SpiderEstimator final : public Estimator<Real> {
  public:
    SpiderEstimator(Objective<Real>& objective, Batches& batches, Index period, Index batch)
        : objective_(objective), sampler_(objective, batches), period_(period), batch_(batch) {}

    Estimate estimate(Index iteration, const Matrix<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        Estimate answer;
        if (iteration % period_ == 0) {
            answer.value = objective_.evaluate(x, gradient);
            answer.cost = objective_.samples();
        } else {
            answer.cost = sampler_.gradients(batch_, x, previous_, at_x_, at_previous_);
            kernels::axpby(x.size(), 1, at_x_.data(), 1, gradient.data());
            kernels::axpby(x.size(), -1, at_previous_.data(), 1, gradient.data());
        }
        previous_ = x;
        return answer;
    }

  private:
    Objective<Real>& objective_;
    Sampler<Real> sampler_;
    Index period_;
    Index batch_;
    Matrix<Real> previous_;  // x_{t−1}
    Matrix<Real> at_x_;
    Matrix<Real> at_previous_;
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> spider_estimator(Objective<Real>& objective, Batches& batches, Index period,
                                                  Index batch) {
    return std::make_unique<SpiderEstimator<Real>>(objective, batches, period, batch);
}

template std::unique_ptr<Estimator<float>> spider_estimator(Objective<float>&, Batches&, Index, Index);
template std::unique_ptr<Estimator<double>> spider_estimator(Objective<double>&, Batches&, Index, Index);

}  // namespace alfcg

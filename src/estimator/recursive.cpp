#include "estimator/estimator.hpp"
#include "estimator/sampler.hpp"

namespace alfcg {

namespace {

template <class Real>
class SpiderEstimator final : public Estimator<Real> {
  public:
    explicit SpiderEstimator(const EstimatorParts<Real>& parts)
        : sampler_(parts.objective, parts.batches),
          period_(parts.period),
          batch_(parts.batch),
          reset_(parts.reset > 0 ? parts.reset : parts.objective.samples()) {}

    Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        typename Sampler<Real>::Answer answer;
        if (iteration % period_ == 0) {
            answer = sampler_.gradient(reset_, x, gradient);
        } else {
            answer = sampler_.blend(batch_, {.keep = 1, .at_x = 1, .x = &x, .at_y = -1, .y = &previous_},
                                    gradient);
        }
        previous_.stand_at(x);
        return {answer.cost, answer.value, std::nullopt};
    }
    void archive(Archive& state) override { state(previous_); }

  private:
    Sampler<Real> sampler_;
    Index period_;
    Index batch_;
    Index reset_;
    Iterate<Real> previous_;  // x_{t−1}
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> spider_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<SpiderEstimator<Real>>(parts);
}

template std::unique_ptr<Estimator<float>> spider_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> spider_estimator(const EstimatorParts<double>&);

}  // namespace alfcg

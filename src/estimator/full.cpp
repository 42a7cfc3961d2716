#include "estimator/estimator.hpp"

namespace alfcg {

namespace {

template <class Real>
class FullEstimator final : public Estimator<Real> {
  public:
    explicit FullEstimator(Objective<Real>& objective) : objective_(objective) {}

    Estimate estimate(Index /*iteration*/, const Matrix<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        return {objective_.samples(), objective_.evaluate(x, gradient), std::nullopt};
    }

  private:
    Objective<Real>& objective_;
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> full_estimator(Objective<Real>& objective) {
    return std::make_unique<FullEstimator<Real>>(objective);
}

template std::unique_ptr<Estimator<float>> full_estimator(Objective<float>&);
template std::unique_ptr<Estimator<double>> full_estimator(Objective<double>&);

}  // namespace alfcg

#include "estimator/estimator.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

template <class Real>
class FullEstimator final : public Estimator<Real> {
  public:
    explicit FullEstimator(const EstimatorParts<Real>& parts) : objective_(parts.objective) {}

    Estimate estimate(Index /*iteration*/, const Iterate<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        return {objective_.samples(), objective_.evaluate(x, gradient), std::nullopt};
    }

  private:
    Objective<Real>& objective_;
};

template <class Real>
class HeavyBallEstimator final : public Estimator<Real> {
  public:
    explicit HeavyBallEstimator(const EstimatorParts<Real>& parts)
        : objective_(parts.objective), momentum_(parts.momentum) {}

    Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        if (iteration == 0) return {objective_.samples(), objective_.evaluate(x, gradient), std::nullopt};
        objective_.evaluate(x, at_x_);
        kernels::axpby(gradient.size(), 1 - momentum_, at_x_.data(), momentum_, gradient.data());
        return {objective_.samples(), std::nullopt, std::nullopt};
    }

  private:
    Objective<Real>& objective_;
    double momentum_;
    Matrix<Real> at_x_;
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> full_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<FullEstimator<Real>>(parts);
}
template <class Real>
std::unique_ptr<Estimator<Real>> heavy_ball_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<HeavyBallEstimator<Real>>(parts);
}

template std::unique_ptr<Estimator<float>> full_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> full_estimator(const EstimatorParts<double>&);
template std::unique_ptr<Estimator<float>> heavy_ball_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> heavy_ball_estimator(const EstimatorParts<double>&);

}  // namespace alfcg

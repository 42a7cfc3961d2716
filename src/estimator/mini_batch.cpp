#include <algorithm>
#include <cmath>
#include <vector>

#include "estimator/estimator.hpp"
#include "estimator/sampler.hpp"

namespace alfcg {

Index growing_batch_size(Index iteration) {
    const Index n = iteration + 1;
    // Cube roots in floating point may be off by one; the comparison is made in integers. Sizes beyond N are
    // cut off by the sampler long before n² could overflow.
    const auto fits = [n](Index b) { return b * b * b <= n * n; };
    auto size = static_cast<Index>(std::cbrt(static_cast<double>(n) * static_cast<double>(n)));
    while (!fits(size)) --size;
    while (fits(size + 1)) ++size;
    return size;
}

namespace {

template <class Real>
class MiniBatchEstimator final : public Estimator<Real> {
  public:
    MiniBatchEstimator(const EstimatorParts<Real>& parts, bool growing)
        : sampler_(parts.objective, parts.batches), batch_(parts.batch), growing_(growing) {}

    Estimate estimate(Index iteration, const Iterate<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        const auto answer = sampler_.gradient(growing_ ? growing_batch_size(iteration) : batch_, x, gradient);
        return {answer.cost, answer.value, std::nullopt};
    }

  private:
    Sampler<Real> sampler_;
    Index batch_;
    bool growing_;
};

template <class Real>
class MedianEstimator final : public Estimator<Real> {
  public:
    explicit MedianEstimator(const EstimatorParts<Real>& parts)
        : sampler_(parts.objective, parts.batches),
          batch_(parts.batch),
          groups_(static_cast<std::size_t>(parts.groups)),
          values_(groups_.size()) {}

    [[nodiscard]] bool linear() const override { return false; }
    Estimate estimate(Index /*iteration*/, const Iterate<Real>& x, std::optional<double> /*alpha*/,
                      Matrix<Real>& gradient) override {
        Estimate result;
        for (Matrix<Real>& group : groups_) result.cost += sampler_.gradient(batch_, x, group).cost;
        const std::size_t middle = groups_.size() / 2;
        for (Index i = 0; i < gradient.size(); ++i) {
            for (std::size_t k = 0; k < groups_.size(); ++k) values_[k] = groups_[k].data()[i];
            const auto centre = values_.begin() + static_cast<std::ptrdiff_t>(middle);
            std::nth_element(values_.begin(), centre, values_.end());
            Real median = *centre;
            // An even number of groups has two middle values: their mean.
            if (groups_.size() % 2 == 0) median = (median + *std::max_element(values_.begin(), centre)) / 2;
            gradient.data()[i] = median;
        }
        return result;
    }

  private:
    Sampler<Real> sampler_;
    Index batch_;
    std::vector<Matrix<Real>> groups_;
    std::vector<Real> values_;
};

}  // namespace

template <class Real>
std::unique_ptr<Estimator<Real>> mini_batch_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<MiniBatchEstimator<Real>>(parts, false);
}
template <class Real>
std::unique_ptr<Estimator<Real>> growing_batch_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<MiniBatchEstimator<Real>>(parts, true);
}
template <class Real>
std::unique_ptr<Estimator<Real>> median_estimator(const EstimatorParts<Real>& parts) {
    return std::make_unique<MedianEstimator<Real>>(parts);
}

template std::unique_ptr<Estimator<float>> mini_batch_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> mini_batch_estimator(const EstimatorParts<double>&);
template std::unique_ptr<Estimator<float>> growing_batch_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> growing_batch_estimator(const EstimatorParts<double>&);
template std::unique_ptr<Estimator<float>> median_estimator(const EstimatorParts<float>&);
template std::unique_ptr<Estimator<double>> median_estimator(const EstimatorParts<double>&);

}  // namespace alfcg

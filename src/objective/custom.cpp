#include <numeric>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/objective/objective.hpp"

namespace alfcg {

namespace {

void check_size(Shape shape) {
    if (shape.rows < 1 || shape.cols < 1) throw Error("an objective needs at least one row and one column");
}

template <class Real>
class CustomSum final : public Objective<Real> {
  public:
    CustomSum(Shape shape, Index samples, SumFunction<Real> function)
        : shape_(shape), function_(std::move(function)), all_(static_cast<std::size_t>(samples)) {
        std::iota(all_.begin(), all_.end(), Index{0});
    }

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] Index samples() const override { return static_cast<Index>(all_.size()); }
    double evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) override {
        gradient.reshape(shape_);
        gradient.fill(0);  // the caller may add up
        return function_(all_, x.matrix().span(), gradient.span());
    }
    void batch_gradient(std::span<const Index> rows, const Iterate<Real>& x,
                        Matrix<Real>& gradient) override {
        gradient.reshape(shape_);
        gradient.fill(0);
        function_(rows, x.matrix().span(), gradient.span());
    }

  private:
    Shape shape_;
    SumFunction<Real> function_;
    std::vector<Index> all_;
};

}  // namespace

template <class Real>
std::unique_ptr<Objective<Real>> custom_sum(Shape shape, Index samples, SumFunction<Real> function) {
    check_size(shape);
    if (samples < 1) throw Error("a finite sum needs at least one sample");
    return std::make_unique<CustomSum<Real>>(shape, samples, std::move(function));
}

template <class Real>
std::unique_ptr<Objective<Real>> custom_objective(Shape shape, Function<Real> function) {
    return custom_sum<Real>(
        shape, 1,
        [f = std::move(function)](std::span<const Index> /*rows*/, std::span<const Real> x,
                                  std::span<Real> gradient) { return f(x, gradient); });
}

template std::unique_ptr<Objective<float>> custom_sum(Shape, Index, SumFunction<float>);
template std::unique_ptr<Objective<double>> custom_sum(Shape, Index, SumFunction<double>);
template std::unique_ptr<Objective<float>> custom_objective(Shape, Function<float>);
template std::unique_ptr<Objective<double>> custom_objective(Shape, Function<double>);

}  // namespace alfcg

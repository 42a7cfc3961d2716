// Part of the space of an objective about which nothing more is known: every call looks at all of f.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "alfcg/objective/objective.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

template <class Real>
class GeneralPart : public Part<Real> {
  public:
    GeneralPart(Objective<Real>& objective, Index directions)
        : objective_(objective), shape_{objective.shape().rows, directions} {}

    [[nodiscard]] Shape shape() const override { return shape_; }
    [[nodiscard]] double share() const override { return 1; }

    double evaluate(const Matrix<Real>& s, Matrix<Real>& gradient) override {
        s_ = s;
        const double value = gradient_at(s, gradient);
        gradient_ = gradient;
        return value;
    }
    // A difference of gradients.
    void curve(const Matrix<Real>& d, Matrix<Real>& product) override {
        d_ = d;
        const double length = norm(d);
        product.reshape(shape_);
        product.fill(0);
        if (length == 0) return;
        const double eps = std::sqrt(static_cast<double>(std::numeric_limits<Real>::epsilon()));
        const double step = eps * (1 + norm(s_)) / length;
        gradient_at(moved(step), product);
        kernels::axpby(shape_.size(), -1 / step, gradient_.data(), 1 / step, product.data());
    }
    double value_after(double step) override {
        lift(moved(step), x_.rewrite());
        return objective_.value(x_);
    }
    double advance(double step, Matrix<Real>& gradient) override {
        moved(step);
        return evaluate(Matrix<Real>(trial_), gradient);
    }
    void curvatures(Matrix<double>& diagonal) override {
        diagonal.reshape(shape_);
        diagonal.fill(1);
    }
    void archive(Archive& state) override { state(s_, d_, gradient_, x_); }

  protected:
    virtual void lift(const Matrix<Real>& s, Matrix<Real>& x) const = 0;
    virtual void restrict_to(const Matrix<Real>& full, Matrix<Real>& gradient) const = 0;

  private:
    static double norm(const Matrix<Real>& m) {
        double sum = 0;
        for (const Real entry : m.span()) sum += static_cast<double>(entry) * static_cast<double>(entry);
        return std::sqrt(sum);
    }
    const Matrix<Real>& moved(double step) {
        trial_ = s_;
        kernels::axpby(shape_.size(), step, d_.data(), 1, trial_.data());
        return trial_;
    }
    double gradient_at(const Matrix<Real>& s, Matrix<Real>& gradient) {
        lift(s, x_.rewrite());
        const double value = objective_.evaluate(x_, full_);
        gradient.reshape(shape_);
        restrict_to(full_, gradient);
        return value;
    }

    Objective<Real>& objective_;
    Shape shape_;
    Matrix<Real> s_;
    Matrix<Real> d_;
    Matrix<Real> trial_;
    Matrix<Real> gradient_;
    Matrix<Real> full_;
    Iterate<Real> x_;
};

template <class Real>
class SomeColumns final : public GeneralPart<Real> {
  public:
    SomeColumns(Objective<Real>& objective, std::span<const Index> columns)
        : GeneralPart<Real>(objective, std::ssize(columns)),
          full_(objective.shape()),
          columns_(columns.begin(), columns.end()) {}

  protected:
    void lift(const Matrix<Real>& s, Matrix<Real>& x) const override {
        x.reshape(full_);
        x.fill(0);
        for (Index l = 0; l < s.rows(); ++l)
            for (Index k = 0; k < s.cols(); ++k) x(l, columns_[static_cast<std::size_t>(k)]) = s(l, k);
    }
    void restrict_to(const Matrix<Real>& full, Matrix<Real>& gradient) const override {
        for (Index l = 0; l < gradient.rows(); ++l)
            for (Index k = 0; k < gradient.cols(); ++k)
                gradient(l, k) = full(l, columns_[static_cast<std::size_t>(k)]);
    }

  private:
    Shape full_;
    std::vector<Index> columns_;
};

template <class Real>
class SomeDirections final : public GeneralPart<Real> {
  public:
    SomeDirections(Objective<Real>& objective, const Matrix<Real>& directions)
        : GeneralPart<Real>(objective, directions.rows()), directions_(directions) {}

  protected:
    void lift(const Matrix<Real>& s, Matrix<Real>& x) const override {
        x.reshape({s.rows(), directions_.cols()});
        x.fill(0);
        for (Index l = 0; l < s.rows(); ++l)
            for (Index k = 0; k < s.cols(); ++k)
                kernels::axpby(x.cols(), static_cast<double>(s(l, k)), row(k), 1, x.data() + l * x.cols());
    }
    void restrict_to(const Matrix<Real>& full, Matrix<Real>& gradient) const override {
        for (Index l = 0; l < gradient.rows(); ++l)
            for (Index k = 0; k < gradient.cols(); ++k)
                gradient(l, k) = static_cast<Real>(
                    -kernels::direction(full.cols(), full.data() + l * full.cols(), row(k), 0, nullptr)
                         .slope);
    }

  private:
    [[nodiscard]] const Real* row(Index k) const { return directions_.data() + k * directions_.cols(); }
    Matrix<Real> directions_;
};

}  // namespace

template <class Real>
double Part<Real>::aim(const Matrix<Real>& d) {
    Matrix<Real> product;
    curve(d, product);
    return -kernels::direction(d.size(), product.data(), d.data(), 0, nullptr).slope;
}

template <class Real>
std::unique_ptr<Part<Real>> Objective<Real>::part(std::span<const Index> columns) {
    return std::make_unique<SomeColumns<Real>>(*this, columns);
}

template <class Real>
std::unique_ptr<Part<Real>> Objective<Real>::part(const Matrix<Real>& directions) {
    return std::make_unique<SomeDirections<Real>>(*this, directions);
}

template <class Real>
std::unique_ptr<Part<Real>> Objective<Real>::sample(const Iterate<Real>& /*x*/, Index /*rows*/,
                                                    std::uint64_t /*seed*/) {
    std::vector<Index> all(static_cast<std::size_t>(shape().cols));
    std::iota(all.begin(), all.end(), Index{0});
    return part(all);
}

template double Part<float>::aim(const Matrix<float>&);
template double Part<double>::aim(const Matrix<double>&);
template std::unique_ptr<Part<float>> Objective<float>::part(std::span<const Index>);
template std::unique_ptr<Part<double>> Objective<double>::part(std::span<const Index>);
template std::unique_ptr<Part<float>> Objective<float>::part(const Matrix<float>&);
template std::unique_ptr<Part<double>> Objective<double>::part(const Matrix<double>&);
template std::unique_ptr<Part<float>> Objective<float>::sample(const Iterate<float>&, Index, std::uint64_t);
template std::unique_ptr<Part<double>> Objective<double>::sample(const Iterate<double>&, Index,
                                                                 std::uint64_t);

}  // namespace alfcg

#include "region/own_norm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "alfcg/point/move.hpp"

namespace alfcg::region {
namespace {

template <class Real>
class WithOwnNorm final : public Region<Real> {
  public:
    WithOwnNorm(std::unique_ptr<Region<Real>> ball, double radius, double weight)
        : ball_(std::move(ball)), radius_(radius), weight_(weight) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{} + {} ‖x‖", ball_->describe(), weight_);
    }
    void check(Shape shape) const override { ball_->check(shape); }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        const double slack = ball_->minimize(gradient, tolerance, certify, vertex);
        const bool moves = vertex.kind != Vertex<Real>::Kind::zero;
        const double without = moves ? inner_product(gradient, vertex) + vertex.composite : 0;
        const double here = without + weight_ * radius_;
        if (here < 0) {  // it is on the boundary, or a longer one would be better
            vertex.composite += weight_ * radius_;
            return slack;
        }
        vertex.kind = Vertex<Real>::Kind::zero;
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        return std::max(0.0, slack - here);
    }

    double composite(const Matrix<Real>& x) override {
        return ball_->composite(x) + weight_ * ball_->norm(x).value();
    }
    [[nodiscard]] double diameter(Shape shape) const override { return ball_->diameter(shape); }
    double violation(const Matrix<Real>& x) override { return ball_->violation(x); }
    Matrix<Real> start(Shape shape) override { return ball_->start(shape); }
    std::optional<double> norm(const Matrix<Real>& x) override { return ball_->norm(x); }
    void archive(Archive& state) override { state(*ball_); }

  private:
    std::unique_ptr<Region<Real>> ball_;
    double radius_;
    double weight_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> with_own_norm(std::unique_ptr<Region<Real>> ball, double radius,
                                            double weight) {
    if (weight == 0) return ball;
    return std::make_unique<WithOwnNorm<Real>>(std::move(ball), radius, weight);
}

template std::unique_ptr<Region<float>> with_own_norm(std::unique_ptr<Region<float>>, double, double);
template std::unique_ptr<Region<double>> with_own_norm(std::unique_ptr<Region<double>>, double, double);

}  // namespace alfcg::region

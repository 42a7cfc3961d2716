#include "region/with_square.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/magnitudes.hpp"
#include "kernels/vector.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

template <class Real>
class WithSquare final : public Region<Real> {
  public:
    WithSquare(std::unique_ptr<Region<Real>> region, double weight)
        : region_(std::move(region)), weight_(weight) {}

    [[nodiscard]] std::string describe() const override {
        return region_->describe() + region::describe(Composite{.l2 = weight_});
    }
    void check(Shape shape) const override { region_->check(shape); }

    /// <g, v> + (w/2) ‖v‖² = (w/2) ‖v + g/w‖² + what does not depend on v.
    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const double peak = kernels::largest_magnitude(gradient.data(), gradient.size());
        if (std::isnan(peak)) reject_gradient<Real>();
        // Points further away than that have the same projection, to rounding.
        const double furthest = static_cast<double>(std::numeric_limits<Real>::max()) / 16;
        project(gradient, -(peak < furthest * weight_ ? 1 / weight_ : furthest / peak), vertex);
        return 0;
    }
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        project(point, weight / (weight + weight_), nearest);
        return true;
    }
    [[nodiscard]] bool has_proximal(Shape shape) const override { return region_->has_proximal(shape); }

    double composite(const Matrix<Real>& x) override {
        return weight_ / 2 * kernels::sums(x.data(), x.size()).squares;
    }
    [[nodiscard]] double diameter(Shape shape) const override { return region_->diameter(shape); }
    double violation(const Matrix<Real>& x) override { return region_->violation(x); }
    Matrix<Real> start(Shape shape) override { return region_->start(shape); }
    void archive(Archive& state) override { state(*region_); }

  private:
    void project(const Matrix<Real>& point, double factor, Vertex<Real>& nearest) {
        scaled_.reshape(point.shape());
        kernels::scale_to(point.size(), factor, point.data(), scaled_.data());
        region_->proximal(scaled_, 1, nearest);
        nearest.composite = composite(nearest.to_matrix());
    }

    std::unique_ptr<Region<Real>> region_;
    double weight_;
    Matrix<Real> scaled_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> with_square(std::unique_ptr<Region<Real>> region, double weight) {
    if (weight == 0) return region;
    return std::make_unique<WithSquare<Real>>(std::move(region), weight);
}

template std::unique_ptr<Region<float>> with_square(std::unique_ptr<Region<float>>, double);
template std::unique_ptr<Region<double>> with_square(std::unique_ptr<Region<double>>, double);

}  // namespace alfcg::region

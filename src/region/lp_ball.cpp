#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "alfcg/region/region.hpp"
#include "alfcg/region/spec.hpp"
#include "region/lp_oracle.hpp"
#include "region/magnitudes.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

using region::Magnitudes;

/// ‖x‖_p <= radius entrywise, with h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂². Every oracle here is exact.
template <class Real>
class LpBall final : public Region<Real> {
  public:
    LpBall(double p, double radius, const Composite& composite)
        : p_(p), radius_(radius), composite_(composite) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("l_{} ball of radius {}{}", p_, radius_, region::describe(composite_));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        const double peak = region::largest_magnitude(gradient.data(), gradient.size());
        if (std::isnan(peak)) region::reject_gradient();
        if (peak <= composite_.l1) {  // the l1 term outweighs every entry, or the gradient is zero
            vertex.kind = Vertex<Real>::Kind::zero;
            return 0;
        }
        const Magnitudes<Real> magnitudes{gradient, composite_.l1, peak};
        if (composite_.l2 > 0)
            region::lp_square(magnitudes, p_, radius_, composite_.l2, scratch_, vertex);
        else
            region::lp_linear(magnitudes, p_, radius_, scratch_, vertex);
        if (!composite_.zero())
            vertex.composite = vertex.kind == Vertex<Real>::Kind::one_hot ? composite_.l1 * radius_
                                                                          : composite(vertex.dense);
        return 0;
    }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        const region::Sums sums = region::sums(x.data(), x.size());
        return composite_.l1 * sums.magnitudes + composite_.l2 / 2 * sums.squares;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        if (p_ <= 2) return 2 * radius_;
        return 2 * radius_ * std::pow(static_cast<double>(shape.size()), 0.5 - 1 / p_);
    }

    double gauge(const Matrix<Real>& x) override {
        const double peak = region::largest_magnitude(x.data(), x.size());
        if (peak == 0) return 0;
        if (std::isnan(peak)) return std::numeric_limits<double>::infinity();
        return peak / radius_ * region::relative_norm(Magnitudes<Real>{x, 0, peak}, p_);
    }

  private:
    double p_;
    double radius_;
    Composite composite_;
    AlignedVector<double> scratch_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> lp_ball(double p, double radius, const Composite& composite) {
    verify(RegionSpec{"lp", p, radius, composite});
    region::verify_range<Real>(radius);
    return std::make_unique<LpBall<Real>>(p, radius, composite);
}

template std::unique_ptr<Region<float>> lp_ball(double, double, const Composite&);
template std::unique_ptr<Region<double>> lp_ball(double, double, const Composite&);

}  // namespace alfcg

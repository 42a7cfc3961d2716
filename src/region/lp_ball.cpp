#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alfcg/region/region.hpp"
#include "alfcg/region/spec.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/vector.hpp"
#include "region/lp_oracle.hpp"
#include "region/own_norm.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

using region::Magnitudes;

/// ‖x‖_p <= radius entrywise, with h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂². Every oracle here is exact.
template <class Real>
class LpBall final : public Region<Real> {
  public:
    LpBall(double p, double radius, const Composite& composite, int threads)
        : p_(p), radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("l_{} ball of radius {}{}", p_, radius_, region::describe(composite_));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        vertex.shape = gradient.shape();
        complete(composite_.l2 > 0 ? square(gradient, composite_.l1, composite_.l2, vertex)
                                   : linear(gradient, vertex),
                 vertex);
        return 0;
    }

    /// All terms over the weight: the oracle's answer to −point with a square more.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        away_.reshape(point.shape());
        kernels::scale_to(point.size(), -1, point.data(), away_.data());
        nearest.shape = point.shape();
        complete(square(away_, composite_.l1 / weight, 1 + composite_.l2 / weight, nearest), nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return true; }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        const kernels::Sums sums = kernels::sums(x.data(), x.size(), 1, threads_);
        return composite_.l1 * sums.magnitudes + composite_.l2 / 2 * sums.squares;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        if (p_ <= 2) return 2 * radius_;
        return 2 * radius_ * std::pow(static_cast<double>(shape.size()), 0.5 - 1 / p_);
    }

    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override {
        const double peak = kernels::largest_magnitude(x.data(), x.size(), threads_);
        if (peak == 0) return 0;
        if (std::isnan(peak)) return std::numeric_limits<double>::infinity();
        return peak * region::relative_norm(Magnitudes<Real>{x, 0, peak}, p_, threads_);
    }

    [[nodiscard]] std::optional<Ball> ball() const override {
        return Ball{Ball::Norm::lp, p_, radius_, composite_};
    }

  private:
    /// Whether an entry exceeds the l1 term's threshold: if none does, the origin is the answer.
    [[nodiscard]] static bool exceeds(double peak, double threshold) {
        if (std::isnan(peak)) region::reject_gradient<Real>();
        return peak > threshold;
    }
    [[nodiscard]] bool exceeds(double peak) const { return exceeds(peak, composite_.l1); }

    /// The origin where nothing was found (the l1 term outweighs every entry, or the gradient is zero), and h at the answer.
    void complete(bool found, Vertex<Real>& vertex) {
        vertex.composite = 0;
        if (!found) vertex.kind = Vertex<Real>::Kind::zero;
        if (!found || composite_.zero()) return;
        vertex.composite =
            vertex.kind == Vertex<Real>::Kind::one_hot ? composite_.l1 * radius_ : composite(vertex.dense);
    }

    /// Without a square. False when the origin is the answer, as below.
    bool linear(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        if (std::isinf(p_))
            return exceeds(region::lp_signs(gradient, composite_.l1, radius_, threads_, vertex));
        if (p_ == 1) return largest_entry(gradient, vertex);
        if (composite_.l1 == 0 && region::lp_unscaled(gradient, p_, radius_, threads_, vertex)) return true;
        const double peak = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (!exceeds(peak)) return false;
        region::lp_linear(Magnitudes<Real>{gradient, composite_.l1, peak}, p_, radius_, threads_, scratch_,
                          vertex);
        return true;
    }

    /// p = 1: all of the radius on the largest coordinate, the lowest index among equals.
    bool largest_entry(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        const kernels::Peak peak = kernels::first_peak(gradient.data(), gradient.size(), threads_);
        if (!exceeds(peak.magnitude)) return false;
        vertex.kind = Vertex<Real>::Kind::one_hot;
        vertex.index = peak.index;
        vertex.scale = gradient.data()[peak.index] > 0 ? -radius_ : radius_;
        return true;
    }

    /// With the l1 term's threshold and the weight of a square.
    bool square(const Matrix<Real>& gradient, double threshold, double weight, Vertex<Real>& vertex) {
        const double peak = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (!exceeds(peak, threshold)) return false;
        region::lp_square(Magnitudes<Real>{gradient, threshold, peak}, p_, radius_, weight, threads_,
                          scratch_, vertex);
        return true;
    }

    double p_;
    double radius_;
    Composite composite_;
    int threads_;
    AlignedVector<double> scratch_;
    Matrix<Real> away_;  // −point of a proximal map
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> lp_ball(double p, double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"lp", {{"p", p}, {"radius", radius}}, composite});
    region::verify_range<Real>(radius);
    Composite h = composite;
    if (p == 1) h.l1 += std::exchange(h.norm, 0);
    const double norm = std::exchange(h.norm, 0);
    return region::with_own_norm<Real>(std::make_unique<LpBall<Real>>(p, radius, h, threads), radius, norm);
}

template std::unique_ptr<Region<float>> lp_ball(double, double, const Composite&, int);
template std::unique_ptr<Region<double>> lp_ball(double, double, const Composite&, int);

}  // namespace alfcg

#include "region/ellipsoid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/vector.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

/// Σ (x_ij / axis_j)² ≤ radius², with h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂².
template <class Real>
class Ellipsoid final : public Region<Real> {
  public:
    Ellipsoid(FeatureValues axes, double radius, const Composite& composite, int threads)
        : given_axes_(std::move(axes)),
          radius_(radius),
          composite_(composite),
          threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("ellipsoid of radius {}, axes {}{}", radius_, given_axes_.describe(),
                           region::describe(composite_));
    }
    void check(Shape shape) const override { given_axes_.check("axes", shape.cols); }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        answer(gradient, -1, composite_.l1, composite_.l2, vertex);
        return 0;
    }

    /// All terms over the weight: the oracle's answer to −point with a square more.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        answer(point, 1, composite_.l1 / weight, 1 + composite_.l2 / weight, nearest);
        return true;
    }
    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return true; }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        const kernels::Sums sums = kernels::sums(x.data(), x.size(), 1, threads_);
        return composite_.l1 * sums.magnitudes + composite_.l2 / 2 * sums.squares;
    }
    [[nodiscard]] double diameter(Shape shape) const override {
        const std::vector<double> axes = given_axes_.over(shape.cols);
        return 2 * radius_ * *std::max_element(axes.begin(), axes.end());
    }
    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override {
        expand(x.cols());
        double peak = 0;
        for (Index i = 0; i < x.size(); ++i) {
            const double size = std::abs(static_cast<double>(x.data()[i])) / axis(i);
            if (!(size <= peak)) peak = size;
        }
        if (peak == 0) return 0;
        if (!std::isfinite(peak)) return std::numeric_limits<double>::infinity();
        const double scale = kernels::safe_scale(peak);
        double squares = 0;
        for (Index i = 0; i < x.size(); ++i) {
            const double size = scale * (static_cast<double>(x.data()[i]) / axis(i));
            squares += size * size;
        }
        return std::sqrt(squares) / scale;
    }

  private:
    void expand(Index cols) {
        if (std::ssize(axes_) != cols) axes_ = given_axes_.over(cols);
    }
    [[nodiscard]] double axis(Index i) const {
        const Index cols = std::ssize(axes_);
        return axes_[static_cast<std::size_t>(i < cols ? i : i % cols)];
    }

    /// The point that minimises −<sign·a, x> + threshold ‖x‖₁ + (weight/2) ‖x‖². With b_i = axis_i · max(|a_i| − threshold, 0) and
    /// d_i = weight · axis_i², it is x_i = axis_i y_i, y_i = ±b_i / (d_i + ν), where ν ≥ 0 is 0 or makes ‖y‖ the radius; both
    /// are told in units of the largest b.
    void answer(const Matrix<Real>& a, double sign, double threshold, double weight, Vertex<Real>& vertex) {
        expand(a.cols());
        vertex.shape = a.shape();
        vertex.composite = 0;
        if (std::isnan(kernels::largest_magnitude(a.data(), a.size(), threads_))) reject_gradient<Real>();
        const auto axis_of_all = given_axes_.common();
        if (axis_of_all && threshold == 0 && weight == 0) return along(a, sign * *axis_of_all, vertex);
        const auto pull = [&](Index i) {
            return axis(i) * std::max(std::abs(static_cast<double>(a.data()[i])) - threshold, 0.0);
        };
        double peak = 0;
        for (Index i = 0; i < a.size(); ++i) peak = std::max(peak, pull(i));
        if (peak == 0) {
            vertex.kind = Vertex<Real>::Kind::zero;
            return;
        }
        const double unit = weight / peak;
        double nu = multiplier(a.size(), pull, peak, unit);
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(a.shape());
        for (Index i = 0; i < a.size(); ++i) {
            const double size = pull(i) / peak / (unit * axis(i) * axis(i) + nu);
            const bool up = sign * static_cast<double>(a.data()[i]) > 0;
            vertex.dense.data()[i] = static_cast<Real>((up ? 1 : -1) * axis(i) * size + 0.0);
        }
        vertex.composite = composite(vertex.dense);
    }

    /// A ball: all of the radius along sign(axis) · a.
    void along(const Matrix<Real>& a, double axis, Vertex<Real>& vertex) {
        const double peak = kernels::largest_magnitude(a.data(), a.size(), threads_);
        vertex.kind = Vertex<Real>::Kind::zero;
        if (peak == 0) return;
        const double scale = kernels::safe_scale(peak);
        const double length = std::sqrt(kernels::sums(a.data(), a.size(), scale, threads_).squares);
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(a.shape());
        const double factor = radius_ * axis / length;
        if (std::isfinite(static_cast<Real>(factor * scale)))
            return kernels::scale_to(a.size(), factor * scale, a.data(), vertex.dense.data());
        // Entries too small for that: first in units of the largest.
        for (Index i = 0; i < a.size(); ++i)
            vertex.dense.data()[i] = static_cast<Real>(factor * (scale * static_cast<double>(a.data()[i])));
    }

    /// Newton's method for 1/‖y(ν)‖ = 1/radius, which is concave and increasing in ν: from the left it never overshoots.
    template <class Pull>
    double multiplier(Index n, const Pull& pull, double peak, double unit) const {
        double squares = 0;
        double widest = 0;
        for (Index i = 0; i < n; ++i) {
            squares += pull(i) / peak * (pull(i) / peak);
            widest = std::max(widest, unit * axis(i) * axis(i));
        }
        double nu = std::max(0.0, std::sqrt(squares) / radius_ - widest);
        if (unit == 0) return nu;
        for (int iteration = 0; iteration < 100; ++iteration) {
            double length = 0;  // ‖y‖²
            double slope = 0;   // −½ of its derivative
            for (Index i = 0; i < n; ++i) {
                const double below = unit * axis(i) * axis(i) + nu;
                const double y = pull(i) > 0 ? pull(i) / peak / below : 0;
                length += y * y;
                slope += y * y / below;
            }
            const double excess = std::sqrt(length) / radius_ - 1;
            if (!(excess > 0)) break;
            const double step = length / slope * excess;
            nu += step;
            if (!(step > 1e-15 * nu)) break;
        }
        return nu;
    }

    FeatureValues given_axes_;
    double radius_;
    Composite composite_;
    int threads_;
    std::vector<double> axes_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_ellipsoid(FeatureValues axes, double radius, const Composite& composite,
                                             int threads) {
    axes.demand("axes", "positive and finite", [](double axis) { return axis > 0 && std::isfinite(axis); });
    return std::make_unique<Ellipsoid<Real>>(std::move(axes), radius, composite, threads);
}

template std::unique_ptr<Region<float>> make_ellipsoid(FeatureValues, double, const Composite&, int);
template std::unique_ptr<Region<double>> make_ellipsoid(FeatureValues, double, const Composite&, int);

}  // namespace alfcg::region

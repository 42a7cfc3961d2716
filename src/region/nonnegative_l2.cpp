#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/threads.hpp"
#include "kernels/entries.hpp"
#include "kernels/magnitudes.hpp"
#include "region/box.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

/// x ≥ 0 and ‖x‖₂ ≤ radius, with h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂².
template <class Real>
class NonnegativeL2 final : public Region<Real> {
  public:
    NonnegativeL2(double radius, const Composite& composite, int threads)
        : radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("non-negative part of the l_2 ball of radius {}{}", radius_,
                           region::describe(composite_));
    }
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
    /// Two points without negative entries have an angle of at most 90 degrees.
    [[nodiscard]] double diameter(Shape shape) const override {
        return shape.size() == 1 ? radius_ : std::numbers::sqrt2 * radius_;
    }
    double violation(const Matrix<Real>& x) override {
        const double peak = kernels::largest_magnitude(x.data(), x.size(), threads_);
        if (std::isnan(peak)) return std::numeric_limits<double>::infinity();
        if (peak == 0) return 0;
        const double scale = kernels::safe_scale(peak);
        const double length = std::sqrt(kernels::sums(x.data(), x.size(), scale, threads_).squares) / scale;
        const double least = kernels::first_least(x.data(), x.size(), threads_).value;
        return std::max({0.0, length / radius_ - 1, -least / radius_});
    }

  private:
    /// The point that minimises −<sign·a, x> + threshold ‖x‖₁ + (weight/2) ‖x‖²: the direction is that of what pulls outwards, and
    /// along it the length where that ends, at most the radius.
    void answer(const Matrix<Real>& a, double sign, double threshold, double weight, Vertex<Real>& vertex) {
        const double peak = kernels::largest_magnitude(a.data(), a.size(), threads_);
        if (std::isnan(peak)) reject_gradient<Real>();
        vertex.shape = a.shape();
        vertex.composite = 0;
        const double scale = peak > 0 ? kernels::safe_scale(peak) : 1;
        const double squares = kernels::ramp_squares(a.data(), a.size(), sign, threshold, scale);
        if (squares == 0) {
            vertex.kind = Vertex<Real>::Kind::zero;
            return;
        }
        const double factor = scale * std::min(radius_ / std::sqrt(squares), 1 / (weight * scale));
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(a.shape());
        kernels::write_ramp(a.data(), a.size(), sign, threshold,
                            std::min(factor, std::numeric_limits<double>::max()), vertex.dense.data());
        vertex.composite = composite(vertex.dense);
    }

    double radius_;
    Composite composite_;
    int threads_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_nonnegative_l2(double radius, const Composite& composite, int threads) {
    return std::make_unique<NonnegativeL2<Real>>(radius, composite, threads);
}

template std::unique_ptr<Region<float>> make_nonnegative_l2(double, const Composite&, int);
template std::unique_ptr<Region<double>> make_nonnegative_l2(double, const Composite&, int);

}  // namespace alfcg::region

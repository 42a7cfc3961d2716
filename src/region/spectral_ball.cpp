#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/point/move.hpp"
#include "alfcg/region/spec.hpp"
#include "alfcg/region/spectral.hpp"
#include "alfcg/region/spectrum.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/vector.hpp"
#include "region/gram_pair.hpp"
#include "region/settings.hpp"
#include "region/spectral_gauge.hpp"
#include "region/thin_svd.hpp"

namespace alfcg {
namespace {

using region::SpectralGauge;

/// A norm of the singular values at most radius, with h(x) = nuclear ‖x‖_* + (l2/2) ‖x‖₂² + norm ‖x‖. Such norms grow with singular
/// values: with a nuclear term, the answer is that to the gradient with its singular values soft-thresholded. Answers from a
/// full decomposition are exact.
template <class Real>
class SpectralBall final : public Region<Real> {
  public:
    SpectralBall(std::string title, SpectralGauge gauge, Index best_of, double radius,
                 const Composite& composite, int threads)
        : title_(std::move(title)),
          gauge_(gauge),
          best_of_(best_of),
          radius_(radius),
          composite_(composite),
          threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{} ball of radius {}{}", title_, radius_, region::describe(composite_));
    }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        if (composite_.l2 > 0) {
            decompose(gradient, composite_, vertex);
            return 0;
        }
        return best_of_ > 0 ? largest_or_all(gradient, tolerance, certify, vertex)
                            : decompose(gradient, composite_, vertex);
    }

    /// All terms over the weight: the oracle's answer to −point with a square more.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (!has_proximal(point.shape())) return false;
        away_.reshape(point.shape());
        kernels::scale_to(point.size(), -1, point.data(), away_.data());
        Composite terms;
        terms.nuclear = composite_.nuclear / weight;
        terms.norm = composite_.norm / weight;
        terms.l2 = 1 + composite_.l2 / weight;
        decompose(away_, terms, nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape shape) const override {
        return std::min(shape.rows, shape.cols) <= region::GramPair::largest_side;
    }

    double composite(const Matrix<Real>& x) override {
        double value = 0;
        if (composite_.l2 > 0)
            value += composite_.l2 / 2 * kernels::sums(x.data(), x.size(), 1, threads_).squares;
        if (composite_.nuclear == 0 && composite_.norm == 0) return value;
        const Eigen::VectorXd values = spectrum(x);
        return value + composite_.nuclear * values.sum() + composite_.norm * gauge_.norm(values);
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        return 2 * radius_ * gauge_.length(std::min(shape.rows, shape.cols));
    }

    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override {
        const double largest = kernels::largest_magnitude(x.data(), x.size(), threads_);
        if (std::isnan(largest)) return std::numeric_limits<double>::infinity();
        return largest == 0 ? 0 : gauge_.norm(spectrum(x));
    }
    void archive(Archive& state) override {
        if (state.has(leading_, [&] { return make_leading(); })) state(*leading_);
    }

  private:
    static Eigen::VectorXd spectrum(const Matrix<Real>& x) {
        const std::vector<double> values = singular_values(x);
        return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
    }

    static void origin(Shape shape, Vertex<Real>& vertex) {
        vertex.kind = Vertex<Real>::Kind::zero;
        vertex.shape = shape;
        vertex.composite = 0;
    }

    /// From all singular values and vectors.
    double decompose(const Matrix<Real>& gradient, const Composite& terms, Vertex<Real>& vertex) {
        origin(gradient.shape(), vertex);
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(largest)) region::reject_gradient<Real>();
        if (largest == 0) return 0;
        const double scale = kernels::safe_scale(largest);
        const region::ThinSvd<Real> svd(gradient, scale, true);
        const Eigen::VectorXd t = (svd.values().array() - terms.nuclear * scale).max(0.0);
        const double own = terms.norm * scale;
        if (gauge_.dual(t) <= own) return 0;
        const Eigen::VectorXd sizes = terms.l2 > 0
                                          ? shrunk(t, own, static_cast<long double>(terms.l2) * scale)
                                          : Eigen::VectorXd(radius_ * gauge_.vertex(t));
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(gradient.shape());
        svd.write_negative(sizes, vertex.dense);
        vertex.composite = composite_.nuclear * sizes.sum() + composite_.norm * gauge_.norm(sizes) +
                           composite_.l2 / 2 * sizes.squaredNorm();
        return 0;
    }

    /// With a square, in units in which t is of ordinary size. The extended range lets no product of the units overflow early.
    Eigen::VectorXd shrunk(const Eigen::VectorXd& t, double own, long double unit) const {
        const double radius = static_cast<double>(
            std::clamp<long double>(unit * radius_, static_cast<long double>(t(0)) * 0x1p-60L, 1e300L));
        SpectralGauge::Shrunk answer = gauge_.shrink(t, own, radius);
        return answer.values * (answer.active ? radius_ / radius : static_cast<double>(1 / unit));
    }

    [[nodiscard]] std::unique_ptr<Region<Real>> make_leading() const {
        Composite term;
        term.nuclear = composite_.nuclear + composite_.norm;  // both are so much times radius there
        return nuclear_ball<Real>(radius_, term, threads_);
    }

    /// The Ky Fan norm's answer is that of the nuclear ball, or as much on all singular values. The former is found first; where
    /// it is seen to be the better one, nothing is decomposed.
    double largest_or_all(const Matrix<Real>& gradient, double tolerance, bool certify,
                          Vertex<Real>& vertex) {
        if (!leading_) leading_ = make_leading();
        const double slack = leading_->minimize(gradient, tolerance, certify, vertex);
        const double k = static_cast<double>(best_of_);
        const Index side = std::min(gradient.rows(), gradient.cols());
        if (best_of_ >= side) return slack;
        // ‖g‖_* ≤ √side ‖g‖_F, and t₁ + … is no more than that less what a nuclear term takes.
        const double reached = vertex.kind == Vertex<Real>::Kind::zero
                                   ? 0
                                   : -(inner_product(gradient, vertex) + vertex.composite);
        if (reached >=
            radius_ * (std::sqrt(static_cast<double>(side)) * length(gradient) / k - composite_.norm))
            return slack;
        Vertex<Real> all;
        decompose(gradient, composite_, all);
        if (all.kind == Vertex<Real>::Kind::zero) {
            origin(gradient.shape(), vertex);
            return 0;
        }
        const double other = -(inner_product(gradient, all) + all.composite);
        if (other > reached * (1 + 1e-14)) {
            vertex = std::move(all);
            return 0;
        }
        return std::min(slack, std::max(other - reached, 0.0));
    }

    /// ‖g‖_F.
    double length(const Matrix<Real>& gradient) const {
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (largest == 0) return 0;
        const double scale = kernels::safe_scale(largest);
        return std::sqrt(kernels::sums(gradient.data(), gradient.size(), scale, threads_).squares) / scale;
    }

    std::string title_;
    SpectralGauge gauge_;
    Index best_of_;  // the k of Ky Fan's norm, else 0
    double radius_;
    Composite composite_;
    int threads_;
    std::unique_ptr<Region<Real>> leading_;
    Matrix<Real> away_;  // −point of a proximal map
};

template <class Real>
std::unique_ptr<Region<Real>> spectral_region(std::string title, SpectralGauge gauge, Index best_of,
                                              double radius, const Composite& composite, int threads) {
    region::verify_range<Real>(radius);
    return std::make_unique<SpectralBall<Real>>(std::move(title), gauge, best_of, radius, composite, threads);
}

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> spectral_ball(double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"spectral", {{"radius", radius}}, composite});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return spectral_region<Real>("spectral-norm", SpectralGauge::schatten(infinity), 0, radius, composite,
                                 threads);
}

template <class Real>
std::unique_ptr<Region<Real>> ky_fan_ball(Index k, double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"ky-fan", {{"k", static_cast<double>(k)}, {"radius", radius}}, composite});
    return spectral_region<Real>(fmt::format("Ky Fan {}-norm", k), SpectralGauge::ky_fan(k), k, radius,
                                 composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> schatten_ball(double p, double radius, const Composite& composite,
                                            int threads) {
    verify(RegionSpec{"schatten", {{"p", p}, {"radius", radius}}, composite});
    if (p == 1)
        throw QuantityError("p", "must be above 1 for the region schatten; with 1 it is the region nuclear");
    return spectral_region<Real>(fmt::format("Schatten {}-norm", p), SpectralGauge::schatten(p), 0, radius,
                                 composite, threads);
}

template std::unique_ptr<Region<float>> spectral_ball(double, const Composite&, int);
template std::unique_ptr<Region<double>> spectral_ball(double, const Composite&, int);
template std::unique_ptr<Region<float>> ky_fan_ball(Index, double, const Composite&, int);
template std::unique_ptr<Region<double>> ky_fan_ball(Index, double, const Composite&, int);
template std::unique_ptr<Region<float>> schatten_ball(double, double, const Composite&, int);
template std::unique_ptr<Region<double>> schatten_ball(double, double, const Composite&, int);

}  // namespace alfcg

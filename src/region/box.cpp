#include "region/box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/threads.hpp"
#include "kernels/entries.hpp"
#include "kernels/magnitudes.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

/// lower_j ≤ x_ij ≤ upper_j, with h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂²: every entry is a problem of its own.
template <class Real>
class Box final : public Region<Real> {
  public:
    Box(FeatureValues lower, FeatureValues upper, const Composite& composite, int threads)
        : given_lower_(std::move(lower)),
          given_upper_(std::move(upper)),
          composite_(composite),
          threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("box from {} to {}{}", given_lower_.describe(), given_upper_.describe(),
                           region::describe(composite_));
    }

    void check(Shape shape) const override {
        given_lower_.check("lower", shape.cols);
        given_upper_.check("upper", shape.cols);
        const std::vector<double> lower = given_lower_.over(shape.cols);
        const std::vector<double> upper = given_upper_.over(shape.cols);
        for (std::size_t j = 0; j < lower.size(); ++j)
            if (lower[j] > upper[j])
                throw QuantityError("lower",
                                    fmt::format("must be at most `upper`, not {} and {} (feature {}, from 0)",
                                                lower[j], upper[j], j));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        reject_infinite(gradient);
        const double l1 = composite_.l1;
        const double l2 = composite_.l2;
        const auto least = given_lower_.common();
        const auto most = given_upper_.common();
        if (l2 == 0 && least && most) {
            vertex.kind = Vertex<Real>::Kind::dense;
            vertex.shape = gradient.shape();
            vertex.dense.reshape(gradient.shape());
            kernels::choose(gradient.data(), gradient.size(), l1, static_cast<Real>(*least),
                            static_cast<Real>(*most), static_cast<Real>(std::clamp(0.0, *least, *most)),
                            vertex.dense.data());
            vertex.composite = composite(vertex.dense);
        } else if (l2 > 0)
            write(gradient, vertex, [=](double g, double low, double high) {
                return std::clamp(shrunken(-g, l1) / l2, low, high);
            });
        else if (l1 > 0)
            write(gradient, vertex, [=](double g, double low, double high) {
                return g > l1 ? low : g < -l1 ? high : std::clamp(0.0, low, high);
            });
        else
            write(gradient, vertex, [](double g, double low, double high) {
                return g > 0 ? low : g < 0 ? high : std::clamp(0.0, low, high);
            });
        return 0;
    }

    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        reject_infinite(point);
        const double l1 = composite_.l1 / weight;
        const double below = 1 + composite_.l2 / weight;
        write(point, nearest, [=](double a, double low, double high) {
            return std::clamp(shrunken(a, l1) / below, low, high);
        });
        return true;
    }
    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return true; }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        const kernels::Sums sums = kernels::sums(x.data(), x.size(), 1, threads_);
        return composite_.l1 * sums.magnitudes + composite_.l2 / 2 * sums.squares;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        const std::vector<double> lower = given_lower_.over(shape.cols);
        const std::vector<double> upper = given_upper_.over(shape.cols);
        double squares = 0;
        for (std::size_t j = 0; j < lower.size(); ++j)
            squares += (upper[j] - lower[j]) * (upper[j] - lower[j]);
        return std::sqrt(squares * static_cast<double>(shape.rows));
    }

    /// In units of the box's side, or of the bound where a side is 0.
    double violation(const Matrix<Real>& x) override {
        expand(x.cols());
        double most = 0;
        Index i = 0;
        for (Index row = 0; row < x.rows(); ++row)
            for (std::size_t j = 0; j < lower_.size(); ++j, ++i) {
                const double entry = static_cast<double>(x.data()[i]);
                const double beyond = std::max(entry - upper_[j], lower_[j] - entry);
                const double unit =
                    std::max({std::abs(lower_[j]), std::abs(upper_[j]), upper_[j] - lower_[j]});
                if (!(beyond <= 0))
                    most = std::max(most, std::isnan(beyond) ? 1 : beyond / (unit > 0 ? unit : 1));
            }
        return most;
    }

    Matrix<Real> start(Shape shape) override {
        Vertex<Real> nearest;
        write(Matrix<Real>(shape), nearest,
              [](double /*zero*/, double low, double high) { return std::clamp(0.0, low, high); });
        return std::move(nearest.dense);
    }

  private:
    static double shrunken(double a, double threshold) {
        return a > threshold ? a - threshold : a < -threshold ? a + threshold : 0;
    }

    void reject_infinite(const Matrix<Real>& x) const {
        if (std::isnan(kernels::largest_magnitude(x.data(), x.size(), threads_))) reject_gradient<Real>();
    }

    void expand(Index cols) {
        if (std::ssize(lower_) == cols) return;
        lower_ = given_lower_.over(cols);
        upper_ = given_upper_.over(cols);
    }

    template <class Entry>
    void write(const Matrix<Real>& from, Vertex<Real>& vertex, const Entry& entry) {
        expand(from.cols());
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.shape = from.shape();
        vertex.dense.reshape(from.shape());
        const double* low = lower_.data();
        const double* high = upper_.data();
        for (Index row = 0; row < from.rows(); ++row) {
            const Real* in = from.data() + row * from.cols();
            Real* out = vertex.dense.data() + row * from.cols();
#pragma omp simd
            for (Index j = 0; j < from.cols(); ++j)
                out[j] = static_cast<Real>(entry(static_cast<double>(in[j]), low[j], high[j]));
        }
        vertex.composite = composite(vertex.dense);
    }

    FeatureValues given_lower_;
    FeatureValues given_upper_;
    Composite composite_;
    int threads_;
    std::vector<double> lower_, upper_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_box(FeatureValues lower, FeatureValues upper, const Composite& composite,
                                       int threads) {
    const double most = static_cast<double>(std::numeric_limits<Real>::max());
    for (const auto& [name, bounds] : {std::pair{"lower", &lower}, std::pair{"upper", &upper}})
        bounds->demand(name, "finite in this precision", [=](double b) { return std::abs(b) <= most; });
    return std::make_unique<Box<Real>>(std::move(lower), std::move(upper), composite, threads);
}

template std::unique_ptr<Region<float>> make_box(FeatureValues, FeatureValues, const Composite&, int);
template std::unique_ptr<Region<double>> make_box(FeatureValues, FeatureValues, const Composite&, int);

}  // namespace alfcg::region

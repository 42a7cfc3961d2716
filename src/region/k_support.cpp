#include <fmt/format.h>

#include <cmath>

#include "core/threads.hpp"
#include "region/absolute.hpp"
#include "region/top_balls.hpp"

namespace alfcg::region {
namespace {

/// The convex hull of {x : at most k entries are not 0, ‖x‖₂ ≤ radius}, with h(x) = l1 ‖x‖₁.
template <class Real>
class KSupport final : public Region<Real> {
  public:
    KSupport(Index k, double radius, const Composite& composite, int threads)
        : k_(k), radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{}-support ball of radius {}{}", k_, radius_, region::describe(composite_));
    }

    /// All of the radius along the k largest magnitudes of the gradient.
    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const Shrunken<Real> t(gradient, composite_.l1, threads_);
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (t.zero()) {
            vertex.kind = Vertex<Real>::Kind::zero;
            return 0;
        }
        choose_largest(t, k_, scratch_, vertex);
        double squares = 0;
        for (const Index i : vertex.positions) squares += t(i) * t(i);
        const double scale = radius_ / std::sqrt(squares);
        vertex.values.clear();
        for (const Index i : vertex.positions) {
            vertex.values.push_back(t.against(i, scale * t(i)));
            vertex.composite += composite_.l1 * scale * t(i);
        }
        return 0;
    }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        return composite_.l1 * kernels::sums(x.data(), x.size(), 1, threads_).magnitudes;
    }
    [[nodiscard]] double diameter(Shape /*shape*/) const override { return 2 * radius_; }
    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    /// Argyriou, Foygel and Srebro (2012), proposition 2.1: the largest entries count by their squares, and all others together as
    /// if they were spread evenly over the places that are left of the k.
    std::optional<double> norm(const Matrix<Real>& x) override {
        const std::vector<double> top = largest_magnitudes(x, k_);
        const double peak = top.front();
        if (peak == 0 || std::isinf(peak)) return peak;
        const double scale = kernels::safe_scale(peak);
        double rest = kernels::sums(x.data(), x.size(), scale, threads_).magnitudes;
        double squares = 0;
        const Index places = std::ssize(top);
        for (Index i = 0; i < places; ++i) {
            const double size = scale * top[static_cast<std::size_t>(i)];
            const double even = rest / static_cast<double>(places - i);
            if (size <= even || i + 1 == places) return std::sqrt(squares + rest * even) / scale;
            squares += size * size;
            rest = std::max(rest - size, 0.0);
        }
        return 0;
    }

  private:
    Index k_;
    double radius_;
    Composite composite_;
    int threads_;
    CutScratch scratch_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_k_support(Index k, double radius, const Composite& composite,
                                             int threads) {
    return std::make_unique<KSupport<Real>>(k, radius, composite, threads);
}

template std::unique_ptr<Region<float>> make_k_support(Index, double, const Composite&, int);
template std::unique_ptr<Region<double>> make_k_support(Index, double, const Composite&, int);

}  // namespace alfcg::region

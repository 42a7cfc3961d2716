#include <fmt/format.h>

#include <cmath>

#include "region/top_ball.hpp"
#include "region/top_balls.hpp"

namespace alfcg::region {
namespace {

/// The convex hull of {x : at most k entries are not 0, ‖x‖₂ ≤ radius}.
template <class Real>
class KSupport final : public TopBall<Real> {
  public:
    KSupport(Index k, double radius, const Composite& composite, int threads)
        : TopBall<Real>(radius, composite, threads), k_(k) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{}-support ball of radius {}{}", k_, this->radius_,
                           region::describe(this->composite_));
    }

    [[nodiscard]] double diameter(Shape /*shape*/) const override { return 2 * this->radius_; }

    /// Argyriou, Foygel and Srebro (2012), proposition 2.1: the largest entries count by their squares, and all others together as
    /// if they were spread evenly over the places that are left of the k.
    std::optional<double> norm(const Matrix<Real>& x) override {
        const std::vector<double> top = largest_magnitudes(x, k_);
        const double peak = top.front();
        if (peak == 0 || std::isinf(peak)) return peak;
        const double scale = kernels::safe_scale(peak);
        double rest = kernels::sums(x.data(), x.size(), scale, this->threads_).magnitudes;
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
    /// All of the radius along the k largest magnitudes of the gradient.
    void best(const Shrunken<Real>& t, Vertex<Real>& vertex) override {
        choose_largest(t, k_, scratch_, vertex);
        double squares = 0;
        for (const Index i : vertex.positions) squares += t(i) * t(i);
        const double scale = this->radius_ / std::sqrt(squares);
        vertex.values.clear();
        for (const Index i : vertex.positions) {
            vertex.values.push_back(t.against(i, scale * t(i)));
            vertex.composite += this->composite_.l1 * scale * t(i);
        }
    }
    void project(std::span<const double> sizes, Index /*n*/, double radius,
                 std::vector<double>& to) override {
        project_k_support(sizes, static_cast<std::size_t>(k_), radius, to);
    }

    Index k_;
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

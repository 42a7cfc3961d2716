#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "region/top_ball.hpp"
#include "region/top_balls.hpp"

namespace alfcg::region {
namespace {

/// Sum of the k largest magnitudes at most radius.
template <class Real>
class KNorm final : public TopBall<Real> {
  public:
    KNorm(Index k, double radius, const Composite& composite, int threads)
        : TopBall<Real>(radius, composite, threads), k_(k) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{}-norm ball of radius {}{}", k_, this->radius_,
                           region::describe(this->composite_));
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        const double places = static_cast<double>(std::min(k_, shape.size()));
        return 2 * this->radius_ * std::max(1.0, std::sqrt(static_cast<double>(shape.size())) / places);
    }

    std::optional<double> norm(const Matrix<Real>& x) override {
        const std::vector<double> top = largest_magnitudes(x, k_);
        return std::accumulate(top.begin(), top.end(), 0.0);
    }

  private:
    /// The dual norm is max(‖g‖_∞, ‖g‖₁/k): the ball is the hull of the l_1 ball and of the l_∞ ball of radius/k.
    void best(const Shrunken<Real>& t, Vertex<Real>& vertex) override {
        const double places = static_cast<double>(std::min(k_, t.size()));
        if (t.sum() <= places * t.peak()) {
            vertex.kind = Vertex<Real>::Kind::one_hot;
            vertex.index = t.first_peak();
            vertex.scale = static_cast<double>(t.against(vertex.index, 1)) * this->radius_;
            vertex.composite = this->composite_.l1 * this->radius_;
            return;
        }
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(vertex.shape);
        t.write_signs(0, this->radius_ / places, vertex.dense);
        vertex.composite = this->composite(vertex.dense);
    }
    void project(std::span<const double> sizes, Index /*n*/, double radius,
                 std::vector<double>& to) override {
        project_sorted(
            sizes, [this](std::size_t rank) { return std::cmp_less(rank, k_) ? 1.0 : 0.0; }, radius, to);
    }

    Index k_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_k_norm(Index k, double radius, const Composite& composite, int threads) {
    return std::make_unique<KNorm<Real>>(k, radius, composite, threads);
}

template std::unique_ptr<Region<float>> make_k_norm(Index, double, const Composite&, int);
template std::unique_ptr<Region<double>> make_k_norm(Index, double, const Composite&, int);

}  // namespace alfcg::region

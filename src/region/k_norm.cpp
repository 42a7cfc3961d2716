#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/threads.hpp"
#include "region/absolute.hpp"
#include "region/top_balls.hpp"

namespace alfcg::region {
namespace {

/// Sum of the k largest magnitudes at most radius, with h(x) = l1 ‖x‖₁.
template <class Real>
class KNorm final : public Region<Real> {
  public:
    KNorm(Index k, double radius, const Composite& composite, int threads)
        : k_(k), radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{}-norm ball of radius {}{}", k_, radius_, region::describe(composite_));
    }

    /// The dual norm is max(‖g‖_∞, ‖g‖₁/k): the ball is the hull of the l_1 ball and of the l_∞ ball of radius/k.
    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const Shrunken<Real> t(gradient, composite_.l1, threads_);
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (t.zero()) {
            vertex.kind = Vertex<Real>::Kind::zero;
            return 0;
        }
        const Index places = std::min(k_, t.size());
        if (t.sum() <= static_cast<double>(places)) {
            vertex.kind = Vertex<Real>::Kind::one_hot;
            vertex.index = kernels::first_peak(gradient.data(), gradient.size(), threads_).index;
            vertex.scale = static_cast<double>(t.against(vertex.index, 1)) * radius_;
            vertex.composite = composite_.l1 * radius_;
            return 0;
        }
        const double each = radius_ / static_cast<double>(places);
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(gradient.shape());
        for (Index i = 0; i < t.size(); ++i) vertex.dense.data()[i] = t(i) > 0 ? t.against(i, each) : Real(0);
        vertex.composite = composite(vertex.dense);
        return 0;
    }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        return composite_.l1 * kernels::sums(x.data(), x.size(), 1, threads_).magnitudes;
    }
    [[nodiscard]] double diameter(Shape shape) const override {
        const double places = static_cast<double>(std::min(k_, shape.size()));
        return 2 * radius_ * std::max(1.0, std::sqrt(static_cast<double>(shape.size())) / places);
    }
    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override {
        const std::vector<double> top = largest_magnitudes(x, k_);
        return std::accumulate(top.begin(), top.end(), 0.0);
    }

  private:
    Index k_;
    double radius_;
    Composite composite_;
    int threads_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_k_norm(Index k, double radius, const Composite& composite, int threads) {
    return std::make_unique<KNorm<Real>>(k, radius, composite, threads);
}

template std::unique_ptr<Region<float>> make_k_norm(Index, double, const Composite&, int);
template std::unique_ptr<Region<double>> make_k_norm(Index, double, const Composite&, int);

}  // namespace alfcg::region

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "alfcg/region/structured.hpp"
#include "kernels/magnitudes.hpp"
#include "region/own_norm.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

/// ‖L x‖₁ ≤ radius, where L takes the differences of a row, the first from 0: an l_1 ball in other coordinates. Its vertices
/// are ± radius times a row that is 0 up to some column and 1 from there, and <g, v> is then a sum of g to the end of a row.
template <class Real>
class TotalVariation final : public Region<Real> {
  public:
    explicit TotalVariation(double radius) : radius_(radius) { region::verify_range<Real>(radius); }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("total variation of rows at most {}", radius_);
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size());
        if (std::isnan(largest)) region::reject_gradient<Real>();
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        vertex.kind = Vertex<Real>::Kind::zero;
        if (largest == 0) return 0;
        const double scale = kernels::safe_scale(largest);
        Index best_row = 0;
        Steepest best;
        for (Index i = 0; i < gradient.rows(); ++i) {
            const Steepest found = steepest(gradient.data() + i * gradient.cols(), gradient.cols(), scale);
            if (std::abs(found.sum) <= std::abs(best.sum)) continue;
            best = found;
            best_row = i;
        }
        if (best.sum == 0) return 0;
        vertex.kind = Vertex<Real>::Kind::rank_one;
        vertex.scale = best.sum > 0 ? -radius_ : radius_;
        vertex.left.assign(static_cast<std::size_t>(gradient.rows()), Real(0));
        vertex.left[static_cast<std::size_t>(best_row)] = 1;
        vertex.right.assign(static_cast<std::size_t>(gradient.cols()), Real(0));
        std::fill(vertex.right.begin() + best.from, vertex.right.end(), Real(1));
        return 0;
    }

    double composite(const Matrix<Real>& /*x*/) override { return 0; }

    [[nodiscard]] double diameter(Shape shape) const override {
        return 2 * radius_ * std::sqrt(static_cast<double>(shape.cols));
    }

    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override {
        double sum = 0;
        for (Index i = 0; i < x.rows(); ++i) {
            double before = 0;
            for (Index j = 0; j < x.cols(); ++j) {
                const double here = static_cast<double>(x(i, j));
                sum += std::abs(here - before);
                before = here;
            }
        }
        return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
    }

  private:
    struct Steepest {
        double sum = 0;
        Index from = 0;
    };

    // The sum to the end of the row of the largest magnitude; the lowest column among equals. Each sum waits for the one before
    // it: several stretches of the row are summed side by side.
    static Steepest steepest(const Real* row, Index n, double scale) {
        constexpr Index lanes = 8;
        const Index stretch = n / lanes;
        std::array<double, lanes> sum{};
        if (stretch > 0) {
            std::array<double, lanes> whole{};
            for (Index k = 0; k < stretch; ++k)
                for (Index lane = 0; lane < lanes; ++lane)
                    whole[static_cast<std::size_t>(lane)] +=
                        scale * static_cast<double>(row[lane * stretch + k]);
            double after = 0;
            for (Index j = n - 1; j >= lanes * stretch; --j) after += scale * static_cast<double>(row[j]);
            for (std::size_t lane = lanes; lane-- > 0;) {
                sum[lane] = after;
                after += whole[lane];
            }
        }
        Steepest best;
        double tail = 0;
        for (Index j = n - 1; j >= lanes * stretch; --j) {
            tail += scale * static_cast<double>(row[j]);
            if (std::abs(tail) >= std::abs(best.sum)) best = {tail, j};
        }
        std::array<Steepest, lanes> found{};
        for (Index k = stretch - 1; k >= 0; --k)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const Index j = static_cast<Index>(lane) * stretch + k;
                sum[lane] += scale * static_cast<double>(row[j]);
                if (std::abs(sum[lane]) >= std::abs(found[lane].sum)) found[lane] = {sum[lane], j};
            }
        for (std::size_t lane = lanes; lane-- > 0;)
            if (stretch > 0 && std::abs(found[lane].sum) >= std::abs(best.sum)) best = found[lane];
        return best;
    }

    double radius_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> total_variation(double radius, const Composite& composite) {
    region::verify_terms("total-variation", composite);
    return region::with_own_norm<Real>(std::make_unique<TotalVariation<Real>>(radius), radius,
                                       composite.norm);
}

template std::unique_ptr<Region<float>> total_variation(double, const Composite&);
template std::unique_ptr<Region<double>> total_variation(double, const Composite&);

}  // namespace alfcg

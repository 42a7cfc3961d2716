#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "alfcg/region/structured.hpp"
#include "kernels/magnitudes.hpp"
#include "region/own_norm.hpp"
#include "region/settings.hpp"
#include "region/suffix_sums.hpp"
#include "region/variation_path.hpp"
#include "region/with_square.hpp"

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
        region::Suffix best;
        for (Index i = 0; i < gradient.rows(); ++i) {
            const region::Suffix found = suffixes_.best(
                gradient.data() + i * gradient.cols(), gradient.cols(), scale,
                [](double sum) { return std::abs(sum); }, true);
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

    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return true; }

    bool proximal(const Matrix<Real>& point, double /*weight*/, Vertex<Real>& nearest) override {
        if (std::isnan(kernels::largest_magnitude(point.data(), point.size())))
            region::reject_gradient<Real>();
        entries_.assign(point.span().begin(), point.span().end());
        region::project_variation(entries_, point.cols(), radius_);
        nearest.kind = Vertex<Real>::Kind::dense;
        nearest.shape = point.shape();
        nearest.dense.reshape(point.shape());
        std::transform(entries_.begin(), entries_.end(), nearest.dense.data(),
                       [](double entry) { return static_cast<Real>(entry); });
        nearest.composite = 0;
        return true;
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
    double radius_;
    region::SuffixSums suffixes_;
    std::vector<double> entries_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> total_variation(double radius, const Composite& composite) {
    region::verify_terms("total-variation", composite);
    return region::with_own_norm(
        region::with_square<Real>(std::make_unique<TotalVariation<Real>>(radius), composite.l2), radius,
        composite.norm);
}

template std::unique_ptr<Region<float>> total_variation(double, const Composite&);
template std::unique_ptr<Region<double>> total_variation(double, const Composite&);

}  // namespace alfcg

#include <fmt/format.h>

#include <cmath>

#include "core/threads.hpp"
#include "region/absolute.hpp"
#include "region/top_balls.hpp"

namespace alfcg::region {
namespace {

/// Σ w_i |x|_(i) ≤ radius, where |x|_(1) ≥ |x|_(2) ≥ … are the sorted magnitudes and the weights fall evenly from 1 + slope to 1;
/// h(x) = l1 ‖x‖₁.
template <class Real>
class Owl final : public Region<Real> {
  public:
    Owl(double slope, double radius, const Composite& composite, int threads)
        : slope_(slope), radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("sorted l_1 ball of radius {}, weights from {} to 1{}", radius_, 1 + slope_,
                           region::describe(composite_));
    }

    /// The dual norm is max_k (Σ_{i≤k} |g|_(i)) / (Σ_{i≤k} w_i): all k entries get the same.
    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const Shrunken<Real> t(gradient, composite_.l1, threads_);
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (t.zero()) {
            vertex.kind = Vertex<Real>::Kind::zero;
            return 0;
        }
        const Index n = t.size();
        // The last of the best k has at least the ratio that is reached for each unit of its own weight, which is at least 1.
        const double reached = std::max(1 / weights_of(1, n), t.sum() / weights_of(n, n));
        sizes_.clear();
        for (Index i = 0; i < n; ++i)
            if (const double size = t(i); size >= reached * (1 - 1e-9)) sizes_.push_back(size);
        std::sort(sizes_.begin(), sizes_.end(), std::greater<>());
        double sum = 0;
        double best = 0;
        std::size_t count = 0;
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            sum += sizes_[k];
            const double ratio = sum / weights_of(static_cast<Index>(k) + 1, n);
            if (!(ratio > best)) continue;
            best = ratio;
            count = k + 1;
        }
        if (count == 0) count = sizes_.size();
        take(t, sizes_[count - 1], static_cast<Index>(count), vertex);
        return 0;
    }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        return composite_.l1 * kernels::sums(x.data(), x.size(), 1, threads_).magnitudes;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        double longest = 0;
        for (Index k = 1; k <= shape.size(); ++k)
            longest = std::max(longest, std::sqrt(static_cast<double>(k)) / weights_of(k, shape.size()));
        return 2 * radius_ * longest;
    }
    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override {
        const std::vector<double> sizes = largest_magnitudes(x, x.size());
        double sum = 0;
        for (Index i = 0; i < std::ssize(sizes); ++i)
            sum +=
                (weights_of(i + 1, x.size()) - weights_of(i, x.size())) * sizes[static_cast<std::size_t>(i)];
        return sum;
    }

  private:
    /// Sum of the first k weights of n.
    [[nodiscard]] double weights_of(Index k, Index n) const {
        const auto count = static_cast<double>(k);
        const double steps = std::max(1.0, static_cast<double>(n - 1));
        return count + slope_ * count * (1 - (count - 1) / (2 * steps));
    }

    void take(const Shrunken<Real>& t, double least, Index count, Vertex<Real>& vertex) const {
        Index above = 0;
        while (above < std::ssize(sizes_) && sizes_[static_cast<std::size_t>(above)] > least) ++above;
        Index equals = count - above;
        const double each = radius_ / weights_of(count, t.size());
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.positions.clear();
        vertex.values.clear();
        for (Index i = 0; i < t.size(); ++i) {
            const double size = t(i);
            if (size < least || (size == least && equals-- <= 0)) continue;
            vertex.positions.push_back(i);
            vertex.values.push_back(t.against(i, each));
        }
        vertex.composite = composite_.l1 * each * static_cast<double>(count);
    }

    double slope_;
    double radius_;
    Composite composite_;
    int threads_;
    std::vector<double> sizes_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_owl(double slope, double radius, const Composite& composite, int threads) {
    return std::make_unique<Owl<Real>>(slope, radius, composite, threads);
}

template std::unique_ptr<Region<float>> make_owl(double, double, const Composite&, int);
template std::unique_ptr<Region<double>> make_owl(double, double, const Composite&, int);

}  // namespace alfcg::region

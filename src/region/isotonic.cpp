#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "region/box.hpp"
#include "region/settings.hpp"
#include "region/suffix_sums.hpp"

namespace alfcg::region {
namespace {

/// lower ≤ x_i1 ≤ x_i2 ≤ … ≤ upper in every row i, with h(x) = (l2/2) ‖x‖₂².
template <class Real>
class Isotonic final : public Region<Real> {
  public:
    Isotonic(double lower, double upper, const Composite& composite, int threads)
        : lower_(lower), upper_(upper), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("increasing rows from {} to {}{}", lower_, upper_, region::describe(composite_));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        if (composite_.l2 > 0)
            even(gradient, -1, composite_.l2, vertex);
        else
            step(gradient, vertex);
        return 0;
    }
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        even(point, 1, 1 + composite_.l2 / weight, nearest);
        return true;
    }
    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return true; }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        return composite_.l2 / 2 * kernels::sums(x.data(), x.size(), 1, threads_).squares;
    }
    [[nodiscard]] double diameter(Shape shape) const override {
        return (upper_ - lower_) * std::sqrt(static_cast<double>(shape.size()));
    }
    double violation(const Matrix<Real>& x) override {
        const double unit = std::max({std::abs(lower_), std::abs(upper_), upper_ - lower_});
        double most = 0;
        for (Index i = 0; i < x.rows(); ++i) {
            double before = lower_;
            for (Index j = 0; j < x.cols(); ++j) {
                const double entry = static_cast<double>(x(i, j));
                const double beyond = std::max(before - entry, entry - upper_);
                if (!(beyond <= 0)) most = std::max(most, std::isnan(beyond) ? 1 : beyond / unit);
                before = entry;
            }
        }
        return most;
    }
    Matrix<Real> start(Shape shape) override {
        Matrix<Real> x(shape);
        x.fill(static_cast<Real>(std::clamp(0.0, lower_, upper_)));
        return x;
    }

  private:
    /// Corners are steps: a row is `lower` up to somewhere and `upper` from there on, where what is left of the gradient sums to
    /// least. Of equals, the shortest step.
    void step(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        const double peak = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(peak)) reject_gradient<Real>();
        const double scale = peak > 0 ? kernels::safe_scale(peak) : 1;
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.shape = gradient.shape();
        vertex.dense.reshape(gradient.shape());
        vertex.composite = 0;
        for (Index i = 0; i < gradient.rows(); ++i) {
            const Suffix best = suffixes_.best(
                gradient.data() + i * gradient.cols(), gradient.cols(), scale,
                [](double sum) { return -sum; }, false);
            Real* row = vertex.dense.data() + i * gradient.cols();
            std::fill(row, row + best.from, static_cast<Real>(lower_));
            std::fill(row + best.from, row + gradient.cols(), static_cast<Real>(upper_));
        }
    }

    /// Isotonic regression of sign·a/weight by pooling neighbours that are in the wrong order, and then the bounds: they may come last,
    /// since what minimises the sum over a pool between bounds is its mean between bounds.
    void even(const Matrix<Real>& a, double sign, double weight, Vertex<Real>& vertex) {
        if (std::isnan(kernels::largest_magnitude(a.data(), a.size(), threads_))) reject_gradient<Real>();
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.shape = a.shape();
        vertex.dense.reshape(a.shape());
        for (Index i = 0; i < a.rows(); ++i) {
            pools_.clear();
            for (Index j = 0; j < a.cols(); ++j) {
                Pool pool{sign * static_cast<double>(a(i, j)), 1};
                while (!pools_.empty() && pools_.back().mean > pool.mean) {
                    pool = together(pools_.back(), pool);
                    pools_.pop_back();
                }
                pools_.push_back(pool);
            }
            Index j = 0;
            for (const Pool& pool : pools_)
                for (const Index end = j + pool.count; j < end; ++j)
                    vertex.dense(i, j) = static_cast<Real>(std::clamp(pool.mean / weight, lower_, upper_));
        }
        vertex.composite = composite(vertex.dense);
    }

    struct Pool {
        double mean = 0;
        Index count = 0;
    };
    static Pool together(const Pool& a, const Pool& b) {
        const Index count = a.count + b.count;
        const double share = static_cast<double>(b.count) / static_cast<double>(count);
        return {(1 - share) * a.mean + share * b.mean, count};
    }

    double lower_;
    double upper_;
    Composite composite_;
    int threads_;
    std::vector<Pool> pools_;
    SuffixSums suffixes_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_isotonic(double lower, double upper, const Composite& composite,
                                            int threads) {
    return std::make_unique<Isotonic<Real>>(lower, upper, composite, threads);
}

template std::unique_ptr<Region<float>> make_isotonic(double, double, const Composite&, int);
template std::unique_ptr<Region<double>> make_isotonic(double, double, const Composite&, int);

}  // namespace alfcg::region

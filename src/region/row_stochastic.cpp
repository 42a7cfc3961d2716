#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "alfcg/region/structured.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "region/l1_projection.hpp"
#include "region/rounding.hpp"
#include "region/settings.hpp"
#include "region/with_square.hpp"

namespace alfcg {
namespace {

/// Every row in a simplex. The oracle puts all of a row on its least entry; with λ Σ x log x, x is proportional to exp(−g / λ),
/// where the derivatives g + λ (log x + 1) of a row are all the same.
template <class Real>
class RowStochastic final : public Region<Real> {
  public:
    RowStochastic(double radius, double entropy, int threads)
        : radius_(radius), entropy_(entropy), threads_(resolve_threads(threads)) {
        region::verify_range<Real>(radius);
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("rows not negative that sum to {}{}", radius_,
                           region::describe(Composite{.entropy = entropy_}));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (entropy_ > 0) {
            spread(gradient, vertex);
            return 0;
        }
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.positions.resize(static_cast<std::size_t>(gradient.rows()));
        vertex.values.assign(static_cast<std::size_t>(gradient.rows()), static_cast<Real>(radius_));
        for (Index i = 0; i < gradient.rows(); ++i)
            vertex.positions[static_cast<std::size_t>(i)] = i * gradient.cols() + least_of(gradient, i);
        return 0;
    }

    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return entropy_ == 0; }

    /// Rows lose a common amount, and what is negative then.
    bool proximal(const Matrix<Real>& point, double /*weight*/, Vertex<Real>& nearest) override {
        if (entropy_ > 0) return false;
        nearest.kind = Vertex<Real>::Kind::dense;
        nearest.shape = point.shape();
        nearest.dense.reshape(point.shape());
        nearest.composite = 0;
        for (Index i = 0; i < point.rows(); ++i) {
            const Real* row = point.data() + i * point.cols();
            const double most = static_cast<double>(*std::max_element(row, row + point.cols()));
            heights_.clear();
            for (Index j = 0; j < point.cols(); ++j)
                if (const double below = most - static_cast<double>(row[j]); below < radius_)
                    heights_.push_back(below);
            const double level = region::water_level(heights_, radius_);
            for (Index j = 0; j < point.cols(); ++j)
                nearest.dense(i, j) =
                    static_cast<Real>(std::max(level - (most - static_cast<double>(row[j])), 0.0));
        }
        return true;
    }

    double composite(const Matrix<Real>& x) override {
        if (entropy_ == 0) return 0;
        double sum = 0;
        for (const Real entry : x.span())
            if (entry > 0) sum += static_cast<double>(entry) * std::log(static_cast<double>(entry));
        return entropy_ * sum;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        return shape.cols < 2 ? 0 : radius_ * std::sqrt(2 * static_cast<double>(shape.rows));
    }

    double violation(const Matrix<Real>& x) override {
        double outside = 0;
        for (Index i = 0; i < x.rows(); ++i) {
            double sum = 0;
            for (Index j = 0; j < x.cols(); ++j) {
                const double entry = static_cast<double>(x(i, j)) / radius_;
                outside = std::max(outside, -entry);
                sum += entry;
            }
            if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
            outside = std::max(outside, std::abs(sum - 1));
        }
        return region::beyond_rounding<Real>(outside);
    }

  private:
    // The lowest column among equals.
    [[nodiscard]] Index least_of(const Matrix<Real>& gradient, Index row) const {
        const kernels::Least found =
            kernels::first_least(gradient.data() + row * gradient.cols(), gradient.cols(), threads_);
        if (std::isnan(found.value)) region::reject_gradient<Real>();
        return found.index;
    }

    void spread(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(gradient.shape());
        for (Index i = 0; i < gradient.rows(); ++i) {
            const Real* row = gradient.data() + i * gradient.cols();
            const double least = static_cast<double>(row[least_of(gradient, i)]);
            double sum = 0;
            heights_.clear();
            for (Index j = 0; j < gradient.cols(); ++j) {
                heights_.push_back(std::exp((least - static_cast<double>(row[j])) / entropy_));
                sum += heights_.back();
            }
            for (Index j = 0; j < gradient.cols(); ++j)
                vertex.dense(i, j) =
                    static_cast<Real>(radius_ * (heights_[static_cast<std::size_t>(j)] / sum));
        }
        vertex.composite = composite(vertex.dense);
    }

    double radius_;
    double entropy_;
    int threads_;
    std::vector<double> heights_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> row_stochastic(double radius, const Composite& composite, int threads) {
    region::verify_terms("row-stochastic", composite);
    return region::with_square<Real>(
        std::make_unique<RowStochastic<Real>>(radius, composite.entropy, threads), composite.l2);
}

template std::unique_ptr<Region<float>> row_stochastic(double, const Composite&, int);
template std::unique_ptr<Region<double>> row_stochastic(double, const Composite&, int);

}  // namespace alfcg

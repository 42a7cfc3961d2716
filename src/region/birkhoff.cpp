#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/structured.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "region/assignment.hpp"
#include "region/rounding.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

/// Its vertices are `radius` times the permutation matrices (Birkhoff and von Neumann): the oracle is an assignment.
template <class Real>
class Birkhoff final : public Region<Real> {
  public:
    Birkhoff(double radius, int threads) : radius_(radius), threads_(resolve_threads(threads)) {
        region::verify_range<Real>(radius);
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("doubly stochastic matrices times {}", radius_);
    }

    void check(Shape shape) const override {
        if (shape.rows == shape.cols) return;
        throw QuantityError("region",
                            fmt::format("birkhoff has square points, not {} x {}", shape.rows, shape.cols));
    }
    void archive(Archive& state) override { state(assignment_); }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const Index n = gradient.rows();
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(largest)) region::reject_gradient<Real>();
        assignment_.solve(gradient.data(), n, largest > 0 ? kernels::safe_scale(largest) : 1);
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.shape = gradient.shape();
        vertex.positions.resize(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i)
            vertex.positions[static_cast<std::size_t>(i)] = i * n + assignment_.column_of(i);
        vertex.values.assign(static_cast<std::size_t>(n), static_cast<Real>(radius_));
        vertex.composite = 0;
        return 0;
    }

    double composite(const Matrix<Real>& /*x*/) override { return 0; }

    [[nodiscard]] double diameter(Shape shape) const override {
        return shape.rows < 2 ? 0 : radius_ * std::sqrt(2 * static_cast<double>(shape.rows));
    }

    double violation(const Matrix<Real>& x) override {
        std::vector<double> columns(static_cast<std::size_t>(x.cols()), 0);
        double outside = 0;
        const auto off = [&](double sum) { outside = std::max(outside, std::abs(sum / radius_ - 1)); };
        for (Index i = 0; i < x.rows(); ++i) {
            double sum = 0;
            for (Index j = 0; j < x.cols(); ++j) {
                const double entry = static_cast<double>(x(i, j));
                if (!std::isfinite(entry)) return std::numeric_limits<double>::infinity();
                outside = std::max(outside, -entry / radius_);
                sum += entry;
                columns[static_cast<std::size_t>(j)] += entry;
            }
            off(sum);
        }
        for (const double sum : columns) off(sum);
        return region::beyond_rounding<Real>(outside);
    }

  private:
    double radius_;
    int threads_;
    region::Assignment assignment_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> birkhoff(double radius, int threads) {
    return std::make_unique<Birkhoff<Real>>(radius, threads);
}

template std::unique_ptr<Region<float>> birkhoff(double, int);
template std::unique_ptr<Region<double>> birkhoff(double, int);

}  // namespace alfcg

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "kernels/magnitudes.hpp"
#include "region/rounding.hpp"
#include "region/settings.hpp"

namespace alfcg::region {

/// An entry of a row that is not zero.
struct Entry {
    Index column;
    double value;
};

/// Every row of a point lies in `radius` times one and the same polytope. Its vertices are named by their entries.
template <class Real>
class RowPolytope : public Region<Real> {
  public:
    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) final {
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(largest)) reject_gradient<Real>();
        const double scale = largest > 0 ? kernels::safe_scale(largest) : 1;
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.shape = gradient.shape();
        vertex.positions.clear();
        vertex.values.clear();
        vertex.composite = 0;
        double slack = 0;
        for (Index i = 0; i < gradient.rows(); ++i) {
            entries_.clear();
            slack += best(i, row_of(gradient, i), scale, entries_);
            for (const Entry& entry : entries_) {
                vertex.positions.push_back(i * gradient.cols() + entry.column);
                vertex.values.push_back(static_cast<Real>(radius_ * entry.value));
            }
        }
        return slack * radius_ / scale;
    }

    double composite(const Matrix<Real>& /*x*/) override { return 0; }

    [[nodiscard]] double diameter(Shape shape) const final {
        return radius_ * width(shape.cols) * std::sqrt(static_cast<double>(shape.rows));
    }

    double violation(const Matrix<Real>& x) final {
        double most = 0;
        for (Index i = 0; i < x.rows(); ++i) {
            scaled_.resize(static_cast<std::size_t>(x.cols()));
            const auto row = row_of(x, i);
            std::transform(row.begin(), row.end(), scaled_.begin(),
                           [&](Real entry) { return static_cast<double>(entry) / radius_; });
            const double outside = excess(scaled_);
            if (std::isnan(outside)) return std::numeric_limits<double>::infinity();
            most = std::max(most, outside);
        }
        return beyond_rounding<Real>(most);
    }

    void check(Shape shape) const override {
        if (columns_ < 0 || shape.cols == columns_) return;
        throw QuantityError("region", fmt::format("has {} {} ({}), but points have {} columns", columns_,
                                                  what_, source_, shape.cols));
    }

  protected:
    /// `columns` < 0: any number of them; else what they are, and where they come from, for messages.
    RowPolytope(double radius, int threads, Index columns = -1, std::string what = {},
                std::string source = {})
        : radius_(radius),
          threads_(threads),
          columns_(columns),
          what_(std::move(what)),
          source_(std::move(source)) {
        verify_range<Real>(radius);
    }

    /// The entries of a vertex of the polytope that minimises <g, v>, by increasing column. `scale` brings g near 1.
    /// Returns a proven bound, in units of scale · g, on how far it may be from the minimum: 0, but for rounding.
    virtual double best(Index row, std::span<const Real> gradient, double scale,
                        std::vector<Entry>& entries) = 0;
    /// How far a row, divided by the radius, lies outside of the polytope: relative, NaN where it is not finite.
    virtual double excess(std::span<const double> row) = 0;
    /// Of the polytope, or a bound on it.
    [[nodiscard]] virtual double width(Index columns) const = 0;

    static std::span<const Real> row_of(const Matrix<Real>& x, Index i) {
        return x.span().subspan(static_cast<std::size_t>(i * x.cols()), static_cast<std::size_t>(x.cols()));
    }

    double radius_;
    int threads_;

  private:
    Index columns_;
    std::string what_;
    std::string source_;
    std::vector<Entry> entries_;
    std::vector<double> scaled_;
};

}  // namespace alfcg::region

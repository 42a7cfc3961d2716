#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "alfcg/core/error.hpp"
#include "alfcg/region/structured.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/products.hpp"
#include "region/min_norm_point.hpp"
#include "region/rounding.hpp"
#include "region/settings.hpp"

namespace alfcg {
namespace {

/// The points of a list: products with all of them, and one of them at a time.
template <class Real>
class PointList {
  public:
    PointList(Features<Real> points, int threads) : points_(std::move(points)), threads_(threads) {
        if (count() == 0 || size() == 0) throw Error("a convex hull needs points");
        if (auto* dense = std::get_if<DenseFeatures<Real>>(&points_)) pack(*dense);
        const auto values = values_of();
        const double largest =
            kernels::largest_magnitude(values.data(), static_cast<Index>(values.size()), threads_);
        if (std::isnan(largest)) throw Error("a convex hull needs points whose entries are finite");
        scale_ = largest > 0 ? kernels::safe_scale(largest) : 1;
        products_.resize(static_cast<std::size_t>(count()));
        width_ = find_width();
    }

    [[nodiscard]] Index count() const { return rows(points_); }
    [[nodiscard]] Index size() const { return cols(points_); }
    [[nodiscard]] bool sparse() const { return std::holds_alternative<SparseFeatures<Real>>(points_); }
    /// Compressed rows may leave out features at the end that no point has.
    [[nodiscard]] bool fits(Index entries) const {
        return size() == entries || (sparse() && size() < entries);
    }
    void widen(Index entries) {
        if (auto* lines = std::get_if<SparseFeatures<Real>>(&points_)) lines->col_count = entries;
    }
    /// A bound on how far two of them are apart: twice the farthest from their mean.
    [[nodiscard]] double width() const { return width_; }

    /// The first that minimises <direction, point>; directions near 1.
    Index least(const double* direction) {
        if (const auto* dense = std::get_if<DenseFeatures<Real>>(&points_))
            kernels::times(dense->data(), {count(), size()}, scale_, direction, products_.data(), threads_);
        else
            for (Index k = 0; k < count(); ++k) {
                double sum = 0;
                visit(k, [&](Index j, double value) { sum += scale_ * value * direction[j]; });
                products_[static_cast<std::size_t>(k)] = sum;
            }
        return std::min_element(products_.begin(), products_.end()) - products_.begin();
    }

    /// take(position, value) for the entries of a point, by increasing position: those of a sparse one that are kept.
    template <class Take>
    void visit(Index k, const Take& take) const {
        if (const auto* dense = std::get_if<DenseFeatures<Real>>(&points_)) {
            for (Index j = 0; j < size(); ++j) take(j, static_cast<double>(dense->row(k)[j]));
            return;
        }
        const auto& lines = std::get<SparseFeatures<Real>>(points_);
        for (Index at = lines.start.data()[k]; at < lines.start.data()[k + 1]; ++at)
            take(lines.column.data()[at], static_cast<double>(lines.value.data()[at]));
    }

    /// In units of 1 / scale().
    void write(Index k, double* to) const {
        std::fill(to, to + size(), 0.0);
        visit(k, [&](Index j, double value) { to[j] = scale_ * value; });
    }
    /// A power of two that brings points near 1.
    [[nodiscard]] double scale() const { return scale_; }

  private:
    static void pack(DenseFeatures<Real>& dense) {
        if (dense.stride() == dense.cols()) return;
        Buffer<Real> packed;
        Real* to = packed.extend(static_cast<std::size_t>(dense.rows() * dense.cols()));
        for (Index i = 0; i < dense.rows(); ++i) to = std::copy_n(dense.row(i), dense.cols(), to);
        dense = DenseFeatures<Real>(std::move(packed), dense.rows(), dense.cols());
    }

    [[nodiscard]] std::span<const Real> values_of() const {
        if (const auto* dense = std::get_if<DenseFeatures<Real>>(&points_))
            return {dense->data(), static_cast<std::size_t>(count() * size())};
        const auto& lines = std::get<SparseFeatures<Real>>(points_);
        return {lines.value.data(), lines.value.size()};
    }

    [[nodiscard]] double find_width() const {
        std::vector<double> mean(static_cast<std::size_t>(size()), 0);
        for (Index k = 0; k < count(); ++k)
            visit(k, [&](Index j, double value) {
                mean[static_cast<std::size_t>(j)] += scale_ * value / static_cast<double>(count());
            });
        double squares = 0;
        for (const double entry : mean) squares += entry * entry;
        double most = 0;
        for (Index k = 0; k < count(); ++k) {
            double distance = squares;  // entries that are not kept are 0
            visit(k, [&](Index j, double value) {
                const double centre = mean[static_cast<std::size_t>(j)];
                distance += scale_ * value * (scale_ * value - 2 * centre);
            });
            most = std::max(most, distance);
        }
        return count() == 1 ? 0 : 2 * std::sqrt(most) / scale_;
    }

    Features<Real> points_;
    int threads_;
    double scale_ = 1;
    double width_ = 0;
    std::vector<double> products_;
};

/// The oracle is a product with all points. Whole points, or every row of x by itself.
template <class Real>
class PointHull final : public Region<Real> {
  public:
    PointHull(Features<Real> points, bool whole, double radius, int threads)
        : points_(std::move(points), resolve_threads(threads)),
          whole_(whole),
          radius_(radius),
          threads_(resolve_threads(threads)) {
        region::verify_range<Real>(radius);
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("convex hull of {} points times {}", points_.count(), radius_);
    }

    void check(Shape shape) const override {
        const Index entries = entries_of(shape);
        if (points_.fits(entries)) return;
        throw QuantityError(
            "region",
            whole_ ? fmt::format("has vertices of {} entries, but points have {} ({} x {})", points_.size(),
                                 entries, shape.rows, shape.cols)
                   : fmt::format("has points of {} entries, but x has {} columns", points_.size(), entries));
    }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(largest)) region::reject_gradient<Real>();
        const double scale = largest > 0 ? kernels::safe_scale(largest) : 1;
        points_.widen(entries_of(gradient.shape()));
        direction_.resize(static_cast<std::size_t>(gradient.size()));
        std::transform(gradient.span().begin(), gradient.span().end(), direction_.begin(),
                       [&](Real entry) { return scale * static_cast<double>(entry); });
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        vertex.kind = points_.sparse() ? Vertex<Real>::Kind::sparse : Vertex<Real>::Kind::dense;
        vertex.positions.clear();
        vertex.values.clear();
        if (!points_.sparse()) vertex.dense.reshape(gradient.shape());
        for (Index first = 0; first < gradient.size(); first += points_.size()) {
            points_.visit(points_.least(direction_.data() + first), [&](Index j, double value) {
                const auto entry = static_cast<Real>(radius_ * value);
                if (points_.sparse()) {
                    vertex.positions.push_back(first + j);
                    vertex.values.push_back(entry);
                } else {
                    vertex.dense.data()[first + j] = entry;
                }
            });
        }
        return 0;
    }

    double composite(const Matrix<Real>& /*x*/) override { return 0; }

    [[nodiscard]] double diameter(Shape shape) const override {
        return radius_ * points_.width() * std::sqrt(whole_ ? 1.0 : static_cast<double>(shape.rows));
    }

    double violation(const Matrix<Real>& x) override {
        double most = 0;
        points_.widen(entries_of(x.shape()));
        for (Index first = 0; first < x.size(); first += points_.size()) {
            direction_.resize(static_cast<std::size_t>(points_.size()));
            std::transform(
                x.data() + first, x.data() + first + points_.size(), direction_.begin(),
                [&](Real entry) { return points_.scale() * (static_cast<double>(entry) / radius_); });
            most = std::max(most, region::relative_distance(
                                      direction_,
                                      [&](std::span<const double> direction, std::span<double> point) {
                                          points_.write(points_.least(direction.data()), point.data());
                                      },
                                      region::distance_rounding<Real>));
        }
        return most;
    }

  private:
    [[nodiscard]] Index entries_of(Shape shape) const { return whole_ ? shape.size() : shape.cols; }

    PointList<Real> points_;
    bool whole_;
    double radius_;
    int threads_;
    std::vector<double> direction_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> vertex_hull(Features<Real> vertices, double radius, int threads) {
    return std::make_unique<PointHull<Real>>(std::move(vertices), true, radius, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> data_hull(Features<Real> points, double radius, int threads) {
    return std::make_unique<PointHull<Real>>(std::move(points), false, radius, threads);
}

template std::unique_ptr<Region<float>> vertex_hull(Features<float>, double, int);
template std::unique_ptr<Region<double>> vertex_hull(Features<double>, double, int);
template std::unique_ptr<Region<float>> data_hull(Features<float>, double, int);
template std::unique_ptr<Region<double>> data_hull(Features<double>, double, int);

}  // namespace alfcg

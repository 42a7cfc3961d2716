#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/point/move.hpp"
#include "alfcg/region/spec.hpp"
#include "alfcg/region/spectral.hpp"
#include "core/decompositions.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "region/gram_pair.hpp"
#include "region/lowest_eigenvectors.hpp"
#include "region/settings.hpp"
#include "region/spectral_gauge.hpp"

namespace alfcg {
namespace {

/// 0 ⪯ X ⪯ radius · I, with at most so many times radius on the diagonal together, or exactly as much.
struct EigenvalueSet {
    std::string title;
    Index count = 0;  // 0: as many as there are
    bool exactly = false;
};

/// Symmetric matrices with their eigenvalues in such a set, and h(x) = nuclear tr(x) + (l2/2) ‖x‖₂². Only the symmetric part of a
/// gradient counts. Up to the side of the nuclear ball's exact oracle all eigenvectors are computed, and where many are needed;
/// else those of the smallest eigenvalues, with a bound.
template <class Real>
class SymmetricRegion final : public Region<Real> {
  public:
    SymmetricRegion(EigenvalueSet set, double radius, const Composite& composite, int threads)
        : set_(std::move(set)), radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{} of radius {}{}", set_.title, radius_, region::describe(composite_));
    }

    void check(Shape shape) const override {
        if (shape.rows != shape.cols)
            throw QuantityError(
                "region", fmt::format("has symmetric matrices only, but points are {} x {}: as many outputs "
                                      "as features are needed",
                                      shape.rows, shape.cols));
        if (set_.count > shape.rows)
            throw QuantityError("k", fmt::format("must be at most {}, the side of the matrices, not {}",
                                                 shape.rows, set_.count));
    }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        const double scale = take_symmetric_part(gradient, 1);
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        const Index side = gradient.rows();
        const double threshold = -composite_.nuclear * scale;
        if (composite_.l2 > 0) {
            square(threshold, static_cast<long double>(composite_.l2) * scale, vertex);
            return 0;
        }
        const Index count = limit(side);
        if (side > region::GramPair::largest_side && count <= most_by_krylov) {
            lowest_.solve(symmetric_, count, tolerance / radius_ * scale, certify, threads_);
            write(lowest_.vectors(), chosen(lowest_.values(), threshold), vertex);
            return radius_ * (missed(gradient, scale, threshold, vertex) / scale);
        }
        pairs_ = SymmetricPairs(square_view());
        write(pairs_.eigenvectors(), chosen(pairs_.eigenvalues(), threshold), vertex);
        return 0;
    }

    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (!has_proximal(point.shape())) return false;
        const double scale = take_symmetric_part(point, -1);
        nearest.shape = point.shape();
        nearest.composite = 0;
        square(-composite_.nuclear / weight * scale,
               (1 + static_cast<long double>(composite_.l2) / weight) * scale, nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape shape) const override {
        return shape.rows == shape.cols && shape.rows <= region::GramPair::largest_side;
    }
    void archive(Archive& state) override { state(lowest_); }

    double composite(const Matrix<Real>& x) override {
        double value = 0;
        if (composite_.nuclear > 0) value += composite_.nuclear * trace(x);
        if (composite_.l2 > 0)
            value += composite_.l2 / 2 * kernels::sums(x.data(), x.size(), 1, threads_).squares;
        return value;
    }

    /// Two projections of ranks a and b are √(a + b − 2 max(a + b − n, 0)) apart at most.
    [[nodiscard]] double diameter(Shape shape) const override {
        const Index count = limit(shape.rows);
        const Index apart =
            set_.exactly ? 2 * std::min(count, shape.rows - count) : std::min(2 * count, shape.rows);
        return radius_ * std::sqrt(static_cast<double>(apart));
    }

    double violation(const Matrix<Real>& x) override {
        const double largest = kernels::largest_magnitude(x.data(), x.size(), threads_);
        if (std::isnan(largest)) return std::numeric_limits<double>::infinity();
        double uneven = 0;
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < i; ++j)
                uneven =
                    std::max(uneven, std::abs(static_cast<double>(x(i, j)) - static_cast<double>(x(j, i))));
        const double scale = largest > 0 ? take_symmetric_part(x, 1) : 1;
        double least = 0;
        double most = 0;
        if (largest > 0) {
            const Eigen::VectorXd values = symmetric_values(square_view());
            least = values(0) / scale;
            most = values(x.rows() - 1) / scale;
        }
        const double total = trace(x) / (radius_ * static_cast<double>(limit(x.rows()))) - 1;
        return std::max({0.0, uneven / radius_, -least / radius_, most / radius_ - 1,
                         set_.exactly ? std::abs(total) : total});
    }

    /// A multiple of the identity where the origin is not in the region.
    Matrix<Real> start(Shape shape) override {
        Matrix<Real> x(shape);
        if (!set_.exactly) return x;
        const double share = static_cast<double>(set_.count) / static_cast<double>(shape.rows);
        for (Index i = 0; i < shape.rows; ++i) x(i, i) = static_cast<Real>(radius_ * share);
        return x;
    }

  private:
    static constexpr Index most_by_krylov =
        32;  // eigenvectors; a full decomposition finds more of them sooner

    using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    [[nodiscard]] Index limit(Index side) const { return set_.count == 0 ? side : set_.count; }

    [[nodiscard]] Eigen::Map<const Square> square_view() const {
        return {symmetric_.data(), symmetric_.rows(), symmetric_.cols()};
    }

    static double trace(const Matrix<Real>& x) {
        double sum = 0;
        for (Index i = 0; i < x.rows(); ++i) sum += static_cast<double>(x(i, i));
        return sum;
    }

    /// sign · (x + xᵀ)/2, scaled to ordinary size. Returns the scale.
    double take_symmetric_part(const Matrix<Real>& x, double sign) {
        const double largest = kernels::largest_magnitude(x.data(), x.size(), threads_);
        if (std::isnan(largest)) region::reject_gradient<Real>();
        const double scale = largest > 0 ? kernels::safe_scale(largest) : 1;
        symmetric_.reshape(x.shape());
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j <= i; ++j) {
                const double a = scale * static_cast<double>(x(i, j));
                const double b = scale * static_cast<double>(x(j, i));
                symmetric_(i, j) = symmetric_(j, i) = sign * (0.5 * (a + b));
            }
        return scale;
    }

    /// As much of every eigenvector, the smallest eigenvalue first, as minimises the linear objective: all of the radius on those
    /// that lie below the threshold, or on as many as it must be.
    [[nodiscard]] Eigen::VectorXd chosen(const Eigen::VectorXd& values, double threshold) const {
        Eigen::VectorXd sizes = Eigen::VectorXd::Zero(values.size());
        const Index count = std::min(limit(values.size()), values.size());
        for (Index i = 0; i < count; ++i)
            if (set_.exactly || values(i) < threshold) sizes(i) = radius_;
        return sizes;
    }

    /// A bound on what the answer from the smallest eigenvalues found misses, for a radius of 1.
    double missed(const Matrix<Real>& gradient, double scale, double threshold,
                  const Vertex<Real>& vertex) const {
        const double bound = lowest_.missed();
        // The origin is best unless the smallest eigenvalue is below the threshold after all.
        if (vertex.kind == Vertex<Real>::Kind::zero)
            return std::max(bound - (lowest_.values()(0) - threshold), 0.0);
        // Vectors rounded to Real may be a little shorter than one, or longer: only the former counts.
        const double reached = inner_product(gradient, vertex) / radius_ * scale;
        return bound + std::max(reached - lowest_.values().sum(), 0.0);
    }

    /// With a square: eigenvalues of −g / weight less the nuclear term, projected onto the set.
    void square(double threshold, long double unit, Vertex<Real>& vertex) {
        pairs_ = SymmetricPairs(square_view());
        const Eigen::VectorXd t = threshold - pairs_.eigenvalues().array();
        const auto side = static_cast<double>(t.size());
        const double most = static_cast<double>(limit(t.size()));
        const double reach = std::max(t.cwiseAbs().maxCoeff(), 1e-300);
        // In units in which t is of ordinary size; a cap below its rounding leaves the vertex.
        const long double least = static_cast<long double>(reach) * 0x1p-60L;
        const long double radius = std::max(unit * radius_, least);
        const auto cap = static_cast<double>(std::min(radius, 1e300L));
        const auto out = static_cast<double>(radius_ / radius);
        Eigen::VectorXd sizes = t.cwiseMax(0.0).cwiseMin(cap);
        if (most < side && (set_.exactly || sizes.sum() > most * cap))
            sizes = region::project_capped(t, cap, most * cap);
        else if (set_.exactly)
            sizes.setConstant(cap);
        write(pairs_.eigenvectors(), sizes * out, vertex);
    }

    /// Σ sizes_i · u_i u_iᵀ, in the form in which it is small, and h there.
    void write(const Eigen::MatrixXd& vectors, const Eigen::VectorXd& sizes, Vertex<Real>& vertex) {
        const Index side = vectors.rows();
        const Index count = (sizes.array() > 0).count();
        vertex.composite = composite_.nuclear * sizes.sum() + composite_.l2 / 2 * sizes.squaredNorm();
        if (count == 0) {
            vertex.kind = Vertex<Real>::Kind::zero;
        } else if (4 * count > side && count > 1) {
            const Eigen::MatrixXd weighted = vectors * sizes.cwiseSqrt().asDiagonal();
            Square all = Square::Zero(side, side);
            all.selfadjointView<Eigen::Lower>().rankUpdate(weighted);
            vertex.kind = Vertex<Real>::Kind::dense;
            vertex.dense.reshape({side, side});
            for (Index i = 0; i < side; ++i)
                for (Index j = 0; j <= i; ++j)
                    vertex.dense(i, j) = vertex.dense(j, i) = static_cast<Real>(all(i, j));
        } else {
            vertex.kind = count == 1 ? Vertex<Real>::Kind::rank_one : Vertex<Real>::Kind::low_rank;
            vertex.left.clear();
            vertex.scales.clear();
            for (Index k = 0; k < sizes.size(); ++k) {
                if (sizes(k) <= 0) continue;
                vertex.scales.push_back(sizes(k));
                vertex.scale = sizes(k);
                for (Index i = 0; i < side; ++i) vertex.left.push_back(static_cast<Real>(vectors(i, k)));
            }
            vertex.right = vertex.left;
        }
    }

    EigenvalueSet set_;
    double radius_;
    Composite composite_;
    int threads_;
    Matrix<double> symmetric_;
    SymmetricPairs pairs_;
    region::LowestEigenvectors lowest_;
};

template <class Real>
std::unique_ptr<Region<Real>> symmetric_region(EigenvalueSet set, double radius, const Composite& composite,
                                               int threads) {
    region::verify_range<Real>(radius);
    return std::make_unique<SymmetricRegion<Real>>(std::move(set), radius, composite, threads);
}

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> spectraplex(double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"spectraplex", {{"radius", radius}}, composite});
    return symmetric_region<Real>({"spectraplex", 1, true}, radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> bounded_trace(double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"trace", {{"radius", radius}}, composite});
    return symmetric_region<Real>({"semidefinite matrices with trace", 1, false}, radius, composite, threads);
}

template <class Real>
std::unique_ptr<Region<Real>> fantope(Index k, double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"fantope", {{"k", static_cast<double>(k)}, {"radius", radius}}, composite});
    return symmetric_region<Real>({fmt::format("Fantope of rank {}", k), k, true}, radius, composite,
                                  threads);
}

template <class Real>
std::unique_ptr<Region<Real>> psd_box(double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"psd-box", {{"radius", radius}}, composite});
    return symmetric_region<Real>({"semidefinite box", 0, false}, radius, composite, threads);
}

template std::unique_ptr<Region<float>> spectraplex(double, const Composite&, int);
template std::unique_ptr<Region<double>> spectraplex(double, const Composite&, int);
template std::unique_ptr<Region<float>> bounded_trace(double, const Composite&, int);
template std::unique_ptr<Region<double>> bounded_trace(double, const Composite&, int);
template std::unique_ptr<Region<float>> fantope(Index, double, const Composite&, int);
template std::unique_ptr<Region<double>> fantope(Index, double, const Composite&, int);
template std::unique_ptr<Region<float>> psd_box(double, const Composite&, int);
template std::unique_ptr<Region<double>> psd_box(double, const Composite&, int);

}  // namespace alfcg

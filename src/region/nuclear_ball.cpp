#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/region/spec.hpp"
#include "alfcg/region/spectrum.hpp"
#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/products.hpp"
#include "kernels/vector.hpp"
#include "region/gram_pair.hpp"
#include "region/krylov_pair.hpp"
#include "region/l1_projection.hpp"
#include "region/leading_eigenvector.hpp"
#include "region/settings.hpp"
#include "region/thin_svd.hpp"

namespace alfcg {
namespace {

double total(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

template <class Real>
double nuclear_norm(const Matrix<Real>& x) {
    const double largest = kernels::largest_magnitude(x.data(), x.size());
    if (std::isnan(largest)) return std::numeric_limits<double>::infinity();
    if (largest == 0) return 0;
    return total(singular_values(x));
}

/// ‖x‖_* <= radius, with h(x) = nuclear ‖x‖_* + (l2/2) ‖x‖₂² (the Frobenius norm).
template <class Real>
class NuclearBall final : public Region<Real> {
  public:
    NuclearBall(double radius, const Composite& composite, int threads)
        : radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("nuclear ball of radius {}{}", radius_, region::describe(composite_));
    }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (gradient.shared_by() != nullptr) return by_shares(gradient, tolerance, certify, vertex);
        if (composite_.l2 > 0) return shrink(gradient, composite_.nuclear, composite_.l2, vertex);
        if (std::min(gradient.rows(), gradient.cols()) <= region::GramPair::largest_side)
            return by_gram(gradient, vertex);
        return by_krylov([&]() -> const Matrix<Real>& { return gradient; }, tolerance, certify, vertex,
                         [&](double scale, double within) {
                             return krylov_->solve(gradient, scale, within, certify, threads_);
                         },
                         [&](double scale) {
                             kernels::times(gradient.data(), gradient.shape(), scale, right_.data(),
                                            product_.data(), threads_);
                         });
    }

    /// Products with vectors, where they send less than the gradient takes.
    [[nodiscard]] bool takes_shares(Shape shape, const Ranks& ranks) const override {
        return composite_.l2 == 0 && std::min(shape.rows, shape.cols) > region::GramPair::largest_side &&
               products_pay(region::KrylovPair::fewest_products, shape, ranks);
    }

    double minimize_at(const Pattern& pattern, const Matrix<Real>& entries, double tolerance, bool certify,
                       Vertex<Real>& vertex) override {
        if (composite_.l2 > 0)
            throw Error("a square in h needs all singular values of a gradient: with factors, there is none");
        vertex.shape = pattern.shape;
        vertex.composite = 0;
        if (std::min(pattern.shape.rows, pattern.shape.cols) <= region::GramPair::largest_side)
            return by_sparse_gram(pattern, entries, vertex);
        return by_krylov([&]() -> const Matrix<Real>& { return entries; }, tolerance, certify, vertex,
                         [&](double scale, double within) {
                             return krylov_->solve(
                                 region::PatternOperator<Real>{pattern, entries, scale, threads_}, within,
                                 certify);
                         },
                         [&](double scale) {
                             const region::PatternOperator<Real> gradient{pattern, entries, scale, threads_};
                             gradient.to_other_side(kernels::Side::right, right_, product_);
                         });
    }

    double composite_of(const Factors<Real>& x) override {
        double value = 0;
        if (composite_.nuclear > 0) value += composite_.nuclear * total(x.singular_values());
        if (composite_.l2 > 0) value += composite_.l2 / 2 * x.norm() * x.norm();
        return value;
    }

    double violation_of(const Factors<Real>& x) override {
        return std::max(0.0, total(x.singular_values()) / radius_ - 1);
    }

    /// All terms over the weight: the oracle's answer to −point with a square more.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (!has_proximal(point.shape())) return false;
        away_.reshape(point.shape());
        kernels::scale_to(point.size(), -1, point.data(), away_.data());
        nearest.shape = point.shape();
        nearest.composite = 0;
        shrink(away_, composite_.nuclear / weight, 1 + composite_.l2 / weight, nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape shape) const override {
        return std::min(shape.rows, shape.cols) <= region::GramPair::largest_side;
    }

    double composite(const Matrix<Real>& x) override {
        double value = 0;
        if (composite_.nuclear > 0) value += composite_.nuclear * nuclear_norm(x);
        if (composite_.l2 > 0)
            value += composite_.l2 / 2 * kernels::sums(x.data(), x.size(), 1, threads_).squares;
        return value;
    }

    [[nodiscard]] double diameter(Shape /*shape*/) const override { return 2 * radius_; }

    double violation(const Matrix<Real>& x) override { return std::max(0.0, nuclear_norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override { return nuclear_norm(x); }

    [[nodiscard]] std::optional<Ball> ball() const override {
        return Ball{Ball::Norm::nuclear, 1, radius_, composite_};
    }
    void archive(Archive& state) override {
        if (state.has(krylov_, [] { return std::make_unique<region::KrylovPair>(); })) state(*krylov_);
    }

  private:
    double zero(Vertex<Real>& vertex) const {
        vertex.kind = Vertex<Real>::Kind::zero;
        return 0;
    }

    /// The vertex -r u vᵀ.
    void rank_one(const AlignedVector<double>& left, const AlignedVector<double>& right,
                  Vertex<Real>& vertex) {
        vertex.kind = Vertex<Real>::Kind::rank_one;
        vertex.scale = -radius_;
        vertex.left.resize(left.size());
        vertex.right.resize(right.size());
        const auto cast = [](double entry) { return static_cast<Real>(entry); };
        std::transform(left.begin(), left.end(), vertex.left.begin(), cast);
        std::transform(right.begin(), right.end(), vertex.right.begin(), cast);
        vertex.composite = composite_.nuclear * radius_;
    }

    /// Short side: exact. The nuclear term keeps the vertex if σ₁ > λ, and turns it into the origin if not.
    double by_gram(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        if (!gram_.solve(gradient, threads_) || gram_.value() <= composite_.nuclear * gram_.scale())
            return zero(vertex);
        rank_one(gram_.left(), gram_.right(), vertex);
        return 0;
    }

    /// The same of a gradient at a few places.
    double by_sparse_gram(const Pattern& pattern, const Matrix<Real>& entries, Vertex<Real>& vertex) {
        const double largest = kernels::largest_magnitude(entries.data(), entries.size(), threads_);
        if (std::isnan(largest)) region::reject_gradient<Real>();
        if (largest == 0) return zero(vertex);
        const double scale = kernels::safe_scale(largest);
        const region::PatternOperator<Real> gradient{pattern, entries, scale, threads_};
        const bool right = pattern.shape.cols <= pattern.shape.rows;
        const Index side = std::min(pattern.shape.rows, pattern.shape.cols);
        Eigen::MatrixXd gram(side, side);
        gradient.gram(gram, product_);
        right_.resize(static_cast<std::size_t>(side));
        product_.resize(static_cast<std::size_t>(pattern.shape.rows + pattern.shape.cols - side));
        leading_.solve(gram.data(), side, right_.data());
        gradient.to_other_side(right ? kernels::Side::right : kernels::Side::left, right_, product_);
        const double value = std::sqrt(kernels::sums(product_.data(), std::ssize(product_)).squares);
        if (value <= composite_.nuclear * scale) return zero(vertex);
        for (double& entry : product_) entry /= value;
        rank_one(right ? product_ : right_, right ? right_ : product_, vertex);
        return 0;
    }

    // So many, and one with a vector.
    static bool products_pay(Index products, Shape shape, const Ranks& ranks) {
        using Shared = region::SharedGradient<Real>;
        return static_cast<double>(products + 1) * Shared::cost_of_product(shape, ranks) <=
               Shared::cost_of_entries(shape, ranks);
    }

    /// A proof takes all entries.
    double by_shares(const Matrix<Real>& share, double tolerance, bool certify, Vertex<Real>& vertex) {
        region::SharedGradient<Real> gradient(share, whole_);
        const Ranks& ranks = gradient.ranks();
        const Index expected = krylov_ ? krylov_->products() : 0;
        if (certify || !takes_shares(share.shape(), ranks) || !products_pay(expected, share.shape(), ranks))
            return minimize(gradient.whole(), tolerance, certify, vertex);
        return by_krylov([&]() -> const Matrix<Real>& { return gradient.whole(); }, tolerance, certify,
                         vertex,
                         [&](double scale, double within) {
                             return krylov_->solve(gradient, share.shape(), scale, within, certify, threads_);
                         },
                         [&](double scale) {
                             kernels::times(gradient.whole().data(), share.shape(), scale, right_.data(),
                                            product_.data(), threads_);
                         });
    }

    /// Two long sides: as good as asked for, with a bound that is proven when asked for. search(scale, tolerance) looks for the pair of
    /// scale · gradient, multiply(scale) makes product_ of right_; entries() are there where a search finds none.
    template <class Entries, class Search, class Multiply>
    double by_krylov(const Entries& entries, double tolerance, bool certify, Vertex<Real>& vertex,
                     const Search& search, const Multiply& multiply) {
        if (!krylov_) krylov_ = std::make_unique<region::KrylovPair>();
        // Ordinary gradients need no scaling, which saves a pass over them: the search tells.
        double scale = 1;
        const auto solve = [&] { return search(scale, tolerance / radius_ * scale); };
        if (!solve()) {
            const Matrix<Real>& gradient = entries();
            const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
            if (std::isnan(largest)) region::reject_gradient<Real>();
            if (largest == 0) return zero(vertex);
            scale = kernels::safe_scale(largest);
            if (!solve()) return zero(vertex);
        }
        const double threshold = composite_.nuclear * scale;
        // Nothing is exact that was not proven: an estimate is never 0.
        const double least = certify ? 0.0 : std::numeric_limits<double>::min();
        const auto bound = [&](double reached) {
            return std::max(radius_ * (std::max(krylov_->upper() - reached, 0.0) / scale), least);
        };
        if (krylov_->value() <= threshold) {  // the origin is best unless σ₁ is above λ after all
            zero(vertex);
            return bound(threshold);
        }
        rank_one(krylov_->left(), krylov_->right(), vertex);
        // Vectors rounded to Real may be a little shorter than one, or longer: only the former counts.
        return bound(certify ? std::min(krylov_->value(), reached(scale, vertex, multiply))
                             : krylov_->value());
    }

    /// scale · uᵀGv of the vectors as they were stored, rounded to Real.
    template <class Multiply>
    double reached(double scale, const Vertex<Real>& vertex, const Multiply& multiply) {
        right_.assign(vertex.right.begin(), vertex.right.end());
        product_.resize(vertex.left.size());
        multiply(scale);
        return std::inner_product(product_.begin(), product_.end(), vertex.left.begin(), 0.0);
    }

    /// With a square: singular values of -g / weight, less the nuclear term's threshold, projected onto the l1
    /// ball.
    double shrink(const Matrix<Real>& gradient, double threshold, double weight, Vertex<Real>& vertex) {
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(largest)) region::reject_gradient<Real>();
        if (largest == 0) return zero(vertex);
        const double scale = kernels::safe_scale(largest);
        const region::ThinSvd<Real> svd(gradient, scale, true);
        Eigen::VectorXd sizes = (svd.values().array() - threshold * scale).max(0.0);
        if (sizes(0) == 0) return zero(vertex);
        project(sizes, static_cast<long double>(weight) * scale);
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(gradient.shape());
        svd.write_negative(sizes, vertex.dense);
        if (composite_.nuclear > 0) vertex.composite += composite_.nuclear * sizes.sum();
        if (composite_.l2 > 0) vertex.composite += composite_.l2 / 2 * sizes.squaredNorm();
        return 0;
    }

    /// Scaled singular values to those of the answer. The extended range lets no product overflow early.
    void project(Eigen::VectorXd& sizes, long double weight) {
        const double largest = sizes(0);
        const auto tightness = static_cast<double>(weight * radius_ / largest);
        if ((sizes / largest).sum() <= tightness) {  // inside without help
            for (double& size : sizes) size = static_cast<double>(size / weight);
            return;
        }
        const auto t = [&](Index i) { return sizes(i); };
        const auto projection = region::project_l1(sizes.size(), t, largest, tightness, product_);
        for (double& size : sizes) size = radius_ * projection(size);
    }

    double radius_;
    Composite composite_;
    int threads_;
    region::GramPair gram_;
    region::LeadingEigenvector leading_;
    std::unique_ptr<region::KrylovPair> krylov_;  // made when a gradient with two long sides comes along
    AlignedVector<double> right_;
    AlignedVector<double> product_;
    Matrix<Real> away_;   // −point of a proximal map
    Matrix<Real> whole_;  // the sum of a gradient's shares
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> nuclear_ball(double radius, const Composite& composite, int threads) {
    verify(RegionSpec{"nuclear", {{"radius", radius}}, composite});
    region::verify_range<Real>(radius);
    Composite h = composite;
    h.nuclear += std::exchange(h.norm, 0);
    return std::make_unique<NuclearBall<Real>>(radius, h, threads);
}

template std::unique_ptr<Region<float>> nuclear_ball(double, const Composite&, int);
template std::unique_ptr<Region<double>> nuclear_ball(double, const Composite&, int);

}  // namespace alfcg

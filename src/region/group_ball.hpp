#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/threads.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/vector.hpp"
#include "region/group_map.hpp"
#include "region/settings.hpp"

namespace alfcg::region {

inline std::string describe_groups(const Groups& groups) {
    const std::string weights = groups.weights == Groups::Weights::root ? ", weighted by their size" : "";
    if (groups.kind == Groups::Kind::features) return "each feature a group" + weights;
    if (groups.kind == Groups::Kind::outputs) return "each output a group" + weights;
    return fmt::format("{} groups{}{}", groups.listed.size(), groups.file.empty() ? "" : " of " + groups.file,
                       weights);
}

/// Ω(x) ≤ radius for a norm of groups (group_norms.hpp), with h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂² + norm Ω(x). Ω depends on magnitudes
/// only, and grows with them: with an l1 term, the answer is that to the soft-thresholded gradient without one. Every oracle here is
/// exact.
template <class Real, class Norm>
class GroupBall final : public Region<Real> {
  public:
    GroupBall(Groups groups, Norm norm, double radius, const Composite& composite, int threads)
        : groups_(std::move(groups)),
          norm_(std::move(norm)),
          radius_(radius),
          composite_(composite),
          threads_(resolve_threads(threads)) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{} ball of radius {}, {}{}", Norm::title, radius_, describe_groups(groups_),
                           region::describe(composite_));
    }

    void check(Shape shape) const override { check_groups(groups_, shape.cols); }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        if (composite_.l2 > 0)
            square(gradient, composite_, vertex);
        else
            linear(gradient, vertex);
        return 0;
    }

    /// All terms over the weight: the oracle's answer to −point with a square more.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (!has_proximal(point.shape())) return false;
        away_.reshape(point.shape());
        kernels::scale_to(point.size(), -1, point.data(), away_.data());
        Composite terms;
        terms.l1 = composite_.l1 / weight;
        terms.l2 = 1 + composite_.l2 / weight;
        terms.norm = composite_.norm / weight;
        square(away_, terms, nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return projects; }

    double composite(const Matrix<Real>& x) override {
        if (composite_.zero()) return 0;
        double value = composite_.norm > 0 ? composite_.norm * own(x) : 0;
        if (composite_.l1 > 0 || composite_.l2 > 0) {
            const kernels::Sums sums = kernels::sums(x.data(), x.size(), 1, threads_);
            value += composite_.l1 * sums.magnitudes + composite_.l2 / 2 * sums.squares;
        }
        return value;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        return 2 * radius_ * norm_.length(GroupMap(groups_, shape));
    }

    double violation(const Matrix<Real>& x) override { return std::max(0.0, own(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override { return own(x); }

  private:
    static constexpr bool projects = requires(Norm norm) { norm.shrunk(Index{}, double{}); };

    const GroupMap& map(Shape shape) {
        if (map_.shape() != shape) map_ = GroupMap(groups_, shape);
        return map_;
    }

    double own(const Matrix<Real>& x) {
        const double largest = kernels::largest_magnitude(x.data(), x.size(), threads_);
        if (std::isnan(largest)) return std::numeric_limits<double>::infinity();
        if (largest == 0) return 0;
        const double scale = kernels::safe_scale(largest);
        return norm_.norm(map(x.shape()), x, Sizes{0, scale}, threads_) / scale;
    }

    /// The dual norm of the scaled gradient less the l1 term's threshold. Ordinary gradients need no scaling, which saves a pass
    /// over them: the norm tells.
    double dual(const Matrix<Real>& gradient, Sizes& sizes) {
        const GroupMap& groups = map(gradient.shape());
        const double value = norm_.dual(groups, gradient, sizes, threads_);
        if (value > 1e-150 && value < 1e150) return value;
        const double largest = kernels::largest_magnitude(gradient.data(), gradient.size(), threads_);
        if (std::isnan(largest)) reject_gradient<Real>();
        if (largest <= sizes.threshold) return 0;
        sizes.scale = kernels::safe_scale(largest - sizes.threshold);
        return norm_.dual(groups, gradient, sizes, threads_);
    }

    static void origin(Shape shape, Vertex<Real>& vertex) {
        vertex.kind = Vertex<Real>::Kind::zero;
        vertex.shape = shape;
        vertex.composite = 0;
    }

    void linear(const Matrix<Real>& gradient, Vertex<Real>& vertex) {
        Sizes sizes{composite_.l1, 1};
        origin(gradient.shape(), vertex);
        if (dual(gradient, sizes) <= composite_.norm * sizes.scale) return;
        const auto entry = [&](Index group, double x) {  // + 0 turns -0 into 0
            return static_cast<Real>(std::copysign(radius_ * norm_.vertex(group, sizes(x)), -x) + 0.0);
        };
        if constexpr (Norm::one_group) {
            write_group(gradient, entry, vertex);
        } else {
            vertex.kind = Vertex<Real>::Kind::dense;
            map_.write(gradient, threads_, entry, vertex.dense);
        }
        vertex.composite = composite_.norm * radius_;
        if (composite_.l1 == 0) return;
        const auto magnitudes = [](const auto& values) {
            return kernels::sums(values.data(), static_cast<Index>(values.size())).magnitudes;
        };
        vertex.composite +=
            composite_.l1 * (vertex.kind == Vertex<Real>::Kind::one_hot  ? std::abs(vertex.scale)
                             : vertex.kind == Vertex<Real>::Kind::sparse ? magnitudes(vertex.values)
                                                                         : magnitudes(vertex.dense.span()));
    }

    /// The entries of the best group, in the form in which they are small.
    template <class Entry>
    void write_group(const Matrix<Real>& gradient, const Entry& entry, Vertex<Real>& vertex) {
        vertex.kind = Vertex<Real>::Kind::sparse;
        vertex.positions.clear();
        vertex.values.clear();
        const Index group = norm_.best();
        map_.visit(group, [&](Index k) {
            const Real value = entry(group, static_cast<double>(gradient.data()[k]));
            if (value == 0) return;
            vertex.positions.push_back(k);
            vertex.values.push_back(value);
        });
        if (vertex.positions.size() != 1) return;
        vertex.kind = Vertex<Real>::Kind::one_hot;
        vertex.index = vertex.positions.front();
        vertex.scale = static_cast<double>(vertex.values.front());
    }

    /// With a square. All magnitudes are measured in units in which the gradient is of ordinary size; the extended range lets no
    /// product of the units overflow early.
    void square(const Matrix<Real>& gradient, const Composite& terms, Vertex<Real>& vertex) {
        if constexpr (projects) {
            Sizes sizes{terms.l1, 1};
            origin(gradient.shape(), vertex);
            const double top = dual(gradient, sizes);
            const double own = terms.norm * sizes.scale;
            if (top <= own) return;
            const long double unit = static_cast<long double>(terms.l2) * sizes.scale;
            // A radius under half a unit in the last place of the gradient leaves nothing but the best entries.
            const double radius = static_cast<double>(
                std::clamp<long double>(unit * radius_, static_cast<long double>(top) * 0x1p-60L, 1e300L));
            vertex.kind = Vertex<Real>::Kind::dense;
            if (own == 0 && norm_.norm(map_, gradient, sizes, threads_) <= radius) {
                const auto scale = static_cast<double>(1 / unit);
                write(
                    gradient, sizes, scale, [](Index, double a) { return a; }, vertex);
            } else {
                const bool active = norm_.shrink(map_, gradient, sizes, own, radius, threads_);
                const double scale = active ? radius_ / radius : static_cast<double>(1 / unit);
                write(
                    gradient, sizes, scale, [&](Index group, double a) { return norm_.shrunk(group, a); },
                    vertex);
            }
            vertex.composite = composite(vertex.dense);
        }
    }

    template <class Entry>
    void write(const Matrix<Real>& gradient, const Sizes& sizes, double scale, const Entry& entry,
               Vertex<Real>& vertex) {
        map_.write(
            gradient, threads_,
            [&](Index group, Real x) {
                const auto g = static_cast<double>(x);
                return static_cast<Real>(std::copysign(scale * entry(group, sizes(g)), -g) + 0.0);
            },
            vertex.dense);
    }

    Groups groups_;
    Norm norm_;
    double radius_;
    Composite composite_;
    int threads_;
    GroupMap map_;
    Matrix<Real> away_;  // −point of a proximal map
};

}  // namespace alfcg::region

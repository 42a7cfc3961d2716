#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "alfcg/core/matrix.hpp"
#include "alfcg/point/iterate.hpp"

namespace alfcg {

/// Weights of h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂² + nuclear ‖x‖_* + norm ‖x‖ + entropy Σ x log x, where ‖x‖ is the norm whose ball
/// the region is.
struct Composite {
    double l1 = 0;
    double l2 = 0;
    double nuclear = 0;
    double norm = 0;
    double entropy = 0;

    [[nodiscard]] bool zero() const { return *this == Composite{}; }
    bool operator==(const Composite&) const = default;
};

/// A region that is a ball around the origin, as a method sees it that knows how to work in one.
struct Ball {
    enum class Norm { lp, nuclear };
    Norm norm = Norm::lp;
    double p = 2;  // of the l_p norm of the entries
    double radius = 1;
    Composite composite;
};

/// A compact convex set X with its composite term h, reached through a linear minimisation oracle.
/// A region keeps scratch memory between calls: share one between threads only with care of your own.
template <class Real>
class Region {
  public:
    virtual ~Region() = default;

    /// "nuclear ball of radius 10 + 0.1 ‖x‖_*".
    [[nodiscard]] virtual std::string describe() const = 0;

    /// Throws a QuantityError in plain words when points of this shape do not suit the region. Runs begin with it.
    virtual void check(Shape /*shape*/) const {}

    /// vertex ∈ argmin_{v∈X} <g,v> + h(v), with vertex.composite = h(vertex).
    /// An iterative oracle may stop once it is within `tolerance` (≥ 0) of the minimum; 0 asks for the best
    /// it can do. Returns a proven bound on how far <g,v> + h(v) may lie above the minimum: 0 when the answer
    /// is exact (to rounding). With certify = false an iterative oracle may skip the proof and return its
    /// best estimate.
    virtual double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                            Vertex<Real>& vertex) = 0;

    /// Whether minimize() takes a share of a gradient of this shape (Matrix::shared_by), all of these ranks calling it with theirs, and that is
    /// worth while.
    [[nodiscard]] virtual bool takes_shares(Shape /*shape*/, const Ranks& /*ranks*/) const { return false; }

    /// Whether it keeps vertices that it answered with before, and one of them with <g,v> + h(v) at most `value`; false where
    /// there is none. It costs less than the oracle and promises nothing about the minimum: runs go there where that is enough.
    [[nodiscard]] virtual bool remembers() const { return false; }
    virtual bool recall(const Matrix<Real>& /*gradient*/, double /*value*/, Vertex<Real>& /*vertex*/) {
        return false;
    }
    /// The same for a gradient that is zero but at the places of a pattern, where its entries are these. Throws Error where the region
    /// needs all of a gradient.
    virtual double minimize_at(const Pattern& pattern, const Matrix<Real>& entries, double tolerance,
                               bool certify, Vertex<Real>& vertex);

    /// nearest = argmin_{u∈X} (weight/2) ‖u − point‖² + h(u), weight > 0, with nearest.composite = h(nearest): the proximal map,
    /// which is the projection where h = 0. False where the region has none that is cheap for points of this shape.
    virtual bool proximal(const Matrix<Real>& /*point*/, double /*weight*/, Vertex<Real>& /*nearest*/) {
        return false;
    }

    /// Whether it has one for them.
    [[nodiscard]] virtual bool has_proximal(Shape /*shape*/) const { return false; }

    /// h(x).
    virtual double composite(const Matrix<Real>& x) = 0;
    virtual double composite_of(const Factors<Real>& x);
    /// Euclidean diameter of the set for points of this shape.
    [[nodiscard]] virtual double diameter(Shape shape) const = 0;
    /// How far x lies outside: 0 for a point of the set, else ‖x‖/r − 1 for a ball, or the like.
    virtual double violation(const Matrix<Real>& x) = 0;
    virtual double violation_of(const Factors<Real>& x);
    /// A point of the set to start from: the origin if it is one.
    virtual Matrix<Real> start(Shape shape);
    /// ‖x‖, where the region is {‖x‖ ≤ radius} for a norm and a parameter of that name; none where it is something else.
    virtual std::optional<double> norm(const Matrix<Real>& /*x*/) { return std::nullopt; }
    /// What ball it is, of those that a method may know its way about in; none where it is something else.
    [[nodiscard]] virtual std::optional<Ball> ball() const { return std::nullopt; }

    /// What it remembers from one call to the next, for checkpoints: where a search begins, vertices that may be recalled.
    virtual void archive(Archive& /*state*/) {}
};

/// A violation of a starting point that counts as rounding.
inline constexpr double feasibility_slack = 1e-5;
/// h at an iterate, and how far that lies outside.
template <class Real>
double composite_at(Region<Real>& region, const Iterate<Real>& x) {
    return x.factors() == nullptr ? region.composite(x.matrix()) : region.composite_of(*x.factors());
}
template <class Real>
double violation_at(Region<Real>& region, const Iterate<Real>& x) {
    return x.factors() == nullptr ? region.violation(x.matrix()) : region.violation_of(*x.factors());
}

/// Where x lies outside, the point of the region on the way from its start (of a ball: the centre) to x that is nearest to
/// x, to rounding; else x as it is. Throws Error when x is not finite.
template <class Real>
Matrix<Real> scaled_into(Region<Real>& region, Matrix<Real> x);

/// ‖x‖_p ≤ radius entrywise, 1 ≤ p ≤ ∞. Composite terms: l1, l2, or both. Large gradients are shared among
/// `threads` threads, 0: all cores.
template <class Real>
std::unique_ptr<Region<Real>> lp_ball(double p, double radius, const Composite& composite = {},
                                      int threads = 0);

/// ‖x‖_* ≤ radius. Composite terms: nuclear, l2, or both. Threads as above.
template <class Real>
std::unique_ptr<Region<Real>> nuclear_ball(double radius, const Composite& composite = {}, int threads = 0);

/// A set given by the caller's oracle, which writes argmin_{v∈X} <g,v> + h(v) to its second argument.
template <class Real>
struct CustomRegion {
    std::function<void(std::span<const Real> gradient, std::span<Real> vertex)> oracle;
    double diameter = 0;
    std::function<double(std::span<const Real> x)> composite;  // h; none: 0
    std::function<double(std::span<const Real> x)> violation;  // none: every point counts as inside
    std::function<void(std::span<Real> x)>
        start;  // writes a point of the set; none: the origin where `violation` says
                // that it is one, else what the oracle answers to a zero gradient
    std::string name = "custom region";
    std::function<void(std::span<const Real> point, double weight, std::span<Real> nearest)> proximal =
        {};  // writes argmin_{u∈X} (weight/2) ‖u − point‖² + h(u); none: methods that need it do not work
};
template <class Real>
std::unique_ptr<Region<Real>> custom_region(CustomRegion<Real> custom);

}  // namespace alfcg

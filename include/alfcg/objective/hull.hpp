#pragma once

#include <span>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/point/iterate.hpp"

namespace alfcg {

/// f over the hull of a few points, as a function of their weights, which add up to 1. What f makes of each point is kept, so that
/// looking around costs what the points hold where f is a linear model's, and only there less than f does. The objective must outlive it.
template <class Real>
class Hull {
  public:
    virtual ~Hull() = default;

    [[nodiscard]] Index count() const { return std::ssize(points_); }
    [[nodiscard]] const Vertex<Real>& point(Index k) const { return points_[static_cast<std::size_t>(k)]; }
    /// Memory that a point takes.
    [[nodiscard]] virtual Index point_bytes() const = 0;
    /// What a call costs with the points there are, as a share of a pass over all of the data.
    [[nodiscard]] virtual double share() const = 0;

    virtual void add(const Vertex<Real>& point) { points_.push_back(point); }
    virtual void remove(Index k) { points_.erase(points_.begin() + k); }
    /// The first point, if any, becomes x. Where `here`, that is the point looked at last, of which everything is known.
    virtual void set_first(const Iterate<Real>& x, bool here) = 0;
    /// The first point becomes the mean of itself and of point k, with these weights, and point k leaves.
    virtual void merge(Index k, double weight_of_first, double weight_of_k) = 0;
    /// Σ weights_k · point k.
    void combine(std::span<const double> weights, Matrix<Real>& x) const;

    /// f at these weights, and its derivatives by them; the other calls look from there.
    virtual double evaluate(std::span<const double> weights, std::span<double> gradient) = 0;
    /// The next calls go along d, whose entries add up to 0.
    virtual void aim(std::span<const double> d) = 0;
    /// f at weights + step · d.
    virtual double value_after(double step) = 0;
    /// weights += step · d: f there, and its derivatives.
    virtual double advance(double step, std::span<double> gradient) = 0;
    /// Second derivatives there, nearly; they hold along directions whose entries add up to 0.
    virtual void curvatures(Matrix<double>& matrix) = 0;

    /// Where x moves next, the intercept will be that of the point looked at last.
    virtual void leave_intercept(const Iterate<Real>& /*x*/) const {}

    /// The points, and what it knows of them, for checkpoints.
    virtual void archive(Archive& state) { state(points_); }

  protected:
    void write_first(const Iterate<Real>& x);
    void merge_points(Index k, double weight_of_first, double weight_of_k);

    std::vector<Vertex<Real>> points_;
};

}  // namespace alfcg

#include "region/min_norm_point.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace alfcg::region {

namespace {

// A distance need not be known better than this, relative to itself.
constexpr double distance_accuracy = 1e-9;

/// Points whose convex combination is the nearest one so far, and how it is combined.
class Corral {
  public:
    explicit Corral(Eigen::Index size) : points_(size, 0) {}

    [[nodiscard]] Eigen::Index count() const { return points_.cols(); }
    [[nodiscard]] Eigen::VectorXd nearest() const { return points_ * weights_; }
    [[nodiscard]] bool has(const Eigen::VectorXd& point) const {
        for (Eigen::Index k = 0; k < count(); ++k)
            if (points_.col(k) == point) return true;
        return false;
    }

    void add(const Eigen::VectorXd& point) {
        const Eigen::Index last = count();
        points_.conservativeResize(Eigen::NoChange, last + 1);
        points_.col(last) = point;
        gram_.conservativeResize(last + 1, last + 1);
        gram_.col(last) = points_.transpose() * point;
        gram_.row(last) = gram_.col(last).transpose();
        weights_.conservativeResize(last + 1);
        weights_[last] = last == 0 ? 1 : 0;
    }

    /// Goes to the point of least norm of their convex hull's face; points that are not needed leave.
    void settle() {
        for (;;) {
            const Eigen::VectorXd aim = affine_weights();
            double step = 1;
            Eigen::Index blocking = -1;
            for (Eigen::Index k = 0; k < count(); ++k) {
                if (aim[k] > 0) continue;
                const double share = weights_[k] > 0 ? weights_[k] / (weights_[k] - aim[k]) : 0;
                if (share >= step && blocking >= 0) continue;
                step = share;
                blocking = k;
            }
            weights_ += step * (aim - weights_);
            if (blocking < 0) return;
            remove(blocking);
            if (count() == 1) {
                weights_[0] = 1;
                return;
            }
        }
    }

  private:
    /// Of the point of least norm in the affine hull. Normal equations lose digits; what is left over is solved for again.
    [[nodiscard]] Eigen::VectorXd affine_weights() const {
        const Eigen::Index k = count();
        const double unit = std::max(gram_.diagonal().maxCoeff(), 1e-300);
        const Eigen::MatrixXd system = gram_ / unit + Eigen::MatrixXd::Ones(k, k);
        const Eigen::LDLT<Eigen::MatrixXd> factored(system);
        Eigen::VectorXd weights = factored.solve(Eigen::VectorXd::Ones(k));
        weights /= weights.sum();
        for (int round = 0; round < 3; ++round) {
            const Eigen::VectorXd slopes = points_.transpose() * (points_ * weights) / unit;
            Eigen::VectorXd change = factored.solve(Eigen::VectorXd(-slopes));
            const Eigen::VectorXd ones = factored.solve(Eigen::VectorXd::Ones(k));
            change -= change.sum() / ones.sum() * ones;
            weights += change;
        }
        return weights;
    }

    void remove(Eigen::Index k) {
        const Eigen::Index last = count() - 1;
        points_.col(k) = points_.col(last);
        points_.conservativeResize(Eigen::NoChange, last);
        gram_.row(k) = gram_.row(last);
        gram_.col(k) = gram_.col(last);
        gram_.conservativeResize(last, last);
        weights_[k] = weights_[last];
        weights_.conservativeResize(last);
    }

    Eigen::MatrixXd points_;
    Eigen::MatrixXd gram_;
    Eigen::VectorXd weights_;
};

}  // namespace

double relative_distance(std::span<const double> x, const Supporter& support, double rounding) {
    const auto size = static_cast<Eigen::Index>(x.size());
    const Eigen::Map<const Eigen::VectorXd> centre(x.data(), size);
    if (!centre.allFinite()) return std::numeric_limits<double>::infinity();
    Eigen::VectorXd nearest = Eigen::VectorXd::Zero(size);
    Eigen::VectorXd point(size);
    double farthest = 0;
    Corral corral(size);
    const Eigen::Index most = 50 * (size + 10);
    for (Eigen::Index round = 0; round < most; ++round) {
        support({nearest.data(), x.size()}, {point.data(), x.size()});
        point -= centre;
        farthest = std::max(farthest, point.norm());
        if (farthest == 0) return 0;
        const double square = nearest.squaredNorm();
        if (round > 0) {
            if (std::sqrt(square) <= rounding * farthest) return 0;
            if (square - nearest.dot(point) <= distance_accuracy * square || corral.has(point)) break;
        }
        corral.add(point);
        corral.settle();
        Eigen::VectorXd next = corral.nearest();
        if (round > 0 && !(next.squaredNorm() < square)) break;  // rounding hides the rest
        nearest = std::move(next);
    }
    return nearest.norm() > rounding * farthest ? nearest.norm() / farthest : 0;
}

}  // namespace alfcg::region

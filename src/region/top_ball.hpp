#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/threads.hpp"
#include "region/absolute.hpp"
#include "region/ranked.hpp"

namespace alfcg::region {

/// What the balls of norms of sorted magnitudes share; h(x) = l1 ‖x‖₁ + (l2/2) ‖x‖₂².
template <class Real>
class TopBall : public Region<Real> {
  public:
    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) final {
        if (composite_.l2 > 0) {
            settle(gradient, -1, composite_.l1, composite_.l2, vertex);
            return 0;
        }
        const Shrunken<Real> t(gradient, composite_.l1, threads_);
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        if (t.zero())
            vertex.kind = Vertex<Real>::Kind::zero;
        else
            best(t, vertex);
        return 0;
    }

    /// All terms over the weight: the oracle's answer to −point with a square more.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) final {
        settle(point, 1, composite_.l1 / weight, 1 + composite_.l2 / weight, nearest);
        return true;
    }
    [[nodiscard]] bool has_proximal(Shape /*shape*/) const final { return true; }

    double composite(const Matrix<Real>& x) final {
        if (composite_.zero()) return 0;
        const kernels::Sums sums = kernels::sums(x.data(), x.size(), 1, threads_);
        return composite_.l1 * sums.magnitudes + composite_.l2 / 2 * sums.squares;
    }
    double violation(const Matrix<Real>& x) final { return std::max(0.0, *this->norm(x) / radius_ - 1); }

  protected:
    TopBall(double radius, const Composite& composite, int threads)
        : radius_(radius), composite_(composite), threads_(resolve_threads(threads)) {}

    /// A vertex that wins the dual norm of t, some of which is not zero; its shape is set, and its composite is 0.
    virtual void best(const Shrunken<Real>& t, Vertex<Real>& vertex) = 0;
    /// to = the point of the ball of that radius nearest to sizes from 1 downwards, the largest of n of them.
    virtual void project(std::span<const double> sizes, Index n, double radius, std::vector<double>& to) = 0;

    double radius_;
    Composite composite_;
    int threads_;

  private:
    /// The point that minimises −<sign·a, x> + threshold ‖x‖₁ + (weight/2) ‖x‖²: next to the magnitudes beyond the threshold, over
    /// the weight.
    void settle(const Matrix<Real>& a, double sign, double threshold, double weight, Vertex<Real>& vertex) {
        const Shrunken<Real> t(a, threshold, threads_);
        vertex.shape = a.shape();
        vertex.composite = 0;
        if (t.zero()) {
            vertex.kind = Vertex<Real>::Kind::zero;
            return;
        }
        constexpr double longest = 1e300;
        const double unit = std::min(t.unit() / weight, longest);
        ranked_.rank(t);
        project(ranked_.sizes(), t.size(), radius_ / unit, sizes_);
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(a.shape());
        vertex.dense.fill(0);
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            const Index i = ranked_.at(k);
            vertex.dense.data()[i] = t.against(i, -sign * unit * sizes_[k]);
        }
        vertex.composite = composite(vertex.dense);
    }

    Ranked<Real> ranked_;
    std::vector<double> sizes_;
};

}  // namespace alfcg::region

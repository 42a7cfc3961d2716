#pragma once

#include <memory>
#include <vector>

#include "alfcg/region/region.hpp"
#include "corrective/nuclear_point.hpp"
#include "corrective/sketch.hpp"

namespace alfcg::faces {

/// The matrices with the l_p norm of w, 2 ≤ p < ∞, to second order; where the norm does not count, all matrices.
class LpFace {
  public:
    LpFace(const Dense& w, double p, double size, double multiplier, bool bound);

    [[nodiscard]] const Dense& slope() const { return slope_; }
    void project(Dense& d) const;
    void add_curvature(const Dense& d, Dense& sum) const;

    void expect(double curvature);
    void expect(const Sketch& sketch, double weight, bool turned);
    void precondition(Dense& d) const;

  private:
    void divide(Dense& d) const;
    void remember_slope();

    bool bound_;
    Dense slope_;
    Dense bends_;  // of the norm, times the multiplier, entry by entry

    Dense scales_;  // what slopes are divided by
    const Sketch* sketch_ = nullptr;
    std::vector<Eigen::MatrixXd> gains_;  // by output: what the sketch adds there
    Dense divided_slope_;
    double slope_length_ = 1;
};

/// ‖·‖_p of all entries, as a descent sees it.
class LpNorm {
  public:
    struct State {
        double size = 0;
        [[nodiscard]] double sum() const { return size; }
    };
    struct Shape {};
    static constexpr bool short_first = false;

    LpNorm(double p, double radius);

    [[nodiscard]] State look(const Dense& w) { return {size(*ball_, w)}; }
    [[nodiscard]] State nearest(double threshold, double radius, Shape any, Dense& w);
    [[nodiscard]] static Shape any(const Dense& /*w*/) { return {}; }
    [[nodiscard]] static Shape shape(const State& /*state*/) { return {}; }
    [[nodiscard]] double dual(const Dense& g) { return size(*dual_, g); }
    [[nodiscard]] static double multiplier(const State& state, const Dense& w, const Dense& g) {
        return state.size > 0 ? -w.cwiseProduct(g).sum() / state.size : 0;
    }
    [[nodiscard]] LpFace face(const State& state, const Dense& w, double multiplier, bool bound) const {
        return {w, p_, state.size, multiplier, bound};
    }

  private:
    double size(Region<double>& ball, const Dense& w);

    double p_;
    std::unique_ptr<Region<double>> ball_;
    std::unique_ptr<Region<double>> dual_;
    Matrix<double> copy_;
    Vertex<double> nearest_;
};

}  // namespace alfcg::faces

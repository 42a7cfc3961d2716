#pragma once

#include "corrective/nuclear_point.hpp"
#include "corrective/sketch.hpp"

namespace alfcg::faces {

/// The matrices of w's rank around w, which the nuclear norm is smooth on, to second order: the directions that stay among them, and how
/// the norm bends along those. Where the norm costs nothing, all matrices are smooth.
class Face {
  public:
    /// `multiplier`: what a unit of the norm costs. `bound`: the norm has to stay what it is.
    Face(const Spectrum& spectrum, const Dense& w, double multiplier, bool bound);

    /// left · right, the slope of the norm.
    [[nodiscard]] Dense slope() const { return product<Dense>(left_, right_); }
    /// What of d stays on the face.
    void project(Dense& d) const;
    /// sum += multiplier · (second derivative of the norm) d, for a d of the face.
    void add_curvature(const Dense& d, Dense& sum) const;

    /// What multiplies a slope to give a step, roughly, as long as nothing better is known: f bends by `curvature` everywhere.
    void expect(double curvature);
    /// Better: f bends by `weight` times what the sketch says along the longer side of w, or the shorter one where w is `turned`.
    void expect(const Sketch& sketch, double weight, bool turned);
    void precondition(Dense& d) const;

  private:
    double multiplier_;
    bool bound_;
    Dense left_;   // short side x rank
    Dense right_;  // rank x long side
    Eigen::VectorXd values_;
    Eigen::VectorXd bend_;  // multiplier / values

    Dense scaling_;                    // from the left
    const Sketch* sketch_ = nullptr;   // along the longer side
    Dense gains_;                      // rank x directions: what the sketch adds to the scaling there
    Eigen::RowVectorXd beside_gains_;  // the same beside `left`
};

/// ‖·‖_*, as a descent sees it: what is known of a point, and what is near it.
class NuclearNorm {
  public:
    using State = Spectrum;
    using Shape = Eigen::Index;  // a rank
    static constexpr bool short_first = true;

    [[nodiscard]] static State look(Dense& w);
    /// The nearest point of the shape with ‖w‖ ≤ radius after its norm has lost the threshold.
    [[nodiscard]] static State nearest(double threshold, double radius, Shape rank, Dense& w) {
        return shrink(threshold, radius, rank, w);
    }
    [[nodiscard]] static Shape any(const Dense& w) { return w.rows(); }
    [[nodiscard]] static Shape shape(const State& state) { return state.rank(); }
    [[nodiscard]] static double dual(const Dense& g) { return largest_singular_value(g); }
    /// What the norm costs at w where it is balanced by the slope g.
    [[nodiscard]] static double multiplier(const State& state, const Dense& w, const Dense& g);
    [[nodiscard]] static Face face(const State& state, const Dense& w, double multiplier, bool bound) {
        return {state, w, multiplier, bound};
    }
};

}  // namespace alfcg::faces

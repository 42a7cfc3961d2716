#include "corrective/nuclear_inner.hpp"

#include <algorithm>

namespace alfcg::nuclear {

namespace {

constexpr int most_turns = 12;
constexpr int first_steps = 6;  // projected ones, where there is no rank yet
// More of them are made as long as each leaves less than this share of the gap.
constexpr double fast_steps = 0.8;
// Second derivatives that a Newton step looks at. Where it needs more than it costs to know more about them beforehand, that is done.
constexpr int most_looks = 40;
constexpr int sketch_steps = 3;  // that a sketch is good for
}  // namespace

template <class Real>
Found<Real> go_down(Part<Real>& part, const Ball& ball, double weight, const Matrix<Real>& s,
                    const Matrix<Real>* slopes, const Effort& effort, Knowledge& knowledge) {
    Smooth<Real> smooth(part, weight, ball.composite.l2);
    Point gradient;
    if (part.free_columns() > 0) {
        smooth.evaluate(smooth.point(s), gradient);
        smooth.centre(knowledge.curvature);
    }
    const Point from = smooth.point(s);
    const double value = slopes == nullptr ? smooth.evaluate(from, gradient)
                                           : smooth.tilt(from, smooth.gradient(*slopes), gradient);
    smooth.stiffen(effort.stiffness);
    Sketch& sketch = knowledge.sketch;
    Descent<Real> descent(smooth, ball, sketch, knowledge.curvature);
    descent.start(from, value, gradient);
    const double enough = effort.gap_share * descent.gap();
    const double price = Sketch::cost(part);
    double sketched = 0;
    ++knowledge.sketch_age;
    const auto passes = [&] { return (sketched + static_cast<double>(smooth.calls())) * part.share(); };
    for (int turn = 0; turn < most_turns; ++turn) {
        const bool projected =
            descent.projected_steps(descent.norm() == 0 ? first_steps : 1, fast_steps, enough);
        if (descent.gap() <= enough) break;
        const int most = sketch.empty() ? std::clamp(static_cast<int>(price), 1, most_looks) : most_looks;
        const bool newton = descent.newton_step(most);
        if (!newton && !projected) break;
        knowledge.looks += descent.looks();
        const bool pays = knowledge.looks >= 2 * price || descent.looks() >= price;
        if (pays && (sketch.empty() || knowledge.sketch_age > sketch_steps)) {
            sketch.refresh(part);
            sketched += price;
            knowledge.sketch_age = 0;
            knowledge.looks = 0;
        }
        if (descent.gap() <= enough || passes() > effort.passes) break;
    }
    knowledge.curvature = descent.curvature();

    Found<Real> found;
    smooth.write(descent.at(), found.s);
    found.composite =
        ball.composite.nuclear * descent.norm() + ball.composite.l2 / 2 * descent.at().w.squaredNorm();
    found.bend = (descent.gradient().w - gradient.w).cwiseProduct(descent.at().w - from.w).sum();
    found.passes = passes();
    return found;
}

template Found<float> go_down(Part<float>&, const Ball&, double, const Matrix<float>&, const Matrix<float>*,
                              const Effort&, Knowledge&);
template Found<double> go_down(Part<double>&, const Ball&, double, const Matrix<double>&,
                               const Matrix<double>*, const Effort&, Knowledge&);

}  // namespace alfcg::nuclear

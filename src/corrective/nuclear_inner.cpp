#include "corrective/nuclear_inner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alfcg::nuclear {

namespace {

constexpr int most_turns = 12;
constexpr int first_steps = 6;  // projected ones, where there is no rank yet
// Second derivatives that a Newton step looks at. Where it needs more than it costs to know more about them beforehand, that is done.
constexpr int most_looks = 40;
constexpr int sketch_steps = 3;  // that a sketch is good for
// Share of the slope that a step must keep, and of the last place of f that it must go down by.
constexpr double step_descent = 0.1;
constexpr double step_rounding = 0.25;
constexpr int most_steps = 12;

}  // namespace

template <class Real>
Found<Real> go_down(Part<Real>& part, const Ball& ball, double weight, const Matrix<Real>& s,
                    const Matrix<Real>* slopes, const Effort& effort, Knowledge& knowledge) {
    Smooth<Real> smooth(part, weight, ball.composite.l2);
    const Point from = smooth.point(s);
    Point gradient;
    const double value = slopes == nullptr ? smooth.evaluate(from, gradient)
                                           : smooth.tilt(from, smooth.point(*slopes), gradient);
    Sketch& sketch = knowledge.sketch;
    Descent<Real> descent(smooth, ball, sketch, knowledge.curvature);
    descent.start(from, value, gradient);
    const double enough = effort.gap_share * descent.gap();
    const double price = Sketch::cost(part);
    const int many_looks = std::max(static_cast<int>(price), 1);
    double sketched = 0;
    ++knowledge.sketch_age;
    const auto passes = [&] { return (sketched + static_cast<double>(smooth.calls())) * part.share(); };
    for (int turn = 0; turn < most_turns; ++turn) {
        const bool projected = descent.projected_steps(descent.norm() == 0 ? first_steps : 1);
        if (descent.gap() <= enough) break;
        const bool newton = descent.newton_step(sketch.empty() ? many_looks : most_looks);
        if (!newton && !projected) break;
        if (descent.looks() >= many_looks && (sketch.empty() || knowledge.sketch_age > sketch_steps)) {
            sketch.refresh(part);
            sketched += price;
            knowledge.sketch_age = 0;
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

template <class Real>
bool search_line(Run<Real>& run, const Proposal<Real>& seen, const Move<Real>& move, double slope,
                 double& step) {
    const double before = *seen.value + seen.composite;
    const double least =
        step_rounding * static_cast<double>(std::numeric_limits<Real>::epsilon()) * std::abs(before);
    slope += move.atom().composite - seen.composite;
    if (!(slope < 0)) return false;
    step = 1;
    for (int trial = 0; trial < most_steps; ++trial) {
        ++run.account().counters.function_evaluations;
        const double reached = run.objective().value_after(run.x(), move, step) +
                               (1 - step) * seen.composite + step * move.atom().composite;
        if (reached <= before + step_descent * step * slope) return reached < before - least;
        // Where the parabola through both ends has its lowest point.
        const double bend = reached - before - step * slope;
        step *= std::clamp(bend > 0 ? -step * slope / (2 * bend) : 0.5, 0.1, 0.7);
    }
    return false;
}

template Found<float> go_down(Part<float>&, const Ball&, double, const Matrix<float>&, const Matrix<float>*,
                              const Effort&, Knowledge&);
template Found<double> go_down(Part<double>&, const Ball&, double, const Matrix<double>&,
                               const Matrix<double>*, const Effort&, Knowledge&);
template bool search_line(Run<float>&, const Proposal<float>&, const Move<float>&, double, double&);
template bool search_line(Run<double>&, const Proposal<double>&, const Move<double>&, double, double&);

}  // namespace alfcg::nuclear

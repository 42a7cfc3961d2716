#include "corrective/nuclear_inner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alfcg::nuclear {

namespace {

constexpr int most_turns = 12;
constexpr int first_steps = 6;  // projected ones, where there is no rank yet
// More of them are made as long as each leaves less than this share of the gap.
constexpr double fast_steps = 0.8;
// Second derivatives that a Newton step looks at. Where it needs more than it costs to know more about them beforehand, that is done.
constexpr int most_looks = 40;
constexpr int sketch_steps = 3;  // that a sketch is good for
// Share of the slope that a step must keep, and of the last place of f that it must go down by.
constexpr double step_descent = 0.1;
constexpr double step_rounding = 0.25;
constexpr int most_steps = 12;
// Last places of f that are no difference, and the share of the gap that must be left then, at most.
constexpr double no_difference = 2;
constexpr double nearer_share = 0.7;

// Whether the gap is clearly smaller at a point.
template <class Real>
bool is_nearer(Run<Real>& run, double gap, const Vertex<Real>& point) {
    Iterate<Real> there(point.dense);
    there.intercept().at = run.x().intercept().next;
    Matrix<Real> gradient;
    run.full_gradient(there, gradient);
    Vertex<Real> vertex;
    const double slack = run.ask_oracle(gradient, vertex);
    const double found =
        point.composite - vertex.composite - direction_to(vertex, gradient, point.dense).slope + slack;
    return found <= nearer_share * gap;
}

}  // namespace

template <class Real>
Found<Real> go_down(Part<Real>& part, const Ball& ball, double weight, const Matrix<Real>& s,
                    const Matrix<Real>* slopes, const Effort& effort, Knowledge& knowledge) {
    Smooth<Real> smooth(part, weight, ball.composite.l2);
    const Point from = smooth.point(s);
    Point gradient;
    const double value = slopes == nullptr ? smooth.evaluate(from, gradient)
                                           : smooth.tilt(from, smooth.point(*slopes), gradient);
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

template <class Real>
bool search_line(Run<Real>& run, const Proposal<Real>& seen, const Move<Real>& move, double slope,
                 double& step) {
    const double before = *seen.value + seen.composite;
    const double place = static_cast<double>(std::numeric_limits<Real>::epsilon()) * std::abs(before);
    slope += move.atom().composite - seen.composite;
    step = 1;
    // Where f is not convex, a point may be lower although the way there begins uphill.
    for (int trial = 0; trial == 0 || (slope < 0 && trial < most_steps); ++trial) {
        ++run.account().counters.function_evaluations;
        const double reached = run.objective().value_after(run.x(), move, step) +
                               (1 - step) * seen.composite + step * move.atom().composite;
        if (reached <= before + step_descent * step * std::min(slope, 0.0) &&
            reached < before - step_rounding * place)
            return true;
        if (trial == 0 && std::abs(reached - before) <= no_difference * place &&
            is_nearer(run, seen.gap, move.atom()))
            return true;
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

#include "corrective/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alfcg {

namespace {

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
    Iterate<Real> there;
    there.stand_at(run.x());
    there.jump_to(point);
    there.intercept().at = run.x().intercept().next;
    Matrix<Real> gradient;
    run.full_gradient(there, gradient);
    Vertex<Real> vertex;
    const double slack = run.ask_oracle(gradient, vertex);
    const double found =
        point.composite - vertex.composite - direction_to(vertex, gradient, there).slope + slack;
    return found <= nearer_share * gap;
}

}  // namespace

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

template bool search_line(Run<float>&, const Proposal<float>&, const Move<float>&, double, double&);
template bool search_line(Run<double>&, const Proposal<double>&, const Move<double>&, double, double&);

}  // namespace alfcg

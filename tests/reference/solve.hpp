// The loop of spec 2 and the trace of the command line's contract.
#pragma once

#include <sstream>

#include "reference/estimators.hpp"

namespace reference {

// F(x)
inline double objective(const Problem& problem, const Matrix& x) {
    return full_value(problem, x) + composite(problem, x);
}

// <g, x - v> + h(x) - h(v): the gap when g is the exact gradient and v = LMO(g).
inline double gap_towards(const Problem& problem, const Matrix& g, const Matrix& x, const Matrix& v) {
    return inner(g, x - v) + composite(problem, x) - composite(problem, v);
}

// G(x) of spec 1.
inline double exact_gap(const Problem& problem, const Matrix& x) {
    const Matrix g = full_gradient(problem, x);
    return gap_towards(problem, g, x, linear_minimiser(problem, g));
}

// The part of a row that x_t alone decides.
inline TraceRow described(const Problem& problem, std::int64_t t, std::int64_t gradients, const Matrix& x) {
    TraceRow row;
    row.iteration = t;
    row.epochs = static_cast<double>(gradients) / static_cast<double>(problem.rows());
    row.objective = objective(problem, x);
    row.gap = exact_gap(problem, x);
    row.x = x;
    return row;
}

// fw-sliding (spec 4, Lan & Zhou): the iterate reported is y, `step` is gamma.
inline Outcome run_sliding(const Problem& problem, const Settings& settings, std::int64_t iterations) {
    Outcome answer;
    Matrix x = problem.first_point();
    Matrix y = x;
    std::int64_t gradients = 0;
    for (std::int64_t t = 0; t < iterations; ++t) {
        TraceRow row = described(problem, t, gradients, y);
        const double k = static_cast<double>(t) + 1.0;
        const double gamma = 3.0 / (k + 2.0);
        const double beta = 3.0 * settings.lipschitz / (k + 1.0);
        const Matrix z = (1.0 - gamma) * y + gamma * x;
        const Matrix g = full_gradient(problem, z);
        gradients += problem.rows();
        // Conditional gradient steps on <g,u> + (beta/2)||u-x||^2 + h(u) from u = x.
        Matrix u = x;
        for (std::int64_t step = 0; step < settings.inner_steps; ++step) {
            const Matrix slope = g + beta * (u - x);
            const Matrix v = linear_minimiser(problem, slope);
            const double inner_gap = gap_towards(problem, slope, u, v);
            if (inner_gap <= 0.0) break;
            u = u + clipped_ratio(inner_gap, beta * (v - u).squaredNorm()) * (v - u);
        }
        x = u;
        row.step = gamma;
        row.curvature = settings.lipschitz;
        row.error = (g - full_gradient(problem, y)).squaredNorm();
        row.g = g;
        answer.rows.push_back(row);
        y = (1.0 - gamma) * y + gamma * x;
    }
    answer.rows.push_back(described(problem, iterations, gradients, y));
    return answer;
}

inline Outcome run(const Problem& problem, const MethodOptions& options, std::int64_t iterations,
                   Batches& batches) {
    const Settings settings = settings_of(options, problem.rows());
    if (settings.step == StepKind::sliding) return run_sliding(problem, settings, iterations);
    Outcome answer;
    Estimator estimator(problem, settings, batches);
    History history(settings);
    Search search(problem, settings);
    Matrix x = problem.first_point();
    for (std::int64_t t = 0; t < iterations; ++t) {
        TraceRow row = described(problem, t, estimator.used(), x);
        const auto count = static_cast<std::size_t>(t);
        const double alpha = history.alpha(count);
        const Matrix g = estimator.at(t, x, alpha);
        const Matrix v = linear_minimiser(problem, g);
        const Matrix d = v - x;
        const double gap = gap_towards(problem, g, x, v);  // of the estimate, not the exact one
        double eta = 0.0;
        switch (settings.step) {
            case StepKind::open_loop:
                eta = 2.0 / (static_cast<double>(t) + 2.0);
                break;
            case StepKind::power:
                eta = std::pow(static_cast<double>(t) + 1.0, -2.0 / 3.0);
                break;
            case StepKind::short_step:
                row.curvature = settings.lipschitz;
                eta = clipped_ratio(gap, settings.lipschitz * d.squaredNorm());
                break;
            case StepKind::armijo:
                eta = search.armijo(x, d, gap);
                break;
            case StepKind::parameter_free:
                eta = search.parameter_free(t, x, d, g, gap);
                row.curvature = search.curvature();
                break;
            case StepKind::alf:
                row.curvature = history.curvature(count);
                eta = clipped_ratio(gap, *row.curvature * d.squaredNorm());
                break;
            case StepKind::sliding:
                throw std::logic_error("reference: fw-sliding has its own loop");
        }
        row.step = eta;
        if (settings.alpha != AlphaKind::none) row.alpha = alpha;
        row.error = (g - full_gradient(problem, x)).squaredNorm();
        row.g = g;
        row.v = v;
        answer.rows.push_back(row);
        const Matrix next = x + eta * d;
        history.moved(row.curvature.value_or(0.0), (next - x).norm());
        x = next;
    }
    answer.rows.push_back(described(problem, iterations, estimator.used(), x));
    answer.function_evaluations = search.evaluations();
    answer.draws = batches.used();
    return answer;
}

// With the batches of a list, as --batches reads them.
inline Outcome run(const Problem& problem, const MethodOptions& options, std::int64_t iterations,
                   const std::vector<Draw>& draws = {}) {
    Batches batches(draws);
    return run(problem, options, iterations, batches);
}

// With batches drawn here, in the sizes the method wants; the run returns them.
inline Outcome run_drawing(const Problem& problem, const MethodOptions& options, std::int64_t iterations,
                           std::uint64_t seed) {
    Batches batches(seed);
    return run(problem, options, iterations, batches);
}

// The text of a --batches file: one line of row numbers per draw.
inline std::string batches_text(const std::vector<Draw>& draws) {
    std::ostringstream text;
    for (const Draw& draw : draws)
        for (std::size_t k = 0; k < draw.size(); ++k) text << draw[k] << (k + 1 < draw.size() ? ' ' : '\n');
    return text.str();
}

}  // namespace reference

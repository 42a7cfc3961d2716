#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "alfcg/core/matrix.hpp"
#include "alfcg/objective/objective.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/solve/options.hpp"

namespace alfcg {

enum class Status { converged, max_iterations, max_epochs, max_seconds, interrupted };

/// "converged", "max-iterations", …
std::string_view to_text(Status status);

/// Seconds spent in each part of the run.
struct Timings {
    double gradient = 0;
    double oracle = 0;
    double step = 0;
    double metrics = 0;  // exact objective, gap and error, where asked for: not charged to the method

    [[nodiscard]] double method() const { return gradient + oracle + step; }
};

struct Counters {
    Index component_gradients = 0;
    Index function_evaluations = 0;  // by the method itself: line searches
    Index oracle_calls = 0;
};

/// Facts about an iterate on all the data.
struct Metrics {
    double objective = 0;         // F(x) = f(x) + h(x)
    double gap = 0;               // generalised Frank-Wolfe gap: the exact one, or a proven upper bound
    bool gap_exact = true;        // which of the two
    std::optional<double> error;  // ‖g_t − ∇f(x_t)‖², none at the last iterate
};

/// What an observer sees of iteration t: the iterate x_t and the step that is about to be taken from it. At
/// the last iterate there is no step.
template <class Real>
class Snapshot {
  public:
    virtual ~Snapshot() = default;

    Index iteration = 0;
    double epochs = 0;   // spent before g_t was formed
    double seconds = 0;  // the method's own time before g_t was formed
    bool last = false;
    std::optional<double> step;       // η_t
    std::optional<double> curvature;  // L_t, where the method has one
    std::optional<double> alpha;      // α_t, where the method has one

    [[nodiscard]] virtual const Matrix<Real>& x() const = 0;
    /// Computed on the first call for an iterate: costs a pass over the data unless `metrics_free()`.
    [[nodiscard]] virtual const Metrics& metrics() const = 0;
    [[nodiscard]] virtual bool metrics_free() const = 0;
};

enum class Action { proceed, stop };

/// Called once per iterate. Returning `stop` ends the run after the iteration is complete (status
/// `interrupted`).
template <class Real>
using Observer = std::function<Action(const Snapshot<Real>&)>;

template <class Real>
struct Result {
    Status status = Status::max_iterations;
    Matrix<Real> x;
    Metrics metrics;  // at x
    Index iterations = 0;
    double epochs = 0;
    Counters counters;
    Timings seconds;
    Parameters parameters;  // as used, defaults filled in
};

/// Minimises f + h over the region with the method that `options` names. x0 = nullptr starts at the origin;
/// the starting point is never overwritten. Throws Error on bad options and when the objective stops being
/// finite.
template <class Real>
Result<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                   const Observer<Real>& observer = {}, const Matrix<Real>* x0 = nullptr);

}  // namespace alfcg

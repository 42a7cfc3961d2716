#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "alfcg/solve/checkpoints.hpp"
#include "alfcg/solve/limits.hpp"
#include "alfcg/solve/method.hpp"

namespace alfcg {

enum class Status {
    converged,
    max_iterations,
    max_epochs,
    max_seconds,
    interrupted,
    early_stop,  // of a fit: the held-out score got no better
    precision,   // rounding ended the run: no better point can be told from the last one
    max_rank  // x has as many singular values as it may keep, and gets no better with them: the optimum has more
};

/// "converged", "max-iterations", …
std::string_view to_text(Status status);

/// Facts about an iterate on all the data.
struct Metrics {
    double objective = 0;         // F(x) = f(x) + h(x)
    double gap = 0;               // generalised Frank-Wolfe gap: the exact one, or a proven upper bound
    bool gap_exact = true;        // which of the two
    std::optional<double> error;  // ‖g_t − ∇f(x_t)‖², none at the last iterate

    void archive(Archive& state) { state(objective, gap, gap_exact, error); }
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
    std::optional<double> step;           // η_t
    std::optional<double> estimated_gap;  // as g_t has it, at no cost
    std::optional<double> curvature;      // L_t, where the method has one
    std::optional<double> alpha;          // α_t, where the method has one

    [[nodiscard]] virtual const Matrix<Real>& x() const = 0;  // written out, where x is kept as factors
    [[nodiscard]] virtual const Iterate<Real>& iterate() const = 0;
    /// Computed on the first call for an iterate: costs a pass over the data unless `metrics_free()`.
    [[nodiscard]] virtual const Metrics& metrics() const = 0;
    [[nodiscard]] virtual bool metrics_free() const = 0;
    /// The objective's best intercepts at x; empty where it has none. Costs a pass over the data unless there were metrics.
    [[nodiscard]] virtual std::vector<double> intercept() const = 0;
};

enum class Action { proceed, stop };

/// Called once per iterate, if there is one. Returning Action::stop ends the run after the iteration is complete (status
/// `interrupted`); a function that returns nothing never does.
template <class Real>
class Observer {
  public:
    Observer() = default;
    template <std::invocable<const Snapshot<Real>&> See>
    Observer(See see) {  // NOLINT(google-explicit-constructor): a lambda is an observer
        if constexpr (std::is_void_v<std::invoke_result_t<See, const Snapshot<Real>&>>) {
            see_ = [see = std::move(see)](const Snapshot<Real>& snapshot) mutable {
                see(snapshot);
                return Action::proceed;
            };
        } else {
            see_ = std::move(see);
        }
    }

    explicit operator bool() const { return static_cast<bool>(see_); }
    Action operator()(const Snapshot<Real>& snapshot) const {
        return see_ ? see_(snapshot) : Action::proceed;
    }

  private:
    std::function<Action(const Snapshot<Real>&)> see_;
};

/// Of several ranks: an observer for all of them that asks this one on rank 0 alone, and does what it says. Metrics that cost a pass
/// over the data take all ranks, and have them.
template <class Real>
Observer<Real> of_first_rank(Ranks& ranks, Observer<Real> observer);

template <class Real>
struct Result {
    Status status = Status::max_iterations;
    Matrix<Real> x;                        // empty where there are factors
    std::optional<Factors<Real>> factors;  // x, where the objective looks at a few places only
    std::vector<double> intercept;         // the objective's best at x; empty where it has none
    Metrics metrics;                       // at x
    Index iterations = 0;
    double epochs = 0;
    Counters counters;
    Timings seconds;
    std::optional<double> scale;  // ρ that the method worked with, where it has one
};

/// Minimises f + h over the region with this method. x0 = nullptr starts where the region says, the origin if that is
/// inside; the starting point is never overwritten. Throws Error on limits that make no sense, when the objective stops
/// being finite, and when a gap is negative by more than rounding: x or the oracle's answer is not of the region then. A run that goes on
/// from a checkpoint may have other limits, and must be given the same starting point if it is one of factors.
/// An objective of several ranks is solved by all of them together; observers must then look at the same metrics on each: see
/// of_first_rank(). There are no checkpoints of such runs.
template <class Real>
Result<Real> solve(Objective<Real>& objective, Region<Real>& region, Method<Real>& method,
                   const Limits& limits, const std::type_identity_t<Observer<Real>>& observer = {},
                   const Matrix<Real>* x0 = nullptr, const Checkpoints& checkpoints = {});
/// The same from a point in the form that the objective looks at: factors, where that has a pattern.
template <class Real>
Result<Real> solve(Objective<Real>& objective, Region<Real>& region, Method<Real>& method,
                   const Limits& limits, const std::type_identity_t<Observer<Real>>& observer,
                   const Iterate<Real>* x0, const Checkpoints& checkpoints = {});

}  // namespace alfcg

#pragma once

#include <memory>
#include <optional>

#include "alfcg/core/archive.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// The objective along the direction d, for rules that search. Every call is a pass over the data.
class LineFunction {
  public:
    virtual ~LineFunction() = default;
    /// f(x + η d).
    virtual double smooth(double step) = 0;
    /// <∇f(x + η d), d>.
    virtual double slope(double step) = 0;
    /// h(x + η d), at the point of the last call to smooth().
    virtual double composite() = 0;
};

/// What a step rule may look at: scalars only, so that it never learns where the iterate lives.
struct StepInput {
    Index iteration = 0;
    double gap = 0;               // h(x) − h(v) − <g, v − x>: what the estimator promises along d
    double length_squared = 0;    // ‖d‖²
    double slope = 0;             // <g, d>
    std::optional<double> value;  // f(x), where the estimator knows it
    double composite = 0;         // h(x)
    double longest = 1;           // η may go so far
    double rounding = 1e-12;      // of values of f, as a share of them, or of 1 where they are less
};

class StepRule {
  public:
    virtual ~StepRule() = default;

    /// Called before g_t is formed; the momentum α_t when the rule steers the estimator.
    virtual std::optional<double> begin(Index /*iteration*/) { return std::nullopt; }
    /// η_t, from 0 to the longest.
    virtual double step(const StepInput& input, LineFunction& line) = 0;
    /// L_t, where the rule has one.
    [[nodiscard]] virtual std::optional<double> curvature() const { return std::nullopt; }
    /// The scale ρ that the rule works with, where it has one.
    [[nodiscard]] virtual std::optional<double> scale() const { return std::nullopt; }
    /// Called after the move with ‖x_{t+1} − x_t‖.
    virtual void moved(double /*distance*/) {}
    /// What it remembers, for checkpoints.
    virtual void archive(Archive& /*state*/) {}
};

/// min(longest, gap / (L ‖d‖²)); 0 when the gap is not positive or there is nowhere to go (spec 2).
double short_step(double gap, double curvature, double length_squared, double longest = 1);

/// 2/(t+2).
std::unique_ptr<StepRule> open_loop_step();
/// (t+1)^{−power}.
std::unique_ptr<StepRule> power_step(double power);
/// A short step with a given curvature.
std::unique_ptr<StepRule> given_curvature_step(double curvature);
/// From 1, times `contraction` until F(x+ηd) ≤ F(x) − descent·η·gap.
std::unique_ptr<StepRule> armijo_step(double contraction, double descent);
/// A short step with a curvature that is searched: times `increase` while the quadratic model is below f; the
/// next search starts from `decrease` times the accepted one. What a step wins may be less than values of f can show: there
/// slopes are compared instead if that is wanted, and else the step taken on trust.
enum class Below { trusts, compares_slopes };
std::unique_ptr<StepRule> parameter_free_step(double first_curvature, double increase, double decrease,
                                              Below rounding = Below::trusts);
/// Where the slope along d is zero, h taken as linear on the way: found by secants, at most a few slopes a step.
std::unique_ptr<StepRule> secant_step();

}  // namespace alfcg

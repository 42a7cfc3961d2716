#pragma once

#include <limits>
#include <optional>

#include "alfcg/objective/objective.hpp"
#include "alfcg/region/region.hpp"
#include "alfcg/solve/account.hpp"

namespace alfcg {

/// What a method decides at x_t.
template <class Real>
struct Proposal {
    Move<Real> move;  // where to go
    double step = 0;  // how far: η_t, from 0 to the move's longest

    // For the certificate, the trace and observers.
    Matrix<Real> gradient;        // g_t; untouched from one iteration to the next
    std::optional<double> value;  // f(x_t), where g_t is exactly ∇f(x_t)
    double gap = 0;               // h(x) − h(v) − <g_t, v − x>, as the method sees it
    double slack = 0;      // how far v may be from the oracle's best answer for g_t; infinite: not its answer
    double composite = 0;  // h(x_t)
    Direction direction;   // of the move, in the eyes of g_t
    std::optional<double> curvature;  // L_t, where the method has one
    std::optional<double> alpha;      // α_t, where it has one
    bool exhausted = false;           // no better point than x_t can be told from it in this precision

    void archive(Archive& state) {
        state(move, step, gradient, value, gap, slack, composite, direction, curvature, alpha, exhausted);
    }
};

/// The run that a method is part of: what it may look at, and what all methods do alike, counted and timed.
template <class Real>
class Run {
  public:
    Run(Objective<Real>& objective, Region<Real>& region) : objective_(objective), region_(region) {}
    virtual ~Run() = default;
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    [[nodiscard]] Objective<Real>& objective() const { return objective_; }
    [[nodiscard]] Region<Real>& region() const { return region_; }
    [[nodiscard]] const Iterate<Real>& x() const { return x_; }
    [[nodiscard]] Index iteration() const { return iteration_; }
    /// To be told of component gradients and function values that a method computes without help from here.
    Account& account() { return account_; }

    /// ∇f at x_t, or elsewhere; returns f there.
    double full_gradient(Matrix<Real>& gradient) { return full_gradient(x_, gradient); }
    double full_gradient(const Iterate<Real>& at, Matrix<Real>& gradient);
    /// A point that minimises <g, v> + h(v) over the region. Returns a bound on how far it may be from the minimum, or
    /// an estimate of that.
    double ask_oracle(const Matrix<Real>& gradient, Vertex<Real>& vertex);
    /// A point to go to: one that the region remembers, where it promises half of the last gap that the oracle had a say in
    /// (Braun, Pokutta and Zink 2017), of infinite slack; else the oracle's.
    double find_aim(const Matrix<Real>& gradient, Vertex<Real>& vertex);
    /// Makes the proposal's move one towards the oracle's answer for its gradient, and measures it.
    void aim(Proposal<Real>& proposal);
    /// Fills in h(x), the direction of the move, and the gap of one that goes towards a point. Throws Error where they
    /// are not finite.
    void measure(Proposal<Real>& proposal);
    /// Throws Error, which says what to do about it, where a number is none.
    void require_finite(double number) const;
    /// Whether the run will end at x_t, as far as the proposal tells, which has been aimed: work on a step is not worth while then.
    [[nodiscard]] virtual bool ends_at(const Proposal<Real>& /*proposal*/) { return false; }

  protected:
    Objective<Real>& objective_;
    Region<Real>& region_;
    Iterate<Real> x_;
    Index iteration_ = 0;
    Account account_;
    double oracle_tolerance_ = 0;
    double known_gap_ = 0;   // the last that the oracle had a say in
    bool recalled_ = false;  // the last aim was remembered
};

/// A method: looks at an iterate and says where to go from there. Derive from it, or from nothing but a function
/// (see solve), to bring one of your own.
template <class Real>
class Method {
  public:
    virtual ~Method() = default;
    /// Called at x_0, x_1, … with the same proposal.
    virtual void propose(Run<Real>& run, Proposal<Real>& proposal) = 0;
    /// The proposal has been carried out; ‖x_{t+1} − x_t‖.
    virtual void moved(double /*distance*/) {}
    /// Called when a run ends without having converged: may put a point that is known to be better in the
    /// place of the last iterate.
    virtual void conclude(Run<Real>& /*run*/, Iterate<Real>& /*x*/) {}
    /// The scale ρ it works with, where it has one.
    [[nodiscard]] virtual std::optional<double> scale() const { return std::nullopt; }
    /// Whether gradients may be shares of them (Matrix::shared_by): it adds them up with given factors, asks the oracle about them, and
    /// looks at slopes along directions, and at nothing else.
    [[nodiscard]] virtual bool takes_shares() const { return false; }
    /// What it remembers from one iteration to the next, for checkpoints. A method that does not say cannot have any.
    virtual void archive(Run<Real>& run, Archive& state);
};

}  // namespace alfcg

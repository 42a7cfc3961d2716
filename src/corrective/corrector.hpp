#pragma once

#include <memory>

#include "alfcg/solve/method.hpp"

namespace alfcg {

/// The inner steps of the corrective method: minimises f + h exactly enough over the part of a region that is in play, at the cost of
/// that part alone.
template <class Real>
class Corrector {
  public:
    virtual ~Corrector() = default;
    /// Finds a step from x after which f + h is lower, or as low to rounding and nearer to a minimum, from what the oracle said at x;
    /// false where no such point can be told from x in this precision.
    virtual bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) = 0;
    /// Whether f bends about as much along its slope at x as it does elsewhere: plain steps on all of f then do as well.
    virtual bool is_even(Run<Real>& /*run*/) { return false; }
    /// What it remembers from one step to the next, for checkpoints.
    virtual void archive(Run<Real>& run, Archive& state) = 0;
};

/// Over the l_1 ball: on the columns of x that are not zero, and those where f is steepest, as far as so many bytes allow.
template <class Real>
std::unique_ptr<Corrector<Real>> l1_corrector(const Ball& ball, Index memory);

/// Over the nuclear ball: in all of the space on a sample of the rows, or on all rows along a few directions, as far as so many bytes
/// allow.
template <class Real>
std::unique_ptr<Corrector<Real>> nuclear_corrector(const Ball& ball, Index memory);

/// Over the nuclear ball, where x is kept as factors: sweeps over them, with the penalty that keeps them in the ball.
template <class Real>
std::unique_ptr<Corrector<Real>> factor_corrector(const Ball& ball);

/// Over the l_p ball, p ≥ 2, without a term that is not smooth: in all of the space on a sample of the rows.
template <class Real>
std::unique_ptr<Corrector<Real>> lp_corrector(const Ball& ball, Index memory);

/// Over any region with a proximal map: in all of the space, on a quadratic model made of as much as so many bytes allow.
template <class Real>
std::unique_ptr<Corrector<Real>> smooth_corrector(Index memory);

/// Over any region: over the hull of x and the oracle's last answers, as many as may be kept in so many bytes.
template <class Real>
std::unique_ptr<Corrector<Real>> hull_corrector(Index memory);

}  // namespace alfcg

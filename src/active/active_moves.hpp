#pragma once

#include <memory>
#include <optional>

#include "active/active_set.hpp"
#include "calibration/calibrated_step.hpp"
#include "step/step.hpp"

namespace alfcg {

/// Where to go from a point whose atoms are known, besides towards the oracle's answer v (spec 4): a is the atom where f is
/// steepest uphill, s the one where it is steepest downhill.
enum class ActiveMoves {
    away,      // x − a, where that promises more than v − x
    pairwise,  // v − a, always
    blended    // s − a, where that promises more than v − x
};

/// Frank-Wolfe over an active set of atoms: on polytopes its gap falls by a constant factor, since what was a mistake can be
/// given up and need not fade.
template <class Real>
class ActiveMethod final : public Method<Real> {
  public:
    /// Without a rule, steps are calibrated ones.
    ActiveMethod(Objective<Real>& objective, ActiveMoves moves, std::unique_ptr<StepRule> rule);

    void propose(Run<Real>& run, Proposal<Real>& proposal) override;
    void moved(double distance) override;
    void conclude(Run<Real>& run, Iterate<Real>& x) override;
    void archive(Run<Real>& run, Archive& state) override;

    [[nodiscard]] const ActiveSet<Real>& set() const { return set_; }

  private:
    // A move as the set sees it.
    struct Choice {
        enum class Kind { towards, away, across };
        Kind kind = Kind::towards;
        std::optional<std::size_t> to;  // none: the oracle's answer, which may be no atom yet
        std::size_t from = 0;
        double rise = 0;  // of h, on the whole way
    };

    void go_back(Run<Real>& run, Proposal<Real>& proposal);
    Choice choose(Proposal<Real>& proposal, double excess);
    double step_along(Run<Real>& run, Proposal<Real>& proposal, double rise);
    void update_set(const Choice& choice, const Proposal<Real>& proposal);
    void renew_point(Run<Real>& run, Proposal<Real>& proposal);

    ActiveMoves moves_;
    std::unique_ptr<StepRule> rule_;
    std::optional<CalibratedStep<Real>> calibrated_;
    ActiveSet<Real> set_;
    bool judged_ = true;  // whether the last move has been
    double drift_ = 0;    // of x from its atoms, in units of rounding, at most
    Iterate<Real> trial_;
};

}  // namespace alfcg

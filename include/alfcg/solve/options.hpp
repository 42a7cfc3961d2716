#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alfcg/core/matrix.hpp"

namespace alfcg {

/// How ALFCG finds its scale where no ρ is given.
enum class RhoRule {
    automatic,  // found and followed along the way, see docs/calibration.md
    probe       // one look at the curvature along the first direction: ALFCG applied to f/‖∇f(x_0)‖
};

/// Parameters of the methods. One left empty takes the method's default; setting one that the method does not
/// have is an error. `methods()` lists which method has which.
struct Parameters {
    std::optional<double> rho;          // scale of the curvature estimate L_t (ρ); empty: found by rho_rule
    std::optional<RhoRule> rho_rule;    // empty: automatic
    std::optional<double> beta;         // noise parameter of the momentum α_t (β)
    std::optional<double> batch;        // rows per batch (b)
    std::optional<double> period;       // iterations from one reset to the next (q, m)
    std::optional<double> reset;        // rows of a reset; N or more: all of them
    std::optional<double> groups;       // batches whose median is taken (K)
    std::optional<double> lipschitz;    // given curvature L; the first one of a search
    std::optional<double> momentum;     // weight of the past gradient (m)
    std::optional<double> inner_steps;  // steps on the inner problem
    std::optional<double> contraction;  // factor by which a rejected step shrinks
    std::optional<double> descent;      // share of the predicted decrease that is demanded (c)
    std::optional<double> increase;     // factor by which a rejected curvature grows
    std::optional<double> decrease;     // factor by which an accepted one starts the next search
    std::optional<double> power;        // exponent of a decaying schedule
};

struct Options {
    std::string method = "alfcg-d";
    Parameters parameters;

    // The run stops at the first budget that is reached.
    Index max_iterations = std::numeric_limits<Index>::max();
    double max_epochs = std::numeric_limits<double>::infinity();   // component gradients / N
    double max_seconds = std::numeric_limits<double>::infinity();  // the method's own time, metrics excluded
    std::optional<double> gap;  // converged when the exact gap is at most this
    /// Iterations between two looks at the exact gap; 0: every one where it costs nothing, else once an
    /// epoch.
    Index gap_every = 0;

    std::uint64_t seed = 0;
    /// Draw these batches, one after the other, instead of the random stream; the run fails when they run
    /// out.
    std::optional<std::vector<std::vector<Index>>> batches;
    /// Sees every batch drawn.
    std::function<void(std::span<const Index>)> on_draw;

    /// Throws Error when something makes no sense.
    void verify() const;
};

}  // namespace alfcg

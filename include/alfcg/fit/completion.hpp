#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "alfcg/data/observations.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/model/completion.hpp"

namespace alfcg {

/// What is to be completed, and how.
struct CompletionSpecification {
    LossSpec loss{"squared", {}};
    std::optional<double> radius;  // none: the best on observations that are held out
    double hold_out = 0;           // share of the observations; 0: none, but for a radius that is looked for
    bool biases = false;
    std::optional<double> bias_penalty;  // none: the best on what is held out, or 0
    bool refit = false;
    Index rank = 0;  // the largest that may be kept; 0: any
    Options options = default_options();
    int threads = 0;

    static Options default_options();
    /// Throws Error when something makes no sense.
    void verify() const;
};

/// Errors on some observations: root mean square, or the share of wrong signs where values are -1 and 1.
struct RadiusScore {
    double radius = 0;
    double training = 0;
    double held_out = 0;
    Index rank = 0;
    double seconds = 0;
};

/// What came of it.
struct CompletionReport {
    Status status = Status::converged;
    std::string method;
    Index iterations = 0;
    double epochs = 0;
    double seconds = 0;
    Counters counters;
    Metrics metrics;
    Index rank = 0;
    double norm = 0;  // ‖x‖_*
    double radius = 0;
    double bias_penalty = 0;
    double error = 0;                      // on what was trained on
    std::optional<double> held_out;        // on what was not
    std::optional<double> refit_penalty;   // where sweeps made it better
    std::optional<double> refit_held_out;  // their error there, also where they did not
    std::vector<RadiusScore> radii;        // that were tried
    Index trained_on = 0;                  // observations
    Index held_out_count = 0;
    bool on_all = false;  // the model has seen what was held out too, after everything was chosen
};

template <class Real>
struct Completed {
    CompletionModel<Real> model;
    CompletionReport report;
};

/// Sees what goes on.
template <class Real>
struct CompletionWatch {
    Observer<Real> run;                              // the last solve
    std::function<void(const RadiusScore&)> radius;  // each radius that was tried
    std::function<bool()> stop;                      // asked between solves
};

/// Completes a matrix. What is not given (radius, penalty of the biases, whether a refit helps) is chosen on observations that are held out;
/// the model is then fitted to all of them. Throws Error.
template <class Real>
Completed<Real> complete(const Ratings<Real>& ratings, const CompletionSpecification& specification,
                         const CompletionWatch<Real>& watch = {});

}  // namespace alfcg

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
    std::vector<double> radii;     // of these, where there are some; else of those along a path of penalties
    double hold_out = 0;           // share of the observations; 0: none, but for a radius that is looked for
    bool biases = false;
    std::optional<double> bias_penalty;  // none: the best on what is held out, or 0
    bool refit = false;
    Index rank = 0;  // the largest that may be kept; 0: any
    Options options = default_options();
    int threads = 0;
    bool reproducible = false;  // the same bits for every number of threads

    static Options default_options();
    /// That work is divided into.
    [[nodiscard]] int parts() const;
    /// Throws Error when something makes no sense.
    void verify() const;
};

/// Errors on some observations: root mean square, or the share of wrong signs where values are -1 and 1.
struct RadiusScore {
    double radius = 0;
    double training = 0;
    double held_out = 0;
    std::optional<double> refit;  // the error there after a refit, where there is to be one
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
/// the model is then fitted to all of them. Checkpoints are those of the last solve, what was chosen before it is chosen again. `start`: a
/// model of the same rows and columns to begin at, scaled into the ball where it lies outside. Throws Error.
template <class Real>
Completed<Real> complete(Ratings<Real> ratings, const CompletionSpecification& specification,
                         const CompletionWatch<Real>& watch = {},
                         const CompletionModel<Real>* start = nullptr);

/// Factors of rows, of new ones too, from some of their entries: the best for them while the columns of a model stay as they are, with its
/// penalty. Columns are those of the model. Throws Error.
template <class Real>
Matrix<Real> fold_in(const CompletionModel<Real>& model, const Observations<Real>& known, int threads = 0);

}  // namespace alfcg

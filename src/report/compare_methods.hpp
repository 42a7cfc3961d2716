// Methods side by side on one problem, and the folder in which a comparison is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "alfcg/fit/fit.hpp"
#include "report/comparison.hpp"

namespace alfcg {

struct ComparisonPlan {
    std::string methods = "all";  // as select_methods() takes them
    Parameters parameters;        // every method gets those that it has
    Options budget;               // limits, and the first seed
    int seeds = 1;                // of stochastic methods
    double points = 120;          // rows kept of a run's course
    Checkpoints checkpoints;      // written after each run; a comparison goes on from there with the next one

    /// Throws Error for what makes no sense; a parameter that none of the methods has is a slip.
    void verify() const;
    /// The budget, in epochs, of runs that nothing else ends but a gap.
    static constexpr double usual_epochs = 20;
};

struct Comparison {
    std::vector<RunRecord> runs;
    // Methods of a setting that do not work on this problem, and why.
    std::vector<std::pair<std::string, std::string>> left_out;
    bool stopped = false;  // before all runs were done; half a run is not among them
};

struct ComparisonObserver {
    std::function<void(std::size_t done, std::size_t planned, const std::string& next)> before_run;
    std::function<bool()> stop;  // asked at every iterate
};

/// Runs the plan. Throws Error when a method that was named does not work on this problem, or none does.
template <class Real>
Comparison compare_methods(Problem<Real>& problem, const ComparisonPlan& plan,
                           const ComparisonObserver& observer = {});

/// What the report says about a comparison beside its runs.
struct ComparisonHeading {
    std::string data;  // where they come from
    std::string name;  // the same in a word
    std::string command;
    std::string normalization = "none";
    std::string precision;
};

/// Ranking and runs as data.
nlohmann::ordered_json summary_of(const std::string& command, const Comparison& comparison);

/// Writes report.html, summary.json, figures/ and runs/ into the folder, which is made where it is missing; runs of an earlier
/// comparison go. Returns the page's path.
template <class Real>
std::string write_comparison(const std::string& folder, const ComparisonHeading& heading,
                             const Problem<Real>& problem, const Comparison& comparison);

/// "15935 rows, 62061 features, 1272569 non-zeros" and the like.
template <class Real>
std::string describe_features(const Features<Real>& features);

}  // namespace alfcg

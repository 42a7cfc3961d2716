// The runs behind the paper's figures: those that are missing, side by side.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alfcg/data/normalize.hpp"
#include "report/reproduction.hpp"

namespace alfcg {

/// What to run, under whichever parameters.
struct PaperPlan {
    std::vector<int> figures{1, 2, 3, 4, 5, 6, 7};  // increasing
    std::string scale = "small";                    // or "paper": the full sizes
    std::string data_dir;                           // of MNIST
    bool intercept = false;
    Options budget;   // limits; their seconds are CPU time of the thread that a run has to itself
    int seeds = 3;    // of the stochastic methods
    int workers = 0;  // runs at the same time, each on one thread; 0: as many as there are cores
    std::string device =
        "cpu";  // where their passes are made, see Specification; a GPU has one run at a time
    std::string folder = "alfcg-reproduction";  // where the report goes, and finished runs are kept

    /// Throws Error for what makes no sense.
    void verify() const;
    /// The data of a panel at this scale.
    [[nodiscard]] std::string data_name(const std::string& data) const;
};

/// The figures under one choice of parameters and normalisation.
struct PaperComparison {
    Normalization normalization = Normalization::none;
    Parameters parameters;                     // every method gets those that it has
    std::map<std::string, std::string> given;  // the same as they were written
    std::vector<PanelRuns> panels = {};        // what came out
};

struct PaperProgress {
    std::size_t done = 0;
    std::size_t total = 0;
    std::string next;                         // what is about to run
    std::optional<double> seconds_left = {};  // from what runs like those to come have taken
};

/// Who is told, one call at a time.
struct PaperObserver {
    std::function<void(const PaperProgress&)> before_run = {};
    std::function<void(const std::string& why)> mnist_skipped = {};
    std::function<bool()> stop = {};  // asked at every iterate, by every worker
};

/// Runs what is missing and fills in the panels; runs that were finished before are read. What comes out depends on neither the
/// number of workers nor the order of the runs. False when it was stopped: finished runs are kept, half a run is not. Throws Error
/// when a run fails, or none could be made.
template <class Real>
bool run_paper(const PaperPlan& plan, std::vector<PaperComparison>& comparisons,
               const PaperObserver& observer = {});

}  // namespace alfcg

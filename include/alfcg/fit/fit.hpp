#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "alfcg/data/dataset.hpp"
#include "alfcg/data/normalize.hpp"
#include "alfcg/data/view.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/model/model.hpp"
#include "alfcg/objective/objective.hpp"
#include "alfcg/region/spec.hpp"

/// From data to a model in one call: fit(). What it is made of can be had in parts, for several runs on the same data:
/// prepare(), and fit() on what that gives.
namespace alfcg {

class Device;

/// How much the rows of a class count.
struct ClassWeights {
    bool balanced = false;                // as much together as those of any other class
    std::map<std::string, double> given;  // by label; 1 for the others

    /// "", "balanced", or "LABEL:WEIGHT,LABEL:WEIGHT"; throws Error for others.
    static ClassWeights parse(const std::string& text);
    [[nodiscard]] bool any() const { return balanced || !given.empty(); }
};

/// What to minimise, over which set, and how.
struct Specification {
    LossSpec loss{"", {}};          // without a name: from the labels
    RegionSpec region{"", {}, {}};  // without a name: nuclear for a matrix of weights, l1 for a vector

    bool intercept = true;       // one per output, which nothing constrains
    ClassWeights class_weights;  // times the weights of the rows
    Normalization normalization = Normalization::none;
    double hold_out = 0;  // fraction of the rows that is set aside for testing, drawn with options.seed

    Options options = default_options();
    /// Ends a run once so many looks at the held-out rows in a row have found no better score; the best iterate is the
    /// model. A look comes every epoch, later every sixteenth of the epochs so far. 0: off.
    Index patience = 0;
    int threads = 0;  // 0: all cores
    /// Work is divided into parts in one way for every number of threads, so that all of them give the same bits.
    bool reproducible = false;
    /// Where passes over the rows are made: cpu, cuda, cuda:N, or auto: where they take less time, which is measured. A run that goes on from a
    /// checkpoint stays where it was.
    std::string device = "cpu";
    /// One model of the rows of all ranks, each of which makes the same calls. A file or a built-in set is shared out among
    /// them; arrays are what a rank has. Observers are asked on rank 0 alone; what comes back is the same on all.
    Ranks* ranks = nullptr;

    /// Checks all that can be checked before there are data; throws Error, mostly a QuantityError.
    void verify() const;
    /// To a gap of 1e-4 of the objective (see Limits::tolerance), for at most 1000 passes over the data.
    static Options default_options();
};

/// A file or the name of a built-in set, with what is to be known to read it.
struct FileData {
    std::string source;
    ReadOptions read = {};               // its threads are those of the specification
    std::vector<std::string> more = {};  // files whose rows come after those of the first
};

/// Arrays of the caller, which must stay as they are until the problem made from them is gone. A model keeps none of them.
struct ArrayData {
    FeatureView features;
    LabelView labels = {};
    std::string name = "data";  // in messages
    ArrayView weights = {};     // of the rows; none: all alike
};

using Data = std::variant<FileData, ArrayData>;

/// What about one epoch of a run takes on the CPU, or a device.
struct DeviceTime {
    std::string name;
    double seconds = 0;
};

/// Data, objective and region, ready to solve.
template <class Real>
struct Problem {
    Dataset<Real> training;                 // scaled
    std::optional<Dataset<Real>> held_out;  // as it came
    Scaling scaling;
    Classes classes;  // of the rows that train; rows of weight 0 are neither here nor there
    LossSpec loss;
    std::string loss_reason;  // why this one, where the labels decided
    RegionSpec region;
    std::string region_text;  // the region in words
    bool intercept = false;
    std::unique_ptr<Objective<Real>> objective;
    Index patience = 0;
    int threads = 1;
    int parts = 1;  // that work is divided into, which sums depend on: a thread each, or always as many
    Ranks* ranks = nullptr;
    std::shared_ptr<Device> device;  // null: the CPU
    std::vector<DeviceTime> device_times;  // where `auto` has measured, the CPU first
    RegionSetting setting;

    /// A region remembers one call for the next: every run that is to depend on nothing else gets a new one.
    [[nodiscard]] std::unique_ptr<Region<Real>> new_region() const;
};

/// Reads or looks at the data and puts the problem together. Throws Error when they are wrong or do not fit the
/// specification.
template <class Real>
Problem<Real> prepare(const Data& data, const Specification& specification);
/// The same for data that are at hand. Those that are moved in are scaled and split in place, if nobody else looks at them.
template <class Real>
Problem<Real> prepare(Dataset<Real> data, const Specification& specification);

/// The weights of a model as a point of this problem, which may lie outside its region: columns that are scaled otherwise
/// here get weights that score alike. Throws Error when the model is of other features, classes or a loss of another kind.
template <class Real>
Matrix<Real> start_from(const Model<Real>& model, const Problem<Real>& problem);

/// How well a model does on some rows.
struct Score {
    Index rows = 0;
    bool classification = false;
    Index correct = 0;              // classification
    double mean_squared_error = 0;  // regression

    /// The share of rows that are right, or the mean squared error.
    [[nodiscard]] double value() const {
        return classification ? static_cast<double>(correct) / static_cast<double>(rows) : mean_squared_error;
    }
    [[nodiscard]] bool better_than(const Score& other) const {
        return classification ? value() > other.value() : value() < other.value();
    }
    void archive(Archive& state) { state(rows, classification, correct, mean_squared_error); }
};

/// What became of a run. The weights are in the model.
struct Report {
    Status status = Status::max_iterations;
    Metrics metrics;  // of the weights, on the training rows
    Index iterations = 0;
    double epochs = 0;
    Counters counters;
    Timings seconds;
    std::string method;           // as used
    Parameters parameters;        // as used, defaults filled in
    std::optional<double> scale;  // ρ that the method worked with, where it has one
    int threads = 1;
    int ranks = 1;
    std::int64_t bytes_sent = 0;  // by rank 0 to the others, during the run
    std::int64_t messages = 0;    // calls of MPI that it took for that

    Score training;
    std::optional<Score> held_out;
    // Early stop: the iterate with the best held-out score, which is the model.
    std::optional<Index> best_iteration;
    Index nonzeros = 0;
    // Of a matrix of weights; a vector has none.
    std::vector<double> singular_values;  // largest first
    std::optional<Index> rank;            // see numerical_rank
    // What a user should know: weights that have not moved, a model with one answer for all. A line each, mostly none.
    std::vector<std::string> warnings;
};

template <class Real>
struct Fitted {
    Model<Real> model;
    Report report;
};

/// One run on a prepared problem. Runs do not depend on those before. `start`: where from, a point of the region (see
/// start_from() and scaled_into()); else where the region says. Warm starts end where the others do, sooner.
template <class Real>
Fitted<Real> fit(Problem<Real>& problem, const Options& options,
                 const std::type_identity_t<Observer<Real>>& observer = {},
                 const Matrix<Real>* start = nullptr);
/// One run from the data: fit<float>(FileData{"a9a"}, specification).
template <class Real>
Fitted<Real> fit(const Data& data, const Specification& specification,
                 const std::type_identity_t<Observer<Real>>& observer = {});

/// The model's score on rows with labels. Throws Error when there are none, or the loss has no use for them.
template <class Real>
Score score_of(const Model<Real>& model, const Dataset<Real>& data, int threads = 0);
/// The same of predictions at hand, which were scored.
Score score_of(const Predictions& predictions);

}  // namespace alfcg

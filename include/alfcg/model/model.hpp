#pragma once

#include <optional>
#include <string>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/data/dataset.hpp"
#include "alfcg/data/labels.hpp"
#include "alfcg/data/normalize.hpp"
#include "alfcg/objective/loss.hpp"
#include "alfcg/region/spec.hpp"

namespace alfcg {

/// How well a model did on some rows: the share of them that was right, or the mean squared error.
struct TrainingScore {
    Index rows = 0;
    double value = 0;

    bool operator==(const TrainingScore&) const = default;
};

/// A trained linear model and all that is needed to use it on new data.
template <class Real>
struct Model {
    Matrix<Real> weights;            // outputs x features
    std::vector<double> intercept;   // one per output, added to its score; empty: there is none
    std::vector<std::string> names;  // of the features; empty: they have none
    Reading reading;                 // how they came out of a file
    Classes classes;                 // classification; empty for regression
    LossSpec loss;
    Scaling scaling;  // what the features must go through first
    // How it was trained, for the record.
    RegionSpec region;  // files hold, and loading gives, its normal form
    std::string method;
    std::optional<TrainingScore> training;
    std::optional<TrainingScore> held_out;
};

/// Writes the model as an .npz archive (docs/model-format.md), whole or not at all.
template <class Real>
void save_model(const Model<Real>& model, const std::string& path);

/// Reads a model, converting the weights to Real. Throws Error when the file is damaged, foreign, or of a
/// newer version.
template <class Real>
Model<Real> load_model(const std::string& path);

/// Precision the weights are stored in: true for double.
bool model_is_double(const std::string& path);

/// The options to read data for this model with: labels are not needed, columns with names are found by them in any order,
/// words, missing values and the scale of the features become what they were in training.
template <class Real>
ReadOptions options_for(const Model<Real>& model, ReadOptions options = {});

/// The model's answers on a data set.
struct Predictions {
    std::vector<std::int32_t> classes;  // classification: position in Model::classes
    std::vector<double> values;         // regression
    Matrix<double> probabilities;       // rows x classes, when asked for
    bool scored = false;                // whether the data had labels
    Index unknown = 0;  // classification: labels that are none of the classes, and so count as wrong
    Index correct = 0;  // classification
    double mean_squared_error = 0;  // regression
};

/// Features are scored as the model's scaling would make them; the data stay as they are. Throws Error when the number or the
/// names of the features do not fit; fewer features than the model has count as absent (zero) in sparse data.
template <class Real>
Predictions predict(const Model<Real>& model, const Dataset<Real>& data, bool probabilities, int threads);

/// What the answers are made from: weights times features plus intercept, rows x outputs.
template <class Real>
Matrix<double> scores(const Model<Real>& model, const Dataset<Real>& data, int threads);

}  // namespace alfcg

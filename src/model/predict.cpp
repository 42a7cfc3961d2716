#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/model/model.hpp"
#include "core/parallel.hpp"
#include "data/row_access.hpp"
#include "objective/problem_checks.hpp"
#include "objective/scores.hpp"

namespace alfcg {
namespace {

constexpr Index scores_per_block = Index{1} << 20;  // a few megabytes, whatever the size of the data

// The features as the model counts them: those that sparse data lack at the end are zero.
template <class Real>
Features<Real> fitting_features(const Model<Real>& model, const Dataset<Real>& data, int threads) {
    check_features(data.features, resolve_threads(threads));
    const Index wanted = model.weights.cols();
    const Index found = cols(data.features);
    if (!model.names.empty() && !data.names.empty() && model.names != data.names)
        throw Error(
            data.name +
            ": the features are not those of the model in its order; read the data with options_for(model)");
    Features<Real> features = data.features;
    auto* sparse = std::get_if<SparseFeatures<Real>>(&features);
    if (found == wanted) return features;
    if (sparse == nullptr || found > wanted)
        throw Error(data.name + ": " + std::to_string(found) + " features, the model has " +
                    std::to_string(wanted));
    sparse->col_count = wanted;
    return features;
}

// Scores of features as the model scales them, without a scaled copy of the features: divisors of columns go to the
// weights, and those of rows to the scores.
template <class Real>
class ScaledScores {
  public:
    ScaledScores(const Model<Real>& model, Features<Real> features, int threads)
        : model_(model), features_(std::move(features)), threads_(threads) {
        const Scaling& scaling = model.scaling;
        check_scaling(scaling, cols(features_), std::holds_alternative<SparseFeatures<Real>>(features_));
        if (scaling.kind != Normalization::columns && scaling.kind != Normalization::spectral) return;
        divided_ = model.weights;
        for (Index l = 0; l < divided_.rows(); ++l) {
            for (Index j = 0; j < divided_.cols(); ++j) {
                const std::size_t at =
                    scaling.kind == Normalization::columns ? static_cast<std::size_t>(j) : 0;
                Real& weight = divided_(l, j);
                const bool nothing = weight == 0;
                weight = static_cast<Real>(static_cast<double>(weight) / scaling.divisors[at]);
                if (nothing || std::isnormal(weight)) continue;
                // Beyond the range of Real, where the scaled feature itself may be within it.
                features_ = scaled(std::move(features_), scaling, threads);
                divided_ = {};
                return;
            }
        }
    }

    void operator()(Index first, Index last, Real* scores) const {
        const Matrix<Real>& weights = divided_.size() > 0 ? divided_ : model_.weights;
        linear_scores(features_, first, last, weights, scores, threads_);
        if (model_.scaling.kind == Normalization::rows)
            std::visit([&](const auto& f) { divide_by_norms(f, first, last, scores); }, features_);
    }

  private:
    // Rows with a norm beyond this, or below one over it, might give scores beyond the range of Real.
    static constexpr double moderate = sizeof(Real) == sizeof(float) ? 0x1p40 : 0x1p400;

    template <class AnyFeatures>
    void divide_by_norms(const AnyFeatures& features, Index first, Index last, Real* scores) const {
        const Index outputs = model_.weights.rows();
        const int threads = useful_threads(features, resolve_threads(threads_));
        parallel(threads, [&](int thread) {
            const auto [begin, end] = range_of_part(last - first, thread, threads);
            for (Index i = begin; i < end; ++i) divide_by_norm(features, first + i, scores + i * outputs);
        });
    }
    template <class AnyFeatures>
    void divide_by_norm(const AnyFeatures& features, Index i, Real* scores) const {
        const double norm = row_norm(features, i);
        if (norm == 0) return;
        for (Index l = 0; l < model_.weights.rows(); ++l) {
            double score = static_cast<double>(scores[l]) / norm;
            if (norm > moderate || norm < 1 / moderate) {
                score = 0;
                for_each_entry(features, i, [&](Index j, Real value) {
                    score += static_cast<double>(value) / norm * static_cast<double>(model_.weights(l, j));
                });
            }
            scores[l] = static_cast<Real>(score);
        }
    }

    const Model<Real>& model_;
    Features<Real> features_;
    Matrix<Real> divided_;  // weights, where columns have divisors
    int threads_;
};

/// 1 / (1 + exp(-z)) without overflow, and without cancellation at either end.
double sigmoid(double z) {
    const double small = std::exp(-std::abs(z));
    return z >= 0 ? 1 / (1 + small) : small / (1 + small);
}

std::int32_t largest(const double* scores, Index count) {
    return static_cast<std::int32_t>(std::max_element(scores, scores + count) -
                                     scores);  // the first of equals
}

/// Logits may be of any size, also infinite: the largest is taken off first.
void softmax(const double* scores, Index count, double top, double* probabilities) {
    double sum = 0;
    for (Index l = 0; l < count; ++l) {
        probabilities[l] = scores[l] == top ? 1 : std::exp(scores[l] - top);
        sum += probabilities[l];
    }
    for (Index l = 0; l < count; ++l) probabilities[l] /= sum;
}

template <class Real>
void answer(const Model<Real>& model, Index row, const double* scores, bool probabilities,
            Predictions& predictions) {
    if (predictions.classes.empty()) {
        predictions.values[static_cast<std::size_t>(row)] = scores[0];
        return;
    }
    std::int32_t& chosen = predictions.classes[static_cast<std::size_t>(row)];
    double* shares = probabilities ? &predictions.probabilities(row, 0) : nullptr;
    if (model.weights.rows() > 1) {
        const Index count = model.weights.rows();
        chosen = largest(scores, count);
        if (probabilities) softmax(scores, count, scores[chosen], shares);
    } else {
        const double z = scores[0];
        chosen = z > 0 ? 1 : 0;
        if (probabilities) {
            shares[0] = sigmoid(-z);
            shares[1] = sigmoid(z);
        }
    }
}

template <class Real>
void score(const Model<Real>& model, const std::string& name, const Labels& labels,
           Predictions& predictions) {
    if (loss_info(model.loss.name).classifies()) {
        const std::vector<std::int32_t> truth = model.classes.encode(labels);
        for (std::size_t i = 0; i < truth.size(); ++i) {
            predictions.correct += predictions.classes[i] == truth[i] ? 1 : 0;
            predictions.unknown += truth[i] < 0 ? 1 : 0;
        }
        predictions.scored = true;
    } else if (labels.numeric()) {
        double sum = 0;
        for (Index i = 0; i < labels.size(); ++i) {
            const double difference = predictions.values[static_cast<std::size_t>(i)] - labels.number(i);
            sum += difference * difference;
        }
        if (!std::isfinite(sum))
            throw Error(
                name +
                ": the mean squared error is not a finite number; labels or predictions are too large");
        predictions.mean_squared_error = sum / static_cast<double>(labels.size());
        predictions.scored = true;
    }
}

// Calls see(row, scores) for one row after the other, scores with the intercept.
template <class Real, class See>
void for_each_score(const Model<Real>& model, const Dataset<Real>& data, int threads, See see) {
    const ScaledScores<Real> scaled_scores(model, fitting_features(model, data, threads), threads);
    const Index count = rows(data.features);
    const Index outputs = model.weights.rows();
    const Index block = std::clamp<Index>(scores_per_block / outputs, 1, std::max<Index>(count, 1));
    AlignedVector<Real> found(static_cast<std::size_t>(block * outputs));
    std::vector<double> row(static_cast<std::size_t>(outputs));
    const bool classifies = model.classes.size() > 0;  // then an infinite score says enough
    for (Index first = 0; first < count; first += block) {
        const Index last = std::min(first + block, count);
        scaled_scores(first, last, found.data());
        for (Index i = first; i < last; ++i) {
            std::copy_n(found.data() + (i - first) * outputs, outputs, row.begin());
            for (std::size_t l = 0; l < model.intercept.size(); ++l) row[l] += model.intercept[l];
            if (std::any_of(row.begin(), row.end(),
                            [=](double z) { return classifies ? std::isnan(z) : !std::isfinite(z); }))
                throw Error(
                    data.name + ": row " + std::to_string(i + 1) +
                    ": the score is not a finite number; the features are too large for this precision");
            see(i, row);
        }
    }
}

}  // namespace

template <class Real>
ReadOptions options_for(const Model<Real>& model, ReadOptions options) {
    options.labels_required = false;
    options.features = model.weights.cols();
    options.names = model.names;
    options.reading = model.reading;
    options.scale = model.reading.scale;
    return options;
}

template <class Real>
Matrix<double> scores(const Model<Real>& model, const Dataset<Real>& data, int threads) {
    Matrix<double> result(rows(data.features), model.weights.rows());
    for_each_score(model, data, threads, [&](Index i, const std::vector<double>& row) {
        std::copy(row.begin(), row.end(), &result(i, 0));
    });
    return result;
}

template <class Real>
Predictions predict(const Model<Real>& model, const Dataset<Real>& data, bool probabilities, int threads) {
    const Index count = rows(data.features);
    if (!data.labels.empty() && data.labels.size() != count)
        throw Error(data.name + ": " + std::to_string(data.labels.size()) + " labels for " +
                    std::to_string(count) + " rows");
    const bool classifies = loss_info(model.loss.name).classifies();
    Predictions predictions;
    if (classifies)
        predictions.classes.resize(static_cast<std::size_t>(count));
    else
        predictions.values.resize(static_cast<std::size_t>(count));
    const bool wants_probabilities = probabilities && classifies;
    if (wants_probabilities) predictions.probabilities = Matrix<double>(count, model.classes.size());
    for_each_score(model, data, threads, [&](Index i, const std::vector<double>& row) {
        answer(model, i, row.data(), wants_probabilities, predictions);
    });
    if (!data.labels.empty()) score(model, data.name, data.labels, predictions);
    return predictions;
}

template ReadOptions options_for(const Model<float>&, ReadOptions);
template ReadOptions options_for(const Model<double>&, ReadOptions);
template Matrix<double> scores(const Model<float>&, const Dataset<float>&, int);
template Matrix<double> scores(const Model<double>&, const Dataset<double>&, int);
template Predictions predict(const Model<float>&, const Dataset<float>&, bool, int);
template Predictions predict(const Model<double>&, const Dataset<double>&, bool, int);

}  // namespace alfcg

#include <algorithm>
#include <cmath>
#include <variant>

#include "alfcg/core/error.hpp"
#include "alfcg/model/model.hpp"
#include "objective/scores.hpp"

namespace alfcg {
namespace {

constexpr Index scores_per_block = Index{1} << 20;  // a few megabytes, whatever the size of the data

template <class Real>
void fit_features(const Model<Real>& model, Dataset<Real>& data) {
    const Index wanted = model.weights.cols();
    const Index found = cols(data.features);
    auto* sparse = std::get_if<SparseFeatures<Real>>(&data.features);
    if (found == wanted) return;
    if (sparse == nullptr || found > wanted)
        throw Error(data.name + ": " + std::to_string(found) + " features, the model has " +
                    std::to_string(wanted));
    sparse->col_count = wanted;
}

/// 1 / (1 + exp(-z)) without overflow, and without cancellation at either end.
double sigmoid(double z) {
    const double small = std::exp(-std::abs(z));
    return z >= 0 ? 1 / (1 + small) : small / (1 + small);
}

template <class Real>
std::int32_t largest(const Real* scores, Index count) {
    return static_cast<std::int32_t>(std::max_element(scores, scores + count) -
                                     scores);  // the first of equals
}

/// Logits may be of any size, also infinite: the largest is taken off first.
template <class Real>
void softmax(const Real* scores, Index count, Real top, double* probabilities) {
    double sum = 0;
    for (Index l = 0; l < count; ++l) {
        const double below = static_cast<double>(scores[l]) - static_cast<double>(top);
        probabilities[l] = scores[l] == top ? 1 : std::exp(below);
        sum += probabilities[l];
    }
    for (Index l = 0; l < count; ++l) probabilities[l] /= sum;
}

template <class Real>
void answer(const Model<Real>& model, Index row, const Real* scores, bool probabilities,
            Predictions& predictions) {
    if (!is_classification(model.loss.kind)) {
        predictions.values[static_cast<std::size_t>(row)] = static_cast<double>(scores[0]);
        return;
    }
    std::int32_t& chosen = predictions.classes[static_cast<std::size_t>(row)];
    double* shares = probabilities ? &predictions.probabilities(row, 0) : nullptr;
    if (model.loss.kind == Loss::multinomial) {
        const Index count = model.weights.rows();
        chosen = largest(scores, count);
        if (probabilities) softmax(scores, count, scores[chosen], shares);
    } else {
        const auto z = static_cast<double>(scores[0]);
        chosen = z > 0 ? 1 : 0;
        if (probabilities) {
            shares[0] = sigmoid(-z);
            shares[1] = sigmoid(z);
        }
    }
}

template <class Real>
void score(const Model<Real>& model, const Labels& labels, Predictions& predictions) {
    if (is_classification(model.loss.kind)) {
        const std::vector<std::int32_t> truth = model.classes.encode(labels);
        for (std::size_t i = 0; i < truth.size(); ++i)
            predictions.correct += predictions.classes[i] == truth[i] ? 1 : 0;
        predictions.scored = true;
    } else if (labels.numeric()) {
        double sum = 0;
        for (Index i = 0; i < labels.size(); ++i) {
            const double difference = predictions.values[static_cast<std::size_t>(i)] - labels.number(i);
            sum += difference * difference;
        }
        predictions.mean_squared_error = sum / static_cast<double>(labels.size());
        predictions.scored = true;
    }
}

}  // namespace

template <class Real>
Predictions predict(const Model<Real>& model, Dataset<Real>& data, bool probabilities, int threads) {
    fit_features(model, data);
    apply_scaling(data.features, model.scaling, threads);

    const Index count = rows(data.features);
    const Index outputs = model.weights.rows();
    if (!data.labels.empty() && data.labels.size() != count)
        throw Error(data.name + ": " + std::to_string(data.labels.size()) + " labels for " +
                    std::to_string(count) + " rows");
    const bool classifies = is_classification(model.loss.kind);
    Predictions predictions;
    if (classifies)
        predictions.classes.resize(static_cast<std::size_t>(count));
    else
        predictions.values.resize(static_cast<std::size_t>(count));
    const bool wants_probabilities = probabilities && classifies;
    if (wants_probabilities) predictions.probabilities = Matrix<double>(count, model.classes.size());

    const Index block = std::clamp<Index>(scores_per_block / outputs, 1, std::max<Index>(count, 1));
    AlignedVector<Real> scores(static_cast<std::size_t>(block * outputs));
    for (Index first = 0; first < count; first += block) {
        const Index last = std::min(first + block, count);
        linear_scores(data.features, first, last, model.weights, scores.data(), threads);
        for (Index i = first; i < last; ++i) {
            const Real* row = scores.data() + (i - first) * outputs;
            if (std::any_of(row, row + outputs, [](Real z) { return std::isnan(z); }))
                throw Error(data.name + ": row " + std::to_string(i + 1) +
                            ": the score is not a number; the features are too large for this precision");
            answer(model, i, row, wants_probabilities, predictions);
        }
    }
    if (!data.labels.empty()) score(model, data.labels, predictions);
    return predictions;
}

template Predictions predict(const Model<float>&, Dataset<float>&, bool, int);
template Predictions predict(const Model<double>&, Dataset<double>&, bool, int);

}  // namespace alfcg

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/model/model.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

template <class Real>
Dataset<Real> dense(const std::vector<std::vector<double>>& entries) {
    const auto count = static_cast<Index>(entries.size());
    const auto features = static_cast<Index>(entries.empty() ? 0 : entries.front().size());
    Buffer<Real> buffer;
    for (const auto& row : entries)
        for (const double entry : row) buffer.push_back(static_cast<Real>(entry));
    Dataset<Real> data;
    data.name = "data";
    data.features = DenseFeatures<Real>(std::move(buffer), count, features);
    return data;
}

/// The same rows, zeros left out; columns beyond the last that is used are not counted.
template <class Real>
Dataset<Real> sparse(const std::vector<std::vector<double>>& entries) {
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    Index cols = 0;
    start.push_back(0);
    for (const auto& row : entries) {
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] == 0) continue;
            column.push_back(static_cast<std::int32_t>(j));
            value.push_back(static_cast<Real>(row[j]));
            cols = std::max(cols, static_cast<Index>(j) + 1);
        }
        start.push_back(static_cast<Index>(value.size()));
    }
    Dataset<Real> data;
    data.name = "data";
    data.features = SparseFeatures<Real>{std::move(start), std::move(column), std::move(value),
                                         static_cast<Index>(entries.size()), cols};
    return data;
}

template <class Real>
Model<Real> model_of(const std::string& loss, const std::vector<std::vector<double>>& weights,
                     Classes classes) {
    Model<Real> model;
    model.loss.name = loss;
    model.weights =
        Matrix<Real>(static_cast<Index>(weights.size()), static_cast<Index>(weights.front().size()));
    for (Index i = 0; i < model.weights.rows(); ++i)
        for (Index j = 0; j < model.weights.cols(); ++j)
            model.weights(i, j) =
                static_cast<Real>(weights[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    model.classes = std::move(classes);
    return model;
}

const Classes three{{"a", "b", "c"}, {}};
const Classes two{{"-1", "1"}, {-1, 1}};

template <class Real>
class Predict : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Predict, Precisions);

TYPED_TEST(Predict, MultinomialTakesTheLargestScoreAndTheLowestClassOfATie) {
    const auto model = model_of<TypeParam>("multinomial", {{1, 0}, {0, 1}, {1, 0}}, three);
    auto data = dense<TypeParam>({{1, 0}, {0, 1}, {1, 1}, {0, 0}, {-1, -2}});
    const Predictions answers = predict(model, data, false, 1);
    EXPECT_EQ(answers.classes, (std::vector<std::int32_t>{0, 1, 0, 0, 0}));
    EXPECT_FALSE(answers.scored);
    EXPECT_EQ(answers.probabilities.size(), 0);
    EXPECT_TRUE(answers.values.empty());
}

TYPED_TEST(Predict, MultinomialProbabilitiesAreTheSoftmaxOfTheScores) {
    const std::vector<std::vector<double>> weights{{1, -0.5}, {0.25, 2}, {-1, 0}};
    const auto model = model_of<TypeParam>("multinomial", weights, three);
    const std::vector<std::vector<double>> points{{1, 2}, {-0.5, 0.25}, {0, 0}};
    auto data = dense<TypeParam>(points);
    const Predictions answers = predict(model, data, true, 2);
    for (std::size_t i = 0; i < points.size(); ++i) {
        double sum = 0;
        std::vector<double> terms;
        for (const auto& row : weights)
            terms.push_back(std::exp(row[0] * points[i][0] + row[1] * points[i][1]));
        for (const double term : terms) sum += term;
        for (std::size_t l = 0; l < 3; ++l)
            EXPECT_NEAR(answers.probabilities(static_cast<Index>(i), static_cast<Index>(l)), terms[l] / sum,
                        1e-7);
    }
}

TYPED_TEST(Predict, ScoresOfAnySizeGiveProbabilities) {
    const auto model = model_of<TypeParam>("multinomial", {{1}, {-1}, {1}}, three);
    auto data = dense<TypeParam>({{1e30}, {-1e30}, {1e4}, {0}});
    const Predictions answers = predict(model, data, true, 1);
    const std::vector<std::vector<double>> expected{
        {0.5, 0, 0.5}, {0, 1, 0}, {0.5, 0, 0.5}, {1. / 3, 1. / 3, 1. / 3}};
    for (Index i = 0; i < 4; ++i)
        for (Index l = 0; l < 3; ++l)
            EXPECT_DOUBLE_EQ(answers.probabilities(i, l),
                             expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(l)]);
}

TYPED_TEST(Predict, BinaryLossesTakeTheSignAndTheSmallerLabelAtZero) {
    for (const char* loss : {"logistic", "sigmoid"}) {
        const auto model = model_of<TypeParam>(loss, {{2}}, two);
        auto data = dense<TypeParam>({{0.5}, {-0.5}, {0}, {1e30}, {-1e30}});
        const Predictions answers = predict(model, data, true, 1);
        EXPECT_EQ(answers.classes, (std::vector<std::int32_t>{1, 0, 0, 1, 0}));
        const double likely = 1 / (1 + std::exp(-1.));
        const std::vector<double> larger{likely, 1 - likely, 0.5, 1, 0};
        ASSERT_EQ(answers.probabilities.shape(), (Shape{5, 2}));
        for (Index i = 0; i < 5; ++i) {
            EXPECT_NEAR(answers.probabilities(i, 1), larger[static_cast<std::size_t>(i)], 1e-15);
            EXPECT_NEAR(answers.probabilities(i, 0), 1 - larger[static_cast<std::size_t>(i)], 1e-15);
        }
    }
}

TYPED_TEST(Predict, SmallProbabilitiesAreNotLostToCancellation) {
    const auto model = model_of<TypeParam>("logistic", {{1}}, two);
    auto data = dense<TypeParam>({{64}});
    const Predictions answers = predict(model, data, true, 1);
    EXPECT_NEAR(answers.probabilities(0, 0) / std::exp(-64.), 1, 1e-12);
}

TYPED_TEST(Predict, CountsCorrectAnswersAndUnknownLabelsAsWrong) {
    const auto model = model_of<TypeParam>("multinomial", {{1, 0}, {0, 1}, {-1, -1}}, three);
    auto data = dense<TypeParam>({{1, 0}, {0, 1}, {-1, -1}, {1, 0}});
    for (const std::string label : {"a", "a", "c", "unheard of"}) data.labels.push(label);
    const Predictions answers = predict(model, data, false, 1);
    EXPECT_TRUE(answers.scored);
    EXPECT_EQ(answers.correct, 2);
}

TYPED_TEST(Predict, RegressionGivesScoresAndTheirMeanSquaredError) {
    for (const char* loss : {"squared", "huber", "welsch"}) {
        const auto model = model_of<TypeParam>(loss, {{2, -1}}, {});
        auto data = dense<TypeParam>({{1, 1}, {0.5, 0}, {0, 4}});
        for (const double label : {1., 2., -1.}) data.labels.push(label);
        const Predictions answers = predict(model, data, true, 1);
        EXPECT_EQ(answers.values, (std::vector<double>{1, 1, -4}));
        EXPECT_TRUE(answers.scored);
        EXPECT_DOUBLE_EQ(answers.mean_squared_error, (0. + 1 + 9) / 3);
        EXPECT_TRUE(answers.classes.empty());
        EXPECT_EQ(answers.probabilities.size(), 0);
    }
}

TYPED_TEST(Predict, RegressionIsNotScoredAgainstWords) {
    const auto model = model_of<TypeParam>("squared", {{1}}, {});
    auto data = dense<TypeParam>({{1}});
    data.labels.push(std::string("word"));
    EXPECT_FALSE(predict(model, data, false, 1).scored);
}

TYPED_TEST(Predict, SparseAndDenseDataGetTheSameAnswers) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> weights(3, std::vector<double>(20));
    std::vector<std::vector<double>> points(500, std::vector<double>(20));
    for (auto& row : weights)
        for (double& entry : row) entry = normal(random);
    for (auto& row : points)
        for (double& entry : row) entry = random() % 4 == 0 ? normal(random) : 0;
    auto model = model_of<TypeParam>("multinomial", weights, three);
    model.scaling.kind = Normalization::columns;
    for (int j = 0; j < 20; ++j) model.scaling.divisors.push_back(0.5 + j);
    auto full = dense<TypeParam>(points);
    auto few = sparse<TypeParam>(points);
    const Predictions expected = predict(model, full, true, 2);
    const Predictions answers = predict(model, few, true, 2);
    for (Index i = 0; i < 500; ++i)
        for (Index l = 0; l < 3; ++l)
            EXPECT_NEAR(answers.probabilities(i, l), expected.probabilities(i, l), 1e-5);
}

TYPED_TEST(Predict, TheModelsScalingIsAppliedFirst) {
    auto model = model_of<TypeParam>("squared", {{1, 1}}, {});
    model.scaling = {Normalization::columns, {2, 4}};
    auto data = dense<TypeParam>({{2, 4}, {1, -8}});
    EXPECT_EQ(predict(model, data, false, 1).values, (std::vector<double>{2, -1.5}));
    model.scaling = {Normalization::spectral, {0.5}};
    data = dense<TypeParam>({{2, 4}});
    EXPECT_EQ(predict(model, data, false, 1).values, (std::vector<double>{12}));
}

// Scales at which a divided weight, or the score of an unscaled row, leaves the range of Real, though no scaled feature does.
TYPED_TEST(Predict, ScalesOfAnySizeGiveTheScoresOfScaledFeatures) {
    using Real = TypeParam;
    const double large = sizeof(Real) == sizeof(float) ? 1e37 : 1e307;
    const double small = sizeof(Real) == sizeof(float) ? 1e-37 : 1e-307;
    for (const double size : {1.0, large, small}) {
        const std::vector<std::vector<double>> points{
            {3 * size, 0, -4 * size}, {0, 0, 0}, {size, 2 * size, 2 * size}};
        auto model = model_of<Real>("squared", {{500, -20, 0.125}}, {});
        for (const auto& data : {dense<Real>(points), sparse<Real>(points)}) {
            for (const Scaling& scaling :
                 {Scaling{Normalization::rows, {}}, Scaling{Normalization::spectral, {5 * size}},
                  Scaling{Normalization::columns, {size, 2 * size, 7 * size}}}) {
                model.scaling = {};
                Dataset<Real> divided = data;
                divided.features = scaled(data.features, scaling, 1);
                const auto expected = predict(model, divided, false, 1).values;
                model.scaling = scaling;
                const auto answers = predict(model, data, false, 2).values;
                for (std::size_t i = 0; i < answers.size(); ++i)
                    EXPECT_NEAR(answers[i], expected[i],
                                8 * std::numeric_limits<Real>::epsilon() * std::abs(expected[i]))
                        << to_text(scaling.kind) << " " << size;
            }
        }
    }
}

TYPED_TEST(Predict, ColumnsThatSparseDataLackAreZero) {
    auto model = model_of<TypeParam>("squared", {{1, 2, 3}}, {});
    model.scaling = {Normalization::columns, {1, 2, 1}};
    auto data = sparse<TypeParam>({{1, 0, 0}, {1, 4, 0}});
    ASSERT_EQ(cols(data.features), 2);
    EXPECT_EQ(predict(model, data, false, 1).values, (std::vector<double>{1, 5}));
}

TYPED_TEST(Predict, OtherNumbersOfFeaturesAreRefused) {
    const auto model = model_of<TypeParam>("squared", {{1, 2, 3}}, {});
    auto wide = sparse<TypeParam>({{1, 2, 3, 4}});
    EXPECT_EQ(message_of<Error>([&] { predict(model, wide, false, 1); }),
              "data: 4 features, the model has 3");
    auto narrow = dense<TypeParam>({{1, 2}});
    EXPECT_EQ(message_of<Error>([&] { predict(model, narrow, false, 1); }),
              "data: 2 features, the model has 3");
}

TYPED_TEST(Predict, ManyBlocksGiveEveryRowItsOwnAnswer) {
    // 1000 classes: a block holds about a thousand rows, so this takes several.
    const Index outputs = 1000;
    const Index count = 3500;
    Model<TypeParam> model;
    model.weights = Matrix<TypeParam>(outputs, 2);
    for (Index l = 0; l < outputs; ++l) {
        // The largest <w_l, (t, 1)> belongs to the parabola's tangent at t: l = t.
        const double slope = static_cast<double>(l);
        model.weights(l, 0) = static_cast<TypeParam>(slope);
        model.weights(l, 1) = static_cast<TypeParam>(-slope * slope / 2);
        model.classes.names.push_back(std::to_string(100000 + l));
    }
    std::vector<std::vector<double>> points;
    for (Index i = 0; i < count; ++i) points.push_back({static_cast<double>(i * 7 % outputs), 1});
    auto data = dense<TypeParam>(points);
    const Predictions answers = predict(model, data, false, 2);
    for (Index i = 0; i < count; ++i)
        ASSERT_EQ(answers.classes[static_cast<std::size_t>(i)], i * 7 % outputs);
}

TYPED_TEST(Predict, NoRowsNoAnswers) {
    const auto model = model_of<TypeParam>("logistic", {{1}}, two);
    Dataset<TypeParam> data;
    data.features = DenseFeatures<TypeParam>(Buffer<TypeParam>(), 0, 1);
    const Predictions answers = predict(model, data, true, 1);
    EXPECT_TRUE(answers.classes.empty());
    EXPECT_FALSE(answers.scored);
}

}  // namespace
}  // namespace alfcg

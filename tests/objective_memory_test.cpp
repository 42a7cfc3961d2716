// Copies of the data are made where they fit what may be kept, and gradients are the same without them.
#include <gtest/gtest.h>

#include <random>

#include "alfcg/core/archive.hpp"
#include "bridge.hpp"
#include "objective/byte_samples.hpp"
#include "objective/patch_samples.hpp"
#include "objective/row_engine.hpp"
#include "reference/samples.hpp"

namespace alfcg {
namespace {

constexpr Index row_count = 400;
constexpr Index col_count = 256;

// Whole numbers, most of them zero; `filled` of 100 are not.
Features<float> numbers(int filled, Storage storage) {
    std::mt19937 random(1);
    reference::Matrix X(row_count, col_count);
    for (Index i = 0; i < row_count; ++i)
        for (Index j = 0; j < col_count; ++j)
            X(i, j) = static_cast<int>(random() % 100) < filled ? static_cast<double>(random() % 256) : 0;
    return make_features<float>(X, storage);
}

TEST(Memory, CopiesOfBytesAreMadeWhereTheyFit) {
    const Features<float> features = numbers(90, Storage::dense);
    const auto& dense = std::get<DenseFeatures<float>>(features);
    const Index bytes = row_count * kernels::padded_bytes(col_count);
    EXPECT_TRUE(ByteSamples<float>::of(dense, 1, bytes).has_value());
    EXPECT_FALSE(ByteSamples<float>::of(dense, 1, bytes - 1).has_value());
    const Features<float> drawing = numbers(2, Storage::dense);
    EXPECT_TRUE(PatchSamples<float>::of(std::get<DenseFeatures<float>>(drawing), 1).has_value());
    EXPECT_FALSE(PatchSamples<float>::of(std::get<DenseFeatures<float>>(drawing), 1, 1000).has_value());
}

// What passes leave behind for others says whether there is one.
TEST(Memory, ACopyByColumnsIsMadeForSeveralOutputsWhereItFits) {
    const Features<float> features = numbers(3, Storage::sparse);
    const auto& sparse = std::get<SparseFeatures<float>>(features);
    const Index bytes = sparse.nonzeros() * 8;
    for (const Index outputs : {1, 3})
        for (const Index memory : {bytes, bytes - 1}) {
            const auto engine = sparse_row_engine(sparse, 1, Use::often, memory);
            engine->begin({nullptr, row_count}, {outputs}, 1);
            std::vector<float> gradient(static_cast<std::size_t>(outputs * col_count));
            engine->open_gradient(gradient.data(), 0);
            Archive state;
            engine->archive(state);
            EXPECT_EQ(std::move(state).release().back() != 0, outputs > 1 && memory == bytes);
        }
}

TEST(Memory, GradientsAreTheSameWithoutCopies) {
    for (const Storage storage : {Storage::dense, Storage::sparse})
        for (const int filled : {2, 90})
            for (const Index outputs : {1, 3}) {
                const Features<float> features = numbers(filled, storage);
                Targets targets;
                targets.outputs = outputs;
                for (Index i = 0; i < row_count; ++i) {
                    targets.values.push_back(static_cast<double>(i % 3));
                    targets.classes.push_back(static_cast<std::int32_t>(i % 3));
                }
                (outputs > 1 ? targets.values.clear() : targets.classes.clear());
                LossSpec loss;
                loss.name = outputs > 1 ? "multinomial" : "squared";
                const Iterate<float> x(to_matrix<float>(0.01 * reference::gaussian(outputs, col_count, 3)));
                std::vector<Matrix<float>> gradients;
                std::vector<double> values;
                for (const std::optional<Index> memory : {std::optional<Index>(1), std::optional<Index>()}) {
                    const auto objective = linear_objective(features, targets, loss, 1, false, memory);
                    gradients.emplace_back();
                    values.push_back(objective->evaluate(x, gradients.back()));
                }
                EXPECT_NEAR(values[0], values[1], 1e-5 * values[0]);
                const auto difference = (from_matrix(gradients[0]) - from_matrix(gradients[1])).norm();
                EXPECT_LE(difference, 1e-5 * from_matrix(gradients[0]).norm());
            }
}

}  // namespace
}  // namespace alfcg

// The real data sets beside the repository come out with the sizes that their authors state.

#include "data_files.hpp"

namespace alfcg {
namespace {

TEST(RealData, A9aHas32561RowsOf123BinaryFeatures) {
    const std::string path = real_data("libsvm/a9a.gz");
    if (path.empty()) GTEST_SKIP() << "no a9a beside the repository";
    const auto data = load_dataset<float>(path);
    EXPECT_EQ(rows(data.features), 32561);
    EXPECT_EQ(cols(data.features), 123);
    EXPECT_EQ(find_classes(data.labels).names, (std::vector<std::string>{"-1", "1"}));
    const auto& sparse = std::get<SparseFeatures<float>>(data.features);
    EXPECT_TRUE(std::all_of(sparse.value.begin(), sparse.value.end(), [](float v) { return v == 1; }));
}

TEST(RealData, A9aTestSetTakesTheNumberOfFeaturesFromTheCaller) {
    const std::string path = real_data("libsvm/a9a.t.gz");
    if (path.empty()) GTEST_SKIP() << "no a9a.t beside the repository";
    EXPECT_EQ(cols(load_dataset<float>(path).features), 122);
    ReadOptions options;
    options.features = 123;
    const auto data = load_dataset<float>(path, options);
    EXPECT_EQ(cols(data.features), 123);
    EXPECT_EQ(rows(data.features), 16281);
}

TEST(RealData, News20Has1272569NonzerosAnd20Classes) {
    const std::string path = real_data("libsvm/news20.bz2");
    if (path.empty()) GTEST_SKIP() << "no news20 beside the repository";
    const auto data = load_dataset<float>(path);
    EXPECT_EQ(rows(data.features), 15935);
    EXPECT_EQ(cols(data.features), 62061);
    EXPECT_EQ(find_classes(data.labels).size(), 20);
    const auto& sparse = std::get<SparseFeatures<float>>(data.features);
    EXPECT_EQ(sparse.nonzeros(), 1272569);
    EXPECT_EQ(*std::min_element(sparse.value.begin(), sparse.value.end()), 1);
    EXPECT_EQ(*std::max_element(sparse.value.begin(), sparse.value.end()), 549);
}

TEST(RealData, LetterHas26ClassesAnd16FeaturesBetweenMinusOneAndOne) {
    const std::string path = real_data("libsvm/letter.scale.gz");
    if (path.empty()) GTEST_SKIP() << "no letter.scale beside the repository";
    const auto data = load_dataset<double>(path);
    EXPECT_EQ(rows(data.features), 15000);
    EXPECT_EQ(cols(data.features), 16);
    EXPECT_EQ(find_classes(data.labels).size(), 26);
    for (const double x : entries(data.features)) ASSERT_LE(std::abs(x), 1);
}

TEST(RealData, MnistTestImagesAreRawBytesWithTheirLabels) {
    ReadOptions options;
    const std::string path = real_data("mnist/t10k-images-idx3-ubyte.gz");
    options.labels = real_data("mnist/t10k-labels-idx1-ubyte.gz");
    if (path.empty() || options.labels.empty()) GTEST_SKIP() << "no MNIST beside the repository";
    const auto data = load_dataset<float>(path, options);
    EXPECT_EQ(rows(data.features), 10000);
    EXPECT_EQ(cols(data.features), 784);
    EXPECT_EQ(find_classes(data.labels).size(), 10);
    const auto& dense = std::get<DenseFeatures<float>>(data.features);
    EXPECT_EQ(*std::max_element(dense.data(), dense.data() + 7840000), 255);
    EXPECT_EQ(data.labels.number(0), 7);
    EXPECT_EQ(data.labels.number(9999), 6);
}

TEST(RealData, RatingsAreATabSeparatedTable) {
    const std::string path = real_data("ratings/movietweetings-100k.tsv.gz");
    if (path.empty()) GTEST_SKIP() << "no ratings beside the repository";
    const auto data = load_dataset<double>(path);
    EXPECT_EQ(rows(data.features), 100000);
    EXPECT_EQ(cols(data.features), 2);
    EXPECT_EQ(find_classes(data.labels).values.back(), 10);
}

}  // namespace
}  // namespace alfcg

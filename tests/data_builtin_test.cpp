// The built-in data sets: randn has the right distribution, row by row; mnist is the pixels of largest
// variance.

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "data_files.hpp"

namespace alfcg {
namespace {

std::string builtin_problem(const std::string& name, const ReadOptions& options = {}) {
    return message_of<Error>([&] { load_dataset<float>(name, options); });
}

TEST(Randn, EntriesHaveTheMomentsOfTheNormalDistribution) {
    const auto data = load_dataset<double>("randn-2000-251");
    ASSERT_EQ(rows(data.features), 2000);
    ASSERT_EQ(cols(data.features), 251);
    const auto values = entries(data.features);
    const auto n = static_cast<double>(values.size());
    double moment[5] = {};
    double tail = 0;
    for (const double x : values) {
        for (int k = 1; k <= 4; ++k) moment[k] += std::pow(x, k) / n;
        tail += std::abs(x) > 1.959964 ? 1 / n : 0;
    }
    // Five standard errors each: sqrt of 1, 2, 15, 96 and of p (1 - p).
    const double unit = 5 / std::sqrt(n);
    EXPECT_NEAR(moment[1], 0, unit);
    EXPECT_NEAR(moment[2], 1, unit * std::sqrt(2.0));
    EXPECT_NEAR(moment[3], 0, unit * std::sqrt(15.0));
    EXPECT_NEAR(moment[4], 3, unit * std::sqrt(96.0));
    EXPECT_NEAR(tail, 0.05, unit * std::sqrt(0.05 * 0.95));
}

TEST(Randn, NeighbouringEntriesAndRowsAreUncorrelated) {
    constexpr std::size_t d = 200;
    const auto x = entries(load_dataset<double>("randn-2000-200").features);
    for (const std::size_t lag : {std::size_t{1}, std::size_t{2}, d, 2 * d}) {
        double sum = 0;
        for (std::size_t k = lag; k < x.size(); ++k) sum += x[k] * x[k - lag];
        EXPECT_NEAR(sum / static_cast<double>(x.size()), 0, 5 / std::sqrt(static_cast<double>(x.size())))
            << lag;
    }
}

TEST(Randn, LabelsAreUniformOverTheClasses) {
    for (const Index classes : {2, 7, 10}) {
        ReadOptions options;
        options.classes = classes;
        const auto data = load_dataset<float>("randn-20000-1", options);
        std::vector<double> count(static_cast<std::size_t>(classes));
        for (Index i = 0; i < 20000; ++i) count.at(static_cast<std::size_t>(data.labels.number(i))) += 1;
        const double p = 1 / static_cast<double>(classes);
        for (const double c : count) EXPECT_NEAR(c, 20000 * p, 5 * std::sqrt(20000 * p * (1 - p)));
    }
}

TEST(Randn, ThreadsDoNotChangeTheData) {
    ReadOptions options;
    options.threads = 1;
    const auto one = load_dataset<float>("randn-101-33", options);
    for (const int threads : {2, 3, 8}) {
        options.threads = threads;
        const auto more = load_dataset<float>("randn-101-33", options);
        EXPECT_EQ(entries(one.features), entries(more.features));
        EXPECT_EQ(texts(one.labels), texts(more.labels));
    }
}

TEST(Randn, FewerRowsAreAPrefixOfMore) {
    const auto many = load_dataset<double>("randn-50-9");
    ReadOptions options;
    options.rows = 20;
    for (const auto& few :
         {load_dataset<double>("randn-20-9"), load_dataset<double>("randn-50-9", options)}) {
        auto prefix = entries(many.features);
        prefix.resize(180);
        EXPECT_EQ(entries(few.features), prefix);
        auto labels = texts(many.labels);
        labels.resize(20);
        EXPECT_EQ(texts(few.labels), labels);
    }
}

TEST(Randn, SinglePrecisionIsDoublePrecisionRounded) {
    const auto wide = entries(load_dataset<double>("randn-40-7").features);
    const auto narrow = entries(load_dataset<float>("randn-40-7").features);
    for (std::size_t k = 0; k < wide.size(); ++k)
        EXPECT_EQ(narrow[k], static_cast<double>(static_cast<float>(wide[k])));
}

TEST(Randn, AnotherSeedGivesOtherData) {
    ReadOptions options;
    options.data_seed = 1;
    const auto a = entries(load_dataset<double>("randn-20-7").features);
    const auto b = entries(load_dataset<double>("randn-20-7", options).features);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NE(a[k], b[k]);
    // Neither may row i of one seed be row i+1 of the next.
    for (std::size_t k = 7; k < a.size(); ++k) EXPECT_NE(a[k], b[k - 7]);
}

TEST(Builtin, ImpossibleNamesAndSizesAreRefused) {
    for (const char* name :
         {"randn-10", "randn-", "randn--3-4", "randn-3--4", "randn-a-4", "randn-4-", "randn-1e3-4",
          "randn-3-4-5", "randn-3-4 ", "mnist-10", "mnist-x-y", "randn-+3-4"})
        EXPECT_NE(builtin_problem(name).find("neither a file nor a built-in"), std::string::npos) << name;
    for (const char* name : {"randn-0-4", "randn-4-0", "mnist-0-10", "mnist-10-0"})
        EXPECT_NE(builtin_problem(name).find("at least 1"), std::string::npos) << name;
    EXPECT_NE(builtin_problem("mnist-10-785").find("784 pixels"), std::string::npos);
    EXPECT_NE(builtin_problem("mnist-60001-10").find("60000 training images"), std::string::npos);
    EXPECT_NE(builtin_problem("randn-99999999999999999999-2").find("too large"), std::string::npos);
    EXPECT_NE(builtin_problem("randn-9223372036854775807-9223372036854775807").find("GiB of memory"),
              std::string::npos);
    EXPECT_NE(builtin_problem("randn-1000000-100000000").find("GiB of memory"), std::string::npos);
    ReadOptions options;
    options.classes = 1;
    EXPECT_NE(builtin_problem("randn-3-4", options).find("at least 2"), std::string::npos);
    options = {};
    options.features = 5;
    EXPECT_NE(builtin_problem("randn-3-4", options).find("4 features, but 5"), std::string::npos);
    options = {};
    options.rows = -1;
    EXPECT_EQ(builtin_problem("randn-3-4", options), "rows must be positive, not -1");
}

TEST(Builtin, TheNameOfABuiltinWinsOverAFileButAFileMayBeginLikeOne) {
    const TemporaryFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    write_bytes("randn-3-2", "1 1:1\n");
    write_bytes("mnist-train.svm", "1 1:1\n");
    EXPECT_EQ(rows(load_dataset<float>("randn-3-2").features), 3);
    EXPECT_EQ(rows(load_dataset<float>("mnist-train.svm").features), 1);
    std::filesystem::current_path(before);
}

// ---- mnist, on made-up images
// ---------------------------------------------------------------------------------------

class MnistTest : public DataTest {
  protected:
    static constexpr std::uint32_t images = 40;

    MnistTest() : pixels_(images * 784, '\0') {
        // Pixel j ranges over j % 11 + 1 values, so that many variances are equal.
        for (std::size_t i = 0; i < images; ++i)
            for (std::size_t j = 0; j < 784; ++j)
                pixels_[i * 784 + j] = static_cast<char>(20 * (i % (j % 11 + 1)));
        for (std::uint32_t i = 0; i < images; ++i) labels_ += static_cast<char>(i % 10);
        unsetenv("ALFCG_DATA");
    }
    ~MnistTest() override { unsetenv("ALFCG_DATA"); }
    MnistTest(const MnistTest&) = delete;
    MnistTest& operator=(const MnistTest&) = delete;

    void install(const std::string& subfolder, std::string (*compress)(const std::string&),
                 const std::string& suffix) {
        std::filesystem::create_directories(folder_.file(subfolder));
        write(subfolder + "/train-images-idx3-ubyte" + suffix,
              compress(idx_header(8, {images, 28, 28}) + pixels_));
        write(subfolder + "/train-labels-idx1-ubyte" + suffix, compress(idx_header(8, {images}) + labels_));
    }
    ReadOptions here() const {
        ReadOptions options;
        options.data_dir = folder_.path();
        return options;
    }
    /// Naive selection: exact variances by brute force, the lower pixel first among equals.
    std::vector<double> expected(std::size_t n, std::size_t d) const {
        std::vector<std::pair<std::int64_t, std::int64_t>> order;
        for (std::size_t j = 0; j < 784; ++j) {
            std::int64_t twice = 0;  // sum over all pairs of squared differences = N^2 * variance * 2
            for (std::size_t a = 0; a < n; ++a)
                for (std::size_t b = 0; b < n; ++b) {
                    const std::int64_t difference = pixel(a, j) - pixel(b, j);
                    twice += difference * difference;
                }
            order.emplace_back(-twice, static_cast<std::int64_t>(j));
        }
        std::sort(order.begin(), order.end());
        std::vector<std::size_t> chosen;
        for (std::size_t k = 0; k < d; ++k) chosen.push_back(static_cast<std::size_t>(order[k].second));
        std::sort(chosen.begin(), chosen.end());
        std::vector<double> values;
        for (std::size_t i = 0; i < n; ++i)
            for (const std::size_t j : chosen) values.push_back(static_cast<double>(pixel(i, j)) / 255);
        return values;
    }

    std::string pixels_;
    std::string labels_;

  private:
    [[nodiscard]] std::int64_t pixel(std::size_t i, std::size_t j) const {
        return static_cast<unsigned char>(pixels_[i * 784 + j]);
    }
};

TEST_F(MnistTest, ThePixelsOfLargestVarianceAreTakenInPixelOrder) {
    install(".", gzip, ".gz");
    for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{40, 100}, {25, 784}, {7, 1}, {1, 3}}) {
        const auto data =
            load_dataset<double>("mnist-" + std::to_string(n) + "-" + std::to_string(d), here());
        EXPECT_EQ(entries(data.features), expected(n, d)) << n << " " << d;
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_EQ(data.labels.number(static_cast<Index>(i)), static_cast<double>(i % 10));
    }
}

TEST_F(MnistTest, ALimitOnTheRowsCutsAfterTheSelection) {
    install(".", gzip, ".gz");
    ReadOptions options = here();
    options.rows = 5;
    auto prefix = expected(40, 60);
    prefix.resize(300);
    EXPECT_EQ(entries(load_dataset<double>("mnist-40-60", options).features), prefix);
}

TEST_F(MnistTest, FilesAreFoundInSubfoldersInTheEnvironmentAndInAnyCompression) {
    install("mnist", xz, ".xz");
    EXPECT_EQ(rows(load_dataset<float>("mnist-4-6", here()).features), 4);
    setenv("ALFCG_DATA", folder_.path().c_str(), 1);
    EXPECT_EQ(rows(load_dataset<float>("mnist-4-6").features), 4);
    ReadOptions elsewhere;
    elsewhere.data_dir = folder_.file("nowhere");
    EXPECT_EQ(rows(load_dataset<float>("mnist-4-6", elsewhere).features), 4);
}

TEST_F(MnistTest, WhereItLookedIsTold) {
    EXPECT_NE(builtin_problem("mnist-4-6").find("`data-dir`"), std::string::npos);
    setenv("ALFCG_DATA", "/nowhere/else", 1);
    const std::string message = builtin_problem("mnist-4-6", here());
    EXPECT_NE(message.find(folder_.path()), std::string::npos) << message;
    EXPECT_NE(message.find("/nowhere/else"), std::string::npos) << message;
}

TEST_F(MnistTest, WrongFilesAreRefused) {
    install(".", gzip, ".gz");
    EXPECT_NE(builtin_problem("mnist-41-6", here()).find("40 images, but 41 are needed"), std::string::npos);
    write("train-images-idx3-ubyte", idx_header(8, {4, 27, 28}) + std::string(4 * 27 * 28, 'x'));
    EXPECT_NE(builtin_problem("mnist-4-6", here()).find("not the MNIST images"), std::string::npos);
    write("train-images-idx3-ubyte", idx_header(8, {4, 28, 28}) + std::string(3 * 784, 'x'));
    EXPECT_NE(builtin_problem("mnist-4-6", here()).find("truncated"), std::string::npos);
}

TEST_F(MnistTest, TheRealImagesHaveTheirPixelsBetweenZeroAndOne) {
    const std::string path = real_data("mnist/train-images-idx3-ubyte.gz");
    if (path.empty()) GTEST_SKIP() << "no MNIST beside the repository";
    ReadOptions options;
    options.data_dir = std::filesystem::path(path).parent_path().parent_path().string();
    const auto data = load_dataset<float>("mnist-5000-768", options);
    EXPECT_EQ(rows(data.features), 5000);
    EXPECT_EQ(cols(data.features), 768);
    EXPECT_EQ(find_classes(data.labels).size(), 10);
    const auto& dense = std::get<DenseFeatures<float>>(data.features);
    EXPECT_EQ(*std::min_element(dense.data(), dense.data() + 5000 * 768), 0);
    EXPECT_EQ(*std::max_element(dense.data(), dense.data() + 5000 * 768), 1);
    EXPECT_EQ(data.labels.number(0), 5);
}

}  // namespace
}  // namespace alfcg

// With `reproducible`, the same bits for every number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "core/team.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

// Enough rows for several threads: numbers, bytes, and rows with many zeros.
template <class Real>
Dataset<Real> data_of(const std::string& kind) {
    constexpr Index rows = 6000;
    constexpr Index cols = 60;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    Dataset<Real> data;
    data.name = kind;
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    const bool sparse = kind == "sparse";
    for (Index i = 0; i < rows; ++i) {
        double sum = 0;
        for (Index j = 0; j < cols; ++j) {
            const bool zero = kind != "numbers" && random() % 4 != 0;
            const double number = zero              ? 0
                                  : kind == "bytes" ? static_cast<double>(random() % 256) / 255
                                                    : normal(random);
            sum += number * (j % 3 == 0 ? 1 : -0.5);
            if (sparse && zero) continue;
            column.push_back(static_cast<std::int32_t>(j));
            value.push_back(static_cast<Real>(number));
        }
        start.push_back(static_cast<Index>(value.size()));
        data.labels.push(std::floor(std::fmod(std::abs(sum) * 2, 4)));
    }
    if (sparse)
        data.features =
            SparseFeatures<Real>{std::move(start), std::move(column), std::move(value), rows, cols};
    else
        data.features = DenseFeatures<Real>(std::move(value), rows, cols);
    return data;
}

template <class Real>
std::vector<Real> weights(const Dataset<Real>& data, Specification specification, int threads) {
    specification.threads = threads;
    Problem<Real> problem = prepare<Real>(data, specification);
    const auto fitted = fit<Real>(problem, specification.options);
    EXPECT_EQ(fitted.report.threads, threads);
    return {fitted.model.weights.span().begin(), fitted.model.weights.span().end()};
}

template <class Real>
void expect_same_bits(const std::string& kind, const std::string& region, const std::string& method) {
    const Dataset<Real> data = data_of<Real>(kind);
    Specification specification;
    specification.region = {region, {{"radius", 10}}, {}};
    specification.normalization = Normalization::columns;
    specification.options.method = method;
    specification.options.max_iterations = 30;
    specification.reproducible = true;
    const auto expected = weights(data, specification, 1);
    for (const int threads : {2, 3, 7, 16})
        EXPECT_TRUE(weights(data, specification, threads) == expected)
            << kind << ", " << region << ", " << method << ", " << threads << " threads";
}

TEST(Reproducible, EveryNumberOfThreadsGivesTheSameBits) {
    for (const std::string kind : {"numbers", "bytes", "sparse"})
        for (const std::string region : {"nuclear", "l1"})
            for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr2", "alfcg-c"}) {
                expect_same_bits<float>(kind, region, method);
                expect_same_bits<double>(kind, region, method);
            }
}

TEST(Reproducible, ALimitedTeamDoesEveryPart) {
    const TeamLimit limit(1);
    const auto caller = std::this_thread::get_id();
    std::vector<int> parts(8, 0);
    bool alone = true;
    Team::mine().run(8, 8, [&](int part, int item, int) {
        alone = alone && std::this_thread::get_id() == caller && part == item;
        ++parts[static_cast<std::size_t>(item)];
    });
    EXPECT_TRUE(alone);
    EXPECT_EQ(parts, std::vector<int>(8, 1));
}

TEST(Reproducible, TheProgramsModelsAreTheSameBytes) {
    TemporaryFolder folder;
    const auto model = [&](const std::vector<std::string>& arguments, const std::string& threads) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(),
                   {"--reproducible", "--threads", threads, "--quiet", "--json", "--model", "m" + threads});
        const auto result = run_program(all, folder.path());
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(nlohmann::json::parse(result.out)["reproducible"], true);
        return read_bytes(folder.file("m" + threads));
    };
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"train", "randn-5000-40", "--method", "alfcg-fs", "--max-epochs", "10",
                                   "--holdout", "0.2"},
          {"train", "randn-3000-30", "--radius", "auto", "--max-epochs", "30"}}) {
        const std::string expected = model(arguments, "1");
        EXPECT_TRUE(model(arguments, "2") == expected);
        EXPECT_TRUE(model(arguments, "5") == expected);
    }
}

}  // namespace
}  // namespace alfcg

// `alfcg compare` as a user runs it, and its traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "program.hpp"
#include "report/trace.hpp"

namespace alfcg {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::size_t deterministic_methods() {
    const auto all = methods();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const MethodInfo& method) { return method.setting == "deterministic"; }));
}

TEST(Compare, WritesOneTracePerRunAndRanksTheMeans) {
    TemporaryFolder folder;
    const auto result = run_program({"compare", "randn-400-20", "--methods", "deterministic,alfcg-fs,saga-fw",
                                     "--seeds", "3", "--max-epochs", "4", "--output", "out", "--quiet"},
                                    folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    const fs::path out = folder.file("out");
    EXPECT_TRUE(fs::exists(out / "report.html"));
    EXPECT_TRUE(fs::exists(out / "figures" / "suboptimality-epochs.svg"));
    const json summary = json::parse(read_bytes((out / "summary.json").string()));
    EXPECT_EQ(summary["command"],
              "alfcg compare randn-400-20 --methods deterministic,alfcg-fs,saga-fw --seeds 3 --max-epochs 4 "
              "--output out "
              "--quiet");
    EXPECT_EQ(summary["runs"].size(), deterministic_methods() + 2 * 3);
    std::map<std::string, std::vector<double>> finals;
    for (const json& run : summary["runs"]) {
        const std::string file = (out / run["trace"].get<std::string>()).string();
        const auto rows = parse_trace(read_bytes(file), file);
        EXPECT_EQ(rows.front().iteration, 0);
        EXPECT_EQ(rows.front().epochs, 0);
        EXPECT_FALSE(rows.back().step.has_value());
        EXPECT_GE(rows.back().epochs, 4);
        EXPECT_EQ(rows.back().objective, run["objective"].get<double>());
        finals[run["method"]].push_back(rows.back().objective);
    }
    double previous = -1;
    EXPECT_EQ(summary["ranking"].size(), deterministic_methods() + 2);
    for (const json& entry : summary["ranking"]) {
        double mean = 0;
        const auto& values = finals[entry["method"]];
        for (const double value : values) mean += value / static_cast<double>(values.size());
        EXPECT_NEAR(entry["objective"].get<double>(), mean, 1e-12);
        EXPECT_GE(entry["objective"].get<double>(), previous);
        previous = entry["objective"];
    }
}

TEST(Compare, ShowsWhatTheModelsAreWorthAsTrainDoes) {
    TemporaryFolder folder;
    const std::vector<std::string> problem{"randn-300-8", "--classes", "3",        "--holdout", "0.25",
                                           "--seed",      "5",         "--radius", "4"};
    std::vector<std::string> arguments{
        "compare",  "--methods", "alfcg-d,alfcg-fs", "--seeds", "2", "--json", "--quiet",
        "--output", "out",       "--max-iterations", "12"};
    arguments.insert(arguments.end(), problem.begin(), problem.end());
    const auto result = run_program(arguments, folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    const json summary = json::parse(result.out);
    const char* const keys[] = {"accuracy", "holdout_accuracy", "rank", "nonzeros"};
    std::map<std::string, std::map<std::string, double>> sums;
    for (const json& run : summary["runs"]) {
        for (const char* key : keys) sums[run["method"]][key] += run.at(key).get<double>();
        if (run["seed"] != 5) continue;  // the seed chooses the rows that are held out
        std::vector<std::string> train{"train",  "--method",      run["method"].get<std::string>(),
                                       "--json", "--quiet",       "--max-iterations",
                                       "12",     "--no-intercept"};
        train.insert(train.end(), problem.begin(), problem.end());
        const json alone = json::parse(run_program(train, folder.path()).out);
        for (const char* key : keys) EXPECT_EQ(run.at(key), alone.at(key)) << run["method"] << " " << key;
    }
    for (const json& entry : summary["ranking"])
        for (const char* key : keys)
            EXPECT_NEAR(entry.at(key).get<double>() * entry["runs"].get<double>(), sums[entry["method"]][key],
                        1e-9);
    const std::string page = read_bytes(folder.file("out/report.html"));
    EXPECT_NE(page.find("<title>alfcg compare randn-300-8"), std::string::npos);
    for (const char* column : {"accuracy", "test", "rank", "non-zeros"})
        EXPECT_NE(page.find("<button type=\"button\">" + std::string(column) + "<"), std::string::npos)
            << column;
    EXPECT_NE(page.find("75 rows, 8 features"), std::string::npos) << "it says how many rows were held out";
}

TEST(Compare, ShowsErrorsOfARegression) {
    TemporaryFolder folder;
    std::string text;
    for (int i = 0; i < 40; ++i) text += std::to_string(0.5 * i) + " 1:" + std::to_string(i) + "\n";
    write_bytes(folder.file("line.libsvm"), text);
    const auto result = run_program({"compare", "line.libsvm", "--methods", "alfcg-d,fw-armijo", "--loss",
                                     "squared", "--holdout", "0.5", "--max-epochs", "30"},
                                    folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    for (const char* word : {" error ", " test ", " non-zeros "})
        EXPECT_NE(result.out.find(word), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find('%'), std::string::npos);
    const json summary = json::parse(read_bytes(folder.file("line.compare/summary.json")));
    EXPECT_TRUE(summary["ranking"][0].contains("holdout_mean_squared_error"));
    EXPECT_FALSE(summary["ranking"][0].contains("rank")) << "a vector has none";
}

TEST(Compare, OutputsAreNamedAfterTheDataLessTheEndings) {
    const std::string rows = "1 1:1\n0 1:2\n1 1:3\n0 1:4\n";
    for (const auto& [file, name] : std::map<std::string, std::string>{
             {"a9a", "a9a"},
             {"a9a.t", "a9a.t"},
             {"letter.scale", "letter.scale"},
             {"x.libsvm", "x"},
             {"x.SVM", "x"},
             {"v1.2.txt", "v1.2"},
             {".svm", ".svm"},
             {"my data.svm", "my data"},
             {"x.svm.svm", "x.svm"},
         }) {
        TemporaryFolder folder;
        TemporaryFolder elsewhere;
        write_bytes(elsewhere.file(file), rows);
        const auto trained =
            run_program({"train", elsewhere.file(file), "--max-iterations", "2"}, folder.path());
        EXPECT_EQ(trained.status, 0) << trained.err;
        EXPECT_TRUE(fs::exists(folder.file(name + ".model.npz"))) << file;
        EXPECT_EQ(
            run_program({"compare", elsewhere.file(file), "--max-iterations", "2", "--methods", "alfcg-d"},
                        folder.path())
                .status,
            0);
        EXPECT_TRUE(fs::exists(folder.file(name + ".compare/report.html"))) << file;
        EXPECT_EQ(folder.count(), 2);
    }
}

TEST(Compare, RefusesWhatIsNoMethodOrNoParameterOfAny) {
    TemporaryFolder folder;
    const auto message = [&](const std::vector<std::string>& extra) {
        std::vector<std::string> arguments{"compare", "randn-50-5"};
        arguments.insert(arguments.end(), extra.begin(), extra.end());
        const auto result = run_program(arguments, folder.path());
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(folder.count(), 0);
        return result.err;
    };
    EXPECT_NE(message({"--methods", "alfcg-d,nonsense"}).find("'nonsense'"), std::string::npos);
    EXPECT_NE(message({"--methods", "alfcg-d", "--momentum", "0.5"}).find("--momentum"), std::string::npos);
    for (const std::string rho : {"1", "auto", "probe"}) {
        EXPECT_NE(
            message({"--methods", "sfw,fw-armijo", "--rho", rho}).find("--rho is not a parameter of any"),
            std::string::npos)
            << rho;
    }
    EXPECT_NE(message({"--seeds", "0"}).find("--seeds"), std::string::npos);
    EXPECT_NE(message({"--max-epochs", "-3"}).find("negative"), std::string::npos);
}

TEST(Compare, LeavesOutWhatDoesNotWorkUnlessItIsNamed) {
    TemporaryFolder folder;
    const auto compare = [&](const std::string& methods) {
        return run_program({"compare", "randn-3000-260", "--classes", "300", "--region", "nuclear",
                            "--max-iterations", "2", "--json", "--quiet", "--methods", methods},
                           folder.path());
    };
    // Over a nuclear ball with two long sides, nearest points are not cheap.
    const auto result = compare("fw-openloop,corrective");
    ASSERT_EQ(result.status, 0) << result.err;
    const json summary = json::parse(result.out);
    EXPECT_NE(summary.at("left_out").at("accelerated").get<std::string>().find("nuclear ball"),
              std::string::npos);
    const auto named = compare("fw-openloop,accelerated");
    EXPECT_EQ(named.status, 2);
    EXPECT_NE(named.err.find("--method accelerated needs the nearest point"), std::string::npos) << named.err;
}

TEST(Compare, RhoInWordsGoesToTheMethodsThatHaveIt) {
    TemporaryFolder folder;
    const auto objectives = [&](const std::vector<std::string>& rho) {
        std::vector<std::string> arguments{
            "compare",  "randn-60-5", "--methods", "alfcg-d,fw-armijo", "--region", "l2",
            "--radius", "3",          "--quiet",   "--max-iterations",  "9",        "--json"};
        arguments.insert(arguments.end(), rho.begin(), rho.end());
        const auto result = run_program(arguments, folder.path());
        EXPECT_EQ(result.status, 0) << result.err;
        std::map<std::string, double> found;
        const json summary = json::parse(result.out);
        for (const json& run : summary["runs"])
            found[run["method"].get<std::string>()] = run["objective"].get<double>();
        EXPECT_EQ(found.size(), 2U);
        return found;
    };
    const auto without = objectives({});
    EXPECT_EQ(objectives({"--rho", "auto"}), without);
    const auto probed = objectives({"--rho", "probe"});
    EXPECT_NE(probed.at("alfcg-d"), without.at("alfcg-d"));
    EXPECT_EQ(probed.at("fw-armijo"), without.at("fw-armijo"));
}

TEST(Trace, TextReadsBackExactly) {
    TraceRow row;
    row.iteration = 3;
    row.epochs = 1.0 / 3;
    row.objective = 2.3025850929940455;
    row.gap = 1e-300;
    row.error = 0.1;
    const auto rows = parse_trace(trace_text({row, row}), "t");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].epochs, row.epochs);
    EXPECT_EQ(rows[1].gap, row.gap);
    EXPECT_FALSE(rows[1].step.has_value());
    EXPECT_EQ(*rows[1].error, 0.1);
    for (const std::string bad :
         {"x,y\n", "iteration,epochs,seconds,objective,gap,step,curvature,alpha,error\n1,2\n",
          "iteration,epochs,seconds,objective,gap,step,curvature,alpha,error\n1,2,3,4,5,,,,"}) {
        EXPECT_THROW(parse_trace(bad, "t"), Error);
    }
}

}  // namespace
}  // namespace alfcg

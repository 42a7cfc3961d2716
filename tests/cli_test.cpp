#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "alfcg/alfcg.hpp"
#include "program.hpp"
#include "reference/samples.hpp"
#include "reference/solve.hpp"

namespace alfcg {
namespace {

using nlohmann::json;

// The rows of a trace file, cells as text.
std::vector<std::vector<std::string>> read_trace(const std::string& path) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream file(read_bytes(path));
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "iteration,epochs,seconds,objective,gap,step,curvature,alpha,error");
    while (std::getline(file, line)) {
        std::vector<std::string> cells(1);
        for (const char c : line) {
            if (c == ',') {
                cells.emplace_back();
            } else {
                cells.back() += c;
            }
        }
        EXPECT_EQ(cells.size(), 9U) << line;
        rows.push_back(cells);
    }
    return rows;
}

// A reference problem as a LIBSVM file, numbers in full.
std::string libsvm_text(const reference::Problem& problem) {
    std::ostringstream text;
    text.precision(17);
    for (reference::Index i = 0; i < problem.rows(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (problem.classes.empty()) {
            text << problem.targets[k];
        } else {
            text << problem.classes[k];
        }
        for (reference::Index j = 0; j < problem.features(); ++j)
            text << ' ' << j + 1 << ':' << problem.X(i, j);
        text << '\n';
    }
    return text.str();
}

class Cli : public testing::Test {
  protected:
    TemporaryFolder folder_;

    std::string write(const std::string& name, const std::string& bytes) {
        write_bytes(folder_.file(name), bytes);
        return folder_.file(name);
    }
    ProgramResult run(const std::vector<std::string>& arguments) {
        return run_program(arguments, folder_.path());
    }
    // train with --json --quiet; the summary.
    json train(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "train");
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return json::parse(result.out);
    }
};

TEST_F(Cli, TraceOfTheProgramAgreesWithTheReference) {
    for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"}) {
        auto problem = reference::random_problem("multinomial", 50, 7);
        problem.region = "nuclear";
        problem.radius = 3;
        problem.nuclear = 0.01;
        const auto expected = reference::run_drawing(problem, {.method = method, .rho = 0.8}, 25, 4);
        const std::string data = write("data.svm", libsvm_text(problem));
        const std::string batches = write("batches.txt", reference::batches_text(expected.draws));
        const json summary =
            train({data,      "--method",         method,     "--rho",         "0.8",   "--region",
                   "nuclear", "--radius",         "3",        "--nuclear",     "0.01",  "--precision",
                   "f64",     "--max-iterations", "25",       "--trace",       "t.csv", "--batches",
                   batches,   "--batches-out",    "used.txt", "--no-intercept"});
        const auto rows = read_trace(folder_.file("t.csv"));
        ASSERT_EQ(rows.size(), 26U);
        for (std::size_t t = 0; t < rows.size(); ++t) {
            const auto& row = rows[t];
            const auto& right = expected.rows[t];
            EXPECT_EQ(row[0], std::to_string(t));
            EXPECT_NEAR(std::stod(row[1]), right.epochs, 1e-12);
            EXPECT_NEAR(std::stod(row[3]) / right.objective, 1, 1e-8);
            EXPECT_NEAR(std::stod(row[4]) / right.gap, 1, 1e-8);
            EXPECT_EQ(row[5].empty(), !right.step.has_value());
            if (right.step) {
                EXPECT_NEAR(std::stod(row[5]) / *right.step, 1, 1e-8);
                EXPECT_NEAR(std::stod(row[6]) / *right.curvature, 1, 1e-8);
                EXPECT_NEAR(std::stod(row[8]), *right.error, 1e-8 * *right.error + 1e-20);
            }
            EXPECT_EQ(row[7].empty(), !right.alpha.has_value());
            if (right.alpha) {
                EXPECT_NEAR(std::stod(row[7]) / *right.alpha, 1, 1e-8);
            }
        }
        EXPECT_EQ(read_bytes(folder_.file("used.txt")), read_bytes(batches)) << method;
        EXPECT_EQ(summary["status"], "max-iterations");
    }
}

TEST_F(Cli, SummaryHasTheKeysOfTheContract) {
    const json summary =
        train({"randn-300-20", "--max-epochs", "5", "--method", "alfcg-mvr1", "--model", "m.npz"});
    for (const char* key :
         {"status", "iterations", "epochs", "function_evaluations", "seconds", "objective", "gap", "accuracy",
          "rank", "nonzeros", "method", "rho", "seed", "threads", "model"}) {
        EXPECT_TRUE(summary.contains(key)) << key;
    }
    EXPECT_EQ(summary["status"], "max-epochs");
    EXPECT_GE(summary["epochs"].get<double>(), 5);
    EXPECT_EQ(summary["method"], "alfcg-mvr1");
    EXPECT_EQ(summary["model"], "m.npz");
    EXPECT_TRUE(std::filesystem::exists(folder_.file("m.npz")));
}

TEST_F(Cli, RhoIsFoundUnlessItIsGiven) {
    for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"}) {
        const auto summary = [&](const std::vector<std::string>& rho) {
            std::vector<std::string> arguments{"randn-200-10", "--method", method, "--max-epochs", "5"};
            arguments.insert(arguments.end(), rho.begin(), rho.end());
            return train(arguments);
        };
        const json automatic = summary({"--rho", "auto"});
        const json silent = summary({});
        const json probed = summary({"--rho", "probe"});
        const json given = summary({"--rho", "0.5"});
        for (const json& run : {automatic, silent, probed, given}) {
            ASSERT_TRUE(run["rho"].is_number()) << method;
            EXPECT_GT(run["rho"].get<double>(), 0);
        }
        for (const char* key : {"iterations", "epochs", "objective", "gap", "rho"})
            EXPECT_EQ(automatic[key], silent[key]) << method;
        EXPECT_NE(automatic["objective"], probed["objective"]) << method;
        EXPECT_EQ(given["rho"], 0.5);
    }
}

TEST_F(Cli, TraceEveryKKeepsTheFirstAndTheLastRow) {
    train({"randn-100-5", "--method", "alfcg-d", "--max-iterations", "10", "--trace", "t.csv",
           "--trace-every", "4"});
    std::vector<std::string> iterations;
    for (const auto& row : read_trace(folder_.file("t.csv"))) iterations.push_back(row[0]);
    EXPECT_EQ(iterations, (std::vector<std::string>{"0", "4", "8", "10"}));
}

TEST_F(Cli, StopsAtTheGapOnTheRowThatReachesIt) {
    for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"}) {
        const json summary = train({"randn-300-10", "--method", method, "--radius", "1", "--gap", "0.02",
                                    "--max-epochs", "2000", "--trace", "t.csv"});
        EXPECT_EQ(summary["status"], "converged") << method;
        EXPECT_LE(summary["gap"].get<double>(), 0.02);
        const auto rows = read_trace(folder_.file("t.csv"));
        for (std::size_t t = 0; t + 1 < rows.size(); ++t) EXPECT_GT(std::stod(rows[t][4]), 0.02);
        EXPECT_LE(std::stod(rows.back()[4]), 0.02);
    }
}

TEST_F(Cli, SameSeedAndThreadsGiveTheSameFiles) {
    for (const std::string threads : {"1", "2"}) {
        const std::vector<std::string> common{
            "randn-3000-40", "--method", "alfcg-fs",  "--max-epochs", "5", "--seed", "7",
            "--batches-out", "b.txt",    "--threads", threads};
        auto arguments = common;
        arguments.insert(arguments.end(), {"--model", "a.npz"});
        train(arguments);
        const std::string model = read_bytes(folder_.file("a.npz"));
        const std::string batches = read_bytes(folder_.file("b.txt"));
        train(arguments);
        EXPECT_TRUE(read_bytes(folder_.file("a.npz")) == model);
        EXPECT_TRUE(read_bytes(folder_.file("b.txt")) == batches);
    }
}

TEST_F(Cli, PlainRowsComeAtPowersOfTwoWhenPiped) {
    const auto result = run({"train", "randn-100-5", "--method", "alfcg-d", "--max-iterations", "20"});
    EXPECT_EQ(result.status, 0);
    std::vector<std::string> numbers;
    std::istringstream lines(result.out);
    std::string line;
    bool table = false;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (table && first.empty()) break;
        if (table) numbers.push_back(first);
        if (first == "iteration") table = true;
    }
    EXPECT_EQ(numbers, (std::vector<std::string>{"1", "2", "4", "8", "16", "20"}));
    EXPECT_EQ(result.out.find('\r'), std::string::npos);
    EXPECT_EQ(result.out.find('\033'), std::string::npos);
}

TEST_F(Cli, PredictScoresLabelsAndWritesThem) {
    // One feature decides: the model must be right on every row, and give the labels back as they were
    // written.
    std::string text = "size,kind\n";
    for (int i = 0; i < 40; ++i) text += (i % 2 == 0 ? "1.5,\"small, red\"\n" : "-1.5,big\n");
    const std::string data = write("things.csv", text);
    train({data, "--max-iterations", "50", "--model", "m.npz"});
    const auto result = run({"predict", "m.npz", data});
    EXPECT_EQ(result.status, 0) << result.err;
    std::string expected;
    for (int i = 0; i < 40; ++i) expected += i % 2 == 0 ? "small, red\n" : "big\n";
    EXPECT_EQ(result.out, expected + "Accuracy = 100% (40/40)\n");

    const auto quiet = run({"predict", "m.npz", data, "--output", "p.txt"});
    EXPECT_EQ(quiet.out, "Accuracy = 100% (40/40)\n");
    EXPECT_EQ(read_bytes(folder_.file("p.txt")), expected);

    const auto probable = run({"predict", "m.npz", data, "--probabilities", "--quiet"});
    std::istringstream lines(probable.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "big,\"small, red\"");
    int rows = 0;
    for (; std::getline(lines, line); ++rows) {
        const double big = std::stod(line);
        EXPECT_NEAR(big + std::stod(line.substr(line.find(',') + 1)), 1, 1e-6);
        EXPECT_EQ(big > 0.5, rows % 2 == 1);
    }
    EXPECT_EQ(rows, 40);

    // Data without labels: predictions alone.
    const std::string bare = write("bare.csv", "size\n1.5\n-1.5\n");
    EXPECT_EQ(run({"predict", "m.npz", bare}).out, "small, red\nbig\n");
}

TEST_F(Cli, RegressionPrintsTheMeanSquaredError) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += std::to_string(0.5 * (i % 7)) + " 1:" + std::to_string(i % 7) + "\n";
    const std::string data = write("line.svm", text);
    const json summary =
        train({data, "--max-iterations", "3000", "--rho", "10", "--radius", "2", "--model", "m.npz"});
    EXPECT_NEAR(summary["mean_squared_error"].get<double>(), 0, 1e-4);
    EXPECT_FALSE(summary.contains("accuracy"));
    const auto result = run({"predict", "m.npz", data, "--output", "p.txt"});
    EXPECT_EQ(result.out.rfind("Mean squared error = ", 0), 0U) << result.out;
}

TEST_F(Cli, NormalisationTravelsWithTheModel) {
    for (const std::string kind : {"rows", "columns", "spectral"}) {
        auto problem = reference::random_problem("multinomial", 80, 6);
        problem.X.col(2) *= 100;
        const std::string data = write("d.svm", libsvm_text(problem));
        const json summary = train(
            {data, "--normalize", kind, "--radius", "200", "--max-iterations", "50", "--model", "m.npz"});
        const auto result = run({"predict", "m.npz", data, "--json"});
        EXPECT_EQ(json::parse(result.out)["accuracy"], summary["accuracy"]) << kind;
    }
}

TEST_F(Cli, HoldOutReportsAccuracyOnRowsNotTrainedOn) {
    const json summary = train({"randn-500-10", "--holdout", "0.2", "--max-iterations", "5"});
    EXPECT_EQ(summary["rows"], 400);
    EXPECT_TRUE(summary.contains("holdout_accuracy"));
}

TEST_F(Cli, CtrlCFinishesTheIterationAndWritesEverything) {
    Program program({"train", "randn-2000-50", "--method", "alfcg-d", "--max-seconds", "1000", "--model",
                     "m.npz", "--trace", "t.csv"},
                    folder_.path());
    // Some rows of the table are out: the run is under way.
    while (program.output_so_far().find("\n        16 ") == std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    program.signal(SIGINT);
    const auto result = program.wait();
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_NE(result.out.find("interrupted after"), std::string::npos);
    const auto rows = read_trace(folder_.file("t.csv"));
    EXPECT_GE(rows.size(), 17U);
    EXPECT_TRUE(rows.back()[5].empty());
    EXPECT_EQ(run({"predict", "m.npz", "randn-2000-50", "--output", "p"}).status, 0);
}

TEST_F(Cli, CatalogueHasOneLineEach) {
    const auto lines = [&](const std::string& command) {
        const auto result = run({command});
        EXPECT_EQ(result.status, 0);
        return static_cast<std::size_t>(std::count(result.out.begin(), result.out.end(), '\n'));
    };
    EXPECT_EQ(lines("methods"), methods().size());
    EXPECT_EQ(lines("regions"), regions().size());
    EXPECT_EQ(lines("losses"), losses().size());
}

TEST_F(Cli, DemoFindsThePlantedRank) {
    const auto result = run({"demo"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
    std::size_t found = 0;
    for (std::size_t at = 0; (at = result.out.find("%, rank 3", at)) != std::string::npos; ++at) ++found;
    EXPECT_EQ(found, 3U) << result.out;  // two methods, and the truth
    EXPECT_EQ(folder_.count(), 0) << "the demo leaves no files behind";
}

TEST_F(Cli, EveryCommandExplainsItself) {
    for (const std::string command : {"train", "predict", "methods", "regions", "losses", "demo"}) {
        const auto result = run({command, "--help"});
        EXPECT_EQ(result.status, 0);
        EXPECT_FALSE(result.out.empty());
    }
    EXPECT_EQ(run({"--version"}).status, 0);
    EXPECT_EQ(run({}).status, 2);
}

}  // namespace
}  // namespace alfcg

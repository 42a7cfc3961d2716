// `alfcg compare` and `alfcg reproduce` as a user runs them, and the rules behind their verdicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "program.hpp"
#include "report/reproduction.hpp"

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

TEST(Reproduce, GoesOnAfterAKillWithoutRepeatingFinishedRuns) {
    TemporaryFolder folder;
    const std::vector<std::string> command{"reproduce",  "1",           "--max-epochs", "6",
                                           "--data-dir", folder.path(), "--output",     "rep"};
    const auto runs = [&] {
        std::map<std::string, fs::file_time_type> files;
        if (!fs::exists(folder.file("rep/runs"))) return files;
        for (const auto& entry : fs::recursive_directory_iterator(folder.file("rep/runs"))) {
            if (entry.path().extension() == ".csv") files[entry.path().string()] = entry.last_write_time();
        }
        return files;
    };
    Program killed(command, folder.path());
    while (runs().size() < 5) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    killed.signal(SIGKILL);
    EXPECT_EQ(killed.wait().status, 128 + SIGKILL);
    const auto before = runs();
    EXPECT_FALSE(fs::exists(folder.file("rep/report.html")));

    const auto result = run_program(command, folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("MNIST panels skipped"), std::string::npos) << "it says what is missing";
    const auto after = runs();
    EXPECT_EQ(after.size(), 2 * 4 * deterministic_methods()) << "two comparisons";
    for (const auto& [file, time] : before) EXPECT_EQ(after.at(file), time) << file;
    const json summary = json::parse(read_bytes(folder.file("rep/summary.json")));
    EXPECT_EQ(summary["verdicts"].size(), 2U * 4U);
    EXPECT_TRUE(fs::exists(folder.file("rep/report.html")));
    EXPECT_TRUE(fs::exists(folder.file("rep/figures/figure-1a.svg")));
    EXPECT_TRUE(fs::exists(folder.file("rep/figures/figure-1a-auto.svg")));
}

TEST(Reproduce, TellsItsComparisonsApartAndTheCommandAsTyped) {
    TemporaryFolder folder;
    const auto result = run_program({"reproduce", "1", "4", "--max-iterations", "2", "--data-dir",
                                     folder.path(), "--output", "rep", "--quiet"},
                                    folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    const json summary = json::parse(read_bytes(folder.file("rep/summary.json")));
    EXPECT_EQ(summary["command"],
              "alfcg reproduce 1 4 --max-iterations 2 --data-dir " + folder.path() + " --output rep --quiet");
    const std::string page = read_bytes(folder.file("rep/report.html"));
    for (const std::string name :
         {"Figure 1, rho 1e-5", "Figure 4, rho 1e-5", "Figure 1, rho auto", "Figure 4, rho auto"})
        EXPECT_NE(page.find(">" + name + "</a>"), std::string::npos) << name;
}

TEST(Reproduce, PanelsAreThoseOfThePaper) {
    const auto panels = paper_panels(5);
    ASSERT_EQ(panels.size(), 8U);
    EXPECT_EQ(panels[0].letter, 'a');
    EXPECT_EQ(panels[7].letter, 'h');
    EXPECT_EQ(panels[1].data, "mnist");
    EXPECT_EQ(panels[1].radius, 10);
    EXPECT_EQ(panels[4].radius, 1);
    EXPECT_EQ(panels[6].radius, 1000);
    EXPECT_EQ(panels[0].region, "lp");
    EXPECT_EQ(panels[0].setting, "finite-sum");
    EXPECT_EQ(paper_panels(7).size(), 16U);
    for (const auto& panel : paper_panels(7))
        for (const std::string& method : select_methods(panel.setting))
            EXPECT_NE(setting_of(method), "corrective") << "no part of the paper";
    EXPECT_THROW(paper_panels(8), Error);
}

// Runs that start at 1 and end where told.
std::vector<RunRecord> runs_ending(const std::map<std::string, double>& ends) {
    std::vector<RunRecord> runs;
    for (const auto& [method, end] : ends) {
        TraceRow first;
        first.objective = 1;
        TraceRow last;
        last.iteration = 10;
        last.objective = end;
        runs.push_back({method, setting_of(method), 0, "max-epochs", std::nullopt, {first, last}});
    }
    return runs;
}

TEST(Reproduce, VerdictsFollowTheirRules) {
    using Outcome = Verdict::Outcome;
    std::map<std::string, double> ends{{"fw-openloop", 0.5}, {"fw-shortstep", 0.5}, {"fw-momentum", 0.5},
                                       {"fw-sliding", 0.5},  {"fw-armijo", 0.1},    {"fw-parafree", 0.2},
                                       {"alfcg-d", 0.13}};
    const auto outcome = [&](const char* setting) { return judge(setting, runs_ending(ends)).outcome; };
    EXPECT_EQ(outcome("deterministic"), Outcome::held);  // 0.03/0.9 above Armijo
    EXPECT_EQ(judge("deterministic", runs_ending(ends)).rank, 2);
    ends["alfcg-d"] = 0.3;
    EXPECT_EQ(outcome("deterministic"), Outcome::partly);
    ends["alfcg-d"] = 0.6;
    EXPECT_EQ(outcome("deterministic"), Outcome::failed);
    for (auto& [method, end] : ends) end = 0.5;
    ends["fw-momentum"] = 0.504;
    EXPECT_EQ(outcome("deterministic"), Outcome::tied);

    ends = {{"svfw", 0.5},         {"saga-fw", 0.4},  {"spider-cg", 0.5},
            {"onesample-fw", 0.5}, {"sarah-fw", 0.5}, {"alfcg-fs", 0.3}};
    EXPECT_EQ(outcome("finite-sum"), Outcome::held);
    ends["alfcg-fs"] = 0.42;
    EXPECT_EQ(outcome("finite-sum"), Outcome::partly);
    ends["alfcg-fs"] = 1.5;
    const Verdict diverged = judge("finite-sum", runs_ending(ends));
    EXPECT_EQ(diverged.outcome, Outcome::failed);
    EXPECT_NE(diverged.reason.find("above its start"), std::string::npos);

    ends = {{"sfw", 0.5},  {"sfw-gb", 0.5},     {"onesample-storm", 0.5}, {"onesample-ema", 0.4},
            {"srfw", 0.5}, {"alfcg-mvr1", 0.3}, {"alfcg-mvr2", 0.2}};
    EXPECT_EQ(outcome("expectation"), Outcome::held);
    ends["alfcg-mvr1"] = 0.45;
    EXPECT_EQ(outcome("expectation"), Outcome::partly);
    ends["alfcg-mvr2"] = 0.45;
    EXPECT_EQ(outcome("expectation"), Outcome::failed);
}

TEST(Reproduce, EqualEndsShareARankAndDivergenceIsNoTie) {
    std::map<std::string, double> ends{{"svfw", 0.5},         {"saga-fw", 0.3},  {"spider-cg", 0.5},
                                       {"onesample-fw", 0.5}, {"sarah-fw", 0.3}, {"alfcg-fs", 0.3}};
    EXPECT_EQ(judge("finite-sum", runs_ending(ends)).rank, 1);
    for (auto& [method, end] : ends) end = 1.001;
    const Verdict all_above = judge("finite-sum", runs_ending(ends));
    EXPECT_EQ(all_above.outcome, Verdict::Outcome::failed);
    EXPECT_EQ(all_above.reason, "no method ends below its start");
    ends.erase("alfcg-fs");
    EXPECT_THROW(judge("finite-sum", runs_ending(ends)), Error);
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

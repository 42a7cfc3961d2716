// --checkpoint and --resume, as a user meets them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "cli/gap_forecast.hpp"
#include "data_files.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

class CheckpointCommand : public ::testing::Test {
  protected:
    ProgramResult train(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"train"});
        return run_program(arguments, folder.path());
    }
    std::string bytes(const std::string& name) const { return read_bytes(folder.file(name)); }
    // A trace without its third column, the seconds.
    std::string trace(const std::string& name) const {
        std::ifstream file(folder.file(name));
        std::string text;
        for (std::string line; std::getline(file, line);) {
            std::size_t comma = line.find(',', line.find(',') + 1);
            text += line.substr(0, comma) + line.substr(line.find(',', comma + 1)) + "\n";
        }
        return text;
    }
    void refused(const std::vector<std::string>& arguments, const std::string& why) const {
        const ProgramResult result = train(arguments);
        EXPECT_EQ(result.status, 2);
        EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    }

    TemporaryFolder folder;
};

TEST_F(CheckpointCommand, ALongerBudgetIsTheSameRun) {
    for (const std::string method : {"alfcg-d", "alfcg-fs", "saga-fw"}) {
        SCOPED_TRACE(method);
        const std::vector<std::string> run{"randn-600-30", "--method", method, "--threads", "2",
                                           "--radius",     "60"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), run.begin(), run.end());
            return train(more);
        };
        ASSERT_EQ(with({"--max-iterations", "60", "--model", "whole.npz", "--trace", "whole.csv",
                        "--batches-out", "whole.txt"})
                      .status,
                  0);
        ASSERT_EQ(with({"--max-iterations", "23", "--model", "half.npz", "--trace", "half.csv",
                        "--batches-out", "half.txt", "--checkpoint", "state"})
                      .status,
                  0);
        const ProgramResult rest = with({"--max-iterations", "60", "--model", "half.npz", "--trace",
                                         "half.csv", "--batches-out", "half.txt", "--resume", "state"});
        ASSERT_EQ(rest.status, 0) << rest.err;
        EXPECT_NE(rest.out.find("resume     state"), std::string::npos) << rest.out;
        EXPECT_EQ(bytes("whole.npz"), bytes("half.npz"));
        EXPECT_EQ(trace("whole.csv"), trace("half.csv"));
        EXPECT_EQ(bytes("whole.txt"), bytes("half.txt"));
    }
}

TEST_F(CheckpointCommand, AnInterruptedRunGoesOn) {
    const std::vector<std::string> run{"randn-2000-100",   "--method", "alfcg-mvr2", "--threads", "1",
                                       "--max-iterations", "20000",    "--quiet"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"train"};
        arguments.insert(arguments.end(), run.begin(), run.end());
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    ASSERT_EQ(run_program(with({"--model", "whole.npz"}), folder.path()).status, 0);
    Program program(with({"--model", "part.npz", "--checkpoint", "state", "--checkpoint-every", "0.01"}),
                    folder.path());
    while (!std::filesystem::exists(folder.file("state"))) std::this_thread::yield();
    program.signal(SIGINT);
    const ProgramResult part = program.wait();
    if (part.status == 0) GTEST_SKIP() << "the run was over before it could be interrupted";
    EXPECT_EQ(part.status, 130);
    ASSERT_EQ(run_program(with({"--model", "part.npz", "--resume", "state"}), folder.path()).status, 0);
    EXPECT_EQ(bytes("whole.npz"), bytes("part.npz"));
}

TEST_F(CheckpointCommand, EarlyStopRemembersItsBest) {
    const std::vector<std::string> run{"randn-800-60", "--method", "sfw",          "--holdout",  "0.3",
                                       "--radius",     "40",       "--early-stop", "--patience", "3000",
                                       "--threads",    "1",        "--quiet"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), run.begin(), run.end());
        return train(more);
    };
    ASSERT_EQ(with({"--max-epochs", "40", "--model", "whole.npz"}).status, 0);
    ASSERT_EQ(with({"--max-epochs", "11.5", "--model", "half.npz", "--checkpoint", "state"}).status, 0);
    ASSERT_EQ(with({"--max-epochs", "40", "--model", "half.npz", "--resume", "state"}).status, 0);
    EXPECT_EQ(bytes("whole.npz"), bytes("half.npz"));
}

// After each radius the file is there; what is killed later goes on from it.
TEST_F(CheckpointCommand, AKilledPathGoesOn) {
    std::mt19937 random(3);
    std::string rows;
    for (int i = 0; i < 400; ++i) {
        rows += random() % 2 == 0 ? "1" : "-1";
        for (std::size_t j = 1 + random() % 60; j <= 300; j += 1 + random() % 60)
            rows += " " + std::to_string(j) + ":" + std::to_string(1 + random() % 5);
        rows += "\n";
    }
    std::ofstream(folder.file("counts.svm")) << rows;
    for (const bool sparse : {false, true}) {
        SCOPED_TRACE(sparse);
        const std::vector<std::string> run{"path",      sparse ? "counts.svm" : "randn-1500-60",
                                           "--region",  sparse ? "l1" : "nuclear",
                                           "--folds",   "3",
                                           "--threads", "2",
                                           "--quiet",   "--max-epochs",
                                           "40",        "--method",
                                           "alfcg-fs"};
        const auto with = [&](const std::vector<std::string>& more) {
            std::vector<std::string> arguments = run;
            arguments.insert(arguments.end(), more.begin(), more.end());
            return arguments;
        };
        ASSERT_EQ(run_program(with({"--model", "whole.npz", "--output", "whole", "--path", "whole.csv"}),
                              folder.path())
                      .status,
                  0);
        const auto part = with({"--model", "part.npz", "--output", "part", "--path", "part.csv"});
        auto first = part;
        first.insert(first.end(), {"--checkpoint", "state"});
        {
            Program program(first, folder.path());
            while (!std::filesystem::exists(folder.file("state"))) std::this_thread::yield();
            program.signal(SIGKILL);
            static_cast<void>(program.wait());
        }
        auto rest = part;
        rest.insert(rest.end(), {"--resume", "state"});
        const ProgramResult resumed = run_program(rest, folder.path());
        ASSERT_EQ(resumed.status, 0) << resumed.err;
        EXPECT_EQ(bytes("whole.npz"), bytes("part.npz"));
        const auto radii = [&](const std::string& name) {  // without the last column, the seconds
            std::istringstream lines(bytes(name));
            std::string text;
            for (std::string line; std::getline(lines, line);) text += line.substr(0, line.rfind(',')) + "\n";
            return text;
        };
        EXPECT_EQ(radii("whole.csv"), radii("part.csv"));
        rest.insert(rest.end(), {"--seed", "4"});
        const ProgramResult other = run_program(rest, folder.path());
        EXPECT_EQ(other.status, 2);
        EXPECT_NE(other.err.find("it was made with seed 0, here 4"), std::string::npos) << other.err;
        refused({sparse ? "counts.svm" : "randn-1500-60", "--resume", "state"},
                ": it is one of alfcg path, not of alfcg train\n");
        std::filesystem::remove(folder.file("state"));
    }
}

TEST_F(CheckpointCommand, AKilledComparisonGoesOn) {
    const std::vector<std::string> run{
        "compare", "randn-1500-60", "--methods", "deterministic,alfcg-fs", "--seeds",
        "2",       "--threads",     "2",         "--max-epochs",           "20",
        "--quiet"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = run;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    ASSERT_EQ(run_program(with({"--output", "whole"}), folder.path()).status, 0);
    {
        Program program(with({"--output", "part", "--checkpoint", "state"}), folder.path());
        while (!std::filesystem::exists(folder.file("state"))) std::this_thread::yield();
        program.signal(SIGKILL);
        static_cast<void>(program.wait());
    }
    const ProgramResult rest = run_program(with({"--output", "part", "--resume", "state"}), folder.path());
    ASSERT_EQ(rest.status, 0) << rest.err;
    std::size_t traces = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file("whole/runs"))) {
        const std::string name = entry.path().filename().string();
        EXPECT_EQ(trace("whole/runs/" + name), trace("part/runs/" + name)) << name;
        ++traces;
    }
    EXPECT_GE(traces, 9U);
    const ProgramResult other =
        run_program(with({"--output", "part", "--resume", "state", "--gap", "0.25"}), folder.path());
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("it was made with gap none, here 0.25"), std::string::npos) << other.err;
}

TEST_F(CheckpointCommand, OtherDataAndOptionsAreToldInOneLine) {
    const std::vector<std::string> run{
        "randn-300-20", "--max-iterations", "9",     "--radius", "5",      "--threads", "1",
        "--quiet",      "--model",          "m.npz", "--method", "alfcg-d"};
    const auto with = [&](std::size_t at, const std::string& other, std::vector<std::string> more) {
        std::vector<std::string> arguments = run;
        arguments[at] = other;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    ASSERT_EQ(train(with(1, run[1], {"--checkpoint", "state"})).status, 0);
    const std::vector<std::string> resume{"--resume", "state"};
    EXPECT_EQ(train(with(2, "12", resume)).status, 0);
    refused(with(0, "randn-301-20", resume), "rows 300, here 301");
    refused(with(4, "6", resume), "radius 5, here nuclear ball of radius 6");
    refused(with(6, "2", resume), "threads 1, here 2");
    refused(with(2, "12", {"--resume", "state", "--data-seed", "1"}),
            "it was made with other data, other labels");
    refused(with(2, "12", {"--resume", "state", "--precision", "f64"}), "precision f32, here f64");
    refused(with(2, "12", {"--resume", "state", "--normalize", "columns"}), "normalize none, here columns");
    refused(with(2, "12", {"--resume", "state", "--no-intercept"}), "intercept fitted, here none");
    refused(with(2, "12", {"--resume", "nowhere"}), "cannot open the checkpoint");
    refused(with(2, "12", {"--resume", "m.npz"}), "is not a checkpoint of alfcg");
    refused(with(2, "12", {"--checkpoint-every", "3"}), "--checkpoint-every is for runs with --checkpoint");
    refused(with(2, "12", {"--checkpoint", "state", "--checkpoint-every", "-1"}),
            "--checkpoint-every must be");
    refused(with(2, "12", {"--checkpoint", "no/such/folder/state"}), "cannot write");
    refused(with(2, "12", {"--checkpoint", "m.npz"}), "two outputs have this name");
}

TEST(GapForecast, IsRightForPowersAndForFactors) {
    for (const double power : {0.5, 1.0, 2.0}) {
        cli::GapForecast forecast;
        for (double t = 0.1; t < 10; t += 0.01) forecast.see(t, 5 * std::pow(t, -power));
        const double target = 5 * std::pow(40.0, -power);
        EXPECT_NEAR(forecast.seconds_to(target).value(), 30, 2) << power;
    }
    cli::GapForecast forecast;
    for (double t = 0.1; t < 10; t += 0.01) forecast.see(t, 5 * std::exp(-0.7 * t));
    EXPECT_NEAR(forecast.seconds_to(5 * std::exp(-0.7 * 25)).value(), 15, 1.5);
    EXPECT_EQ(forecast.seconds_to(1).value(), 0);
    EXPECT_FALSE(cli::GapForecast().seconds_to(1));
    cli::GapForecast flat;
    for (double t = 0.1; t < 10; t += 0.01) flat.see(t, 5);
    EXPECT_FALSE(flat.seconds_to(1));
}

}  // namespace
}  // namespace alfcg

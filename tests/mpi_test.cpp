// The program on several processes, as mpirun starts it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include "program.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

using nlohmann::json;

class Mpi : public testing::Test {
  protected:
    void SetUp() override {
        const std::string mpirun = ALFCG_MPIRUN;
        if (mpirun.empty()) GTEST_SKIP() << "built without MPI (libopenmpi-dev)";
        if (!std::filesystem::exists(mpirun)) GTEST_SKIP() << "there is no mpirun (openmpi-bin)";
    }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream file(path(name));
        std::ostringstream out;
        out << file.rdbuf();
        return out.str();
    }

    // `meanwhile`: what the shell does while it goes on in the background, as process $p.
    ProgramResult run(int ranks, const std::string& arguments, const std::string& meanwhile = "") const {
        const std::string start = ranks == 0
                                      ? std::string()
                                      : std::string(ALFCG_MPIRUN) + " --oversubscribe --bind-to none -n " +
                                            std::to_string(ranks) + " ";
        const std::string line =
            "cd " + folder_.file("") +
            " || exit 99; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; " + start +
            ALFCG_PROGRAM + " " + arguments + " >out 2>err" +
            (meanwhile.empty() ? "" : " & p=$!; " + meanwhile + "; wait $p");
        const int status = std::system(line.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text("out"), text("err")};
    }
    json train(int ranks, const std::string& arguments) const {
        const ProgramResult result = run(ranks, "train " + arguments + " --threads 1 --precision f64 --json");
        EXPECT_EQ(result.status, 0) << arguments << "\n" << result.err;
        return result.status == 0 ? json::parse(result.out) : json();
    }
    // The same model on all numbers of ranks.
    void expect_same(const std::string& arguments, double tolerance = 1e-9) const {
        const json alone = train(0, arguments);
        for (const int ranks : {2, 3}) {
            const json several = train(ranks, arguments);
            if (alone.is_null() || several.is_null()) return;
            EXPECT_EQ(several["ranks"], ranks);
            EXPECT_GT(several["bytes_sent"], 0);
            for (const auto& [name, value] : alone.items()) {
                if (name == "seconds" || name == "timings" || name == "peak_memory" || name == "rank")
                    continue;  // a rank may hang on rounding
                if (value.is_number_float()) {
                    EXPECT_NEAR(several[name].get<double>(), value.get<double>(),
                                tolerance * (1 + std::abs(value.get<double>())))
                        << name << ", " << ranks << " ranks: " << arguments;
                } else if (!value.is_array()) {
                    EXPECT_EQ(several[name], value) << name << ", " << ranks << " ranks: " << arguments;
                }
            }
        }
    }

    TemporaryFolder folder_;
};

// Lines "label,a,b,c" of three classes, or LIBSVM's of two.
std::string csv_rows(int count, bool header, int seed = 5) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::normal_distribution<double> normal;
    std::ostringstream out;
    if (header) out << "wide,long,deep,kind\n";
    for (int i = 0; i < count; ++i) {
        const double a = normal(random);
        const double b = normal(random);
        const double c = 10 + 3 * normal(random);
        const char* kind = a + b > 0.7 ? "oak" : a - b > 0 ? "ash" : "elm";
        out << a << ',' << b << ',' << c << ',' << kind << '\n';
    }
    return out.str();
}

std::string libsvm_rows(int count, int seed = 5) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::normal_distribution<double> normal;
    std::ostringstream out;
    for (int i = 0; i < count; ++i) {
        std::ostringstream row;
        double sum = 0;
        for (int j = 1; j <= 40; ++j) {
            if (random() % 10 != 0) continue;
            const double value = normal(random);
            sum += value * (j % 5 - 2);
            row << ' ' << j << ':' << value;
        }
        out << (sum > 0 ? "+1" : "-1") << row.str() << '\n';
    }
    return out.str();
}

TEST_F(Mpi, OneModelOfOneFile) {
    write("trees.csv", csv_rows(200, true));
    expect_same("trees.csv --method alfcg-d --max-iterations 25");
    expect_same(
        "trees.csv --normalize columns --holdout 0.2 --radius 20 --method fw-armijo --max-iterations 25");
    expect_same(
        "trees.csv --normalize spectral --class-weights balanced --method alfcg-fs --max-iterations 25");
    expect_same("trees.csv --normalize rows --class-weights oak:2 --method alfcg-mvr2 --max-iterations 25");
    write("words.svm", libsvm_rows(300));
    expect_same("words.svm --region l1 --radius 3 --method fw-away --max-iterations 25");
    expect_same(
        "words.svm --normalize columns --radius 3 --holdout 0.3 --early-stop --patience 3 --method alfcg-d "
        "--max-iterations 60");
    expect_same("randn-90-7 --classes 3 --method saga-fw --max-iterations 25");
}

TEST_F(Mpi, FilesThatCannotBeSplitAreReadByAll) {
    std::string quoted = csv_rows(120, true);
    quoted.replace(quoted.find("oak"), 3, "\"oak\"");
    write("quoted.csv", quoted);
    expect_same("quoted.csv --method alfcg-d --max-iterations 15");
    write("gaps.csv", csv_rows(60, true) + "?,1,2,oak\n1,,3,elm\n" + csv_rows(60, false, 6));
    expect_same("gaps.csv --missing mean --method alfcg-d --max-iterations 15");
}

// Dense and sparse ones, of words and of numbers; as many rows as ranks, and fewer.
TEST_F(Mpi, ConvertedFilesAreMappedByAll) {
    write("trees.csv", csv_rows(200, true));
    write("words.svm", libsvm_rows(300));
    write("few.csv", "1,2,a\n2,1,b\n");
    for (const std::string name : {"trees.csv", "words.svm", "few.csv"})
        ASSERT_EQ(run(0, "convert " + name + " " + name + ".alf --precision f64").status, 0) << text("err");
    expect_same(
        "trees.csv.alf --normalize columns --holdout 0.2 --radius 20 --method alfcg-d --max-iterations 25");
    expect_same("words.svm.alf --region l1 --radius 3 --method alfcg-fs --max-iterations 25");
    expect_same("few.csv.alf --method alfcg-d --max-iterations 5");
    const json text_rows = train(2, "words.svm --radius 3 --method alfcg-d --max-iterations 25");
    const json pages = train(2, "words.svm.alf --radius 3 --method alfcg-d --max-iterations 25");
    EXPECT_NEAR(text_rows["objective"].get<double>(), pages["objective"].get<double>(), 1e-10);
}

TEST_F(Mpi, ReproducibleOnAsManyRanks) {
    write("words.svm", libsvm_rows(300));
    for (const std::string threads : {"1", "3"})
        ASSERT_EQ(
            run(2,
                "train words.svm --reproducible --normalize columns --method alfcg-d --max-iterations 40 "
                "--silent --threads " +
                    threads + " --model " + threads + ".npz")
                .status,
            0)
            << text("err");
    EXPECT_FALSE(text("1.npz").empty());
    EXPECT_EQ(text("1.npz"), text("3.npz"));
}

TEST_F(Mpi, ManyFilesAreDealtOut) {
    // Unequal ones; there are fewer than ranks, or more.
    write("a.svm", libsvm_rows(20, 1));
    write("b.svm", libsvm_rows(200, 2));
    write("c.svm", libsvm_rows(50, 3));
    write("whole.svm", libsvm_rows(20, 1) + libsvm_rows(200, 2) + libsvm_rows(50, 3));
    const std::string how = " --radius 3 --max-iterations 25 --method alfcg-fs";
    const json whole = train(0, "whole.svm" + how);
    for (const int ranks : {0, 2, 3, 4}) {
        const json parts = train(ranks, "a.svm b.svm c.svm" + how);
        ASSERT_FALSE(parts.is_null() || whole.is_null());
        EXPECT_EQ(parts["rows"], 270);
        EXPECT_NEAR(parts["objective"].get<double>(), whole["objective"].get<double>(), 1e-10) << ranks;
        EXPECT_NEAR(parts["accuracy"].get<double>(), whole["accuracy"].get<double>(), 1e-12) << ranks;
    }
}

TEST_F(Mpi, OneRankWritesAndPrints) {
    write("trees.csv", csv_rows(100, true));
    const ProgramResult result = run(
        3, "train trees.csv --method sfw --max-iterations 10 --trace t.csv --batches-out b.txt --threads 1");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    std::size_t times = 0;
    for (std::size_t at = 0; (at = result.out.find("status ", at)) != std::string::npos; ++at) ++times;
    EXPECT_EQ(times, 1U) << result.out;
    EXPECT_NE(result.out.find("on rank 0 of 3, 100 rows in all"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("ranks      3, rank 0 has sent"), std::string::npos) << result.out;
    EXPECT_TRUE(std::filesystem::exists(path("trees.model.npz")));
    const std::string trace = text("t.csv");
    EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 12);  // a title, and iterates 0 to 10
    // The batches that were drawn are those of one process, which can replay them.
    run(0, "train trees.csv --method sfw --max-iterations 10 --batches-out alone.txt --threads 1 --silent");
    EXPECT_EQ(text("b.txt"), text("alone.txt"));
}

// Once it is under way.
const std::string later = "until grep -qs epochs out || ! kill -0 $p; do sleep 0.1; done; ";
const std::string endless =
    "train randn-300-20 --method sfw --threads 1 --tol 0 --max-epochs 1e9 --model m.npz";

TEST_F(Mpi, RankZeroEndsTheRunOfAll) {
    const ProgramResult result = run(3, endless, later + "kill -TERM $(pgrep -P $p | head -1)");
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_NE(result.out.find("status     interrupted after"), std::string::npos) << result.out;
    EXPECT_TRUE(std::filesystem::exists(path("m.npz")));
    const json clock = train(2, "randn-300-20 --method sfw --tol 0 --max-epochs 1e9 --max-seconds 0.5");
    EXPECT_EQ(clock["status"], "max-seconds");
}

TEST_F(Mpi, AKilledRankEndsAllAndLeavesNothing) {
    const ProgramResult result = run(3, endless, later + "kill -KILL $(pgrep -P $p | tail -1)");
    EXPECT_NE(result.status, 0);
    EXPECT_FALSE(std::filesystem::exists(path("m.npz")));
}

// Once there is a checkpoint, any of the ranks; mpirun ends the others.
TEST_F(Mpi, AKilledRankLeavesACheckpointToGoOnFrom) {
    write("words.svm", libsvm_rows(300));
    for (const std::string method : {"alfcg-fs", "alfcg-c"}) {
        const std::string train =
            "train words.svm --threads 1 --tol 0 --max-iterations 300 --radius 30 --quiet --method " + method;
        ASSERT_EQ(run(2, train + " --model whole.npz --trace whole.csv").status, 0) << text("err");
        const auto going = [&](const std::string& more) {
            return train + " --model part.npz --trace part.csv --checkpoint state --checkpoint-every 0 " +
                   more;
        };
        for (const char* file : {"state", "part.npz"}) std::filesystem::remove(path(file));
        const ProgramResult killed = run(2, going(""),
                                         "until test -e state || ! kill -0 $p; do sleep 0.02; done; "
                                         "kill -KILL $(pgrep -P $p | tail -1)");
        ASSERT_TRUE(std::filesystem::exists(path("state"))) << killed.err;
        if (killed.status == 0) continue;  // it was over before that
        // Whole, where the kill came when it was there.
        if (std::filesystem::exists(path("part.npz"))) {
            EXPECT_EQ(text("whole.npz"), text("part.npz"));
        }
        std::filesystem::remove(path("part.npz"));
        const ProgramResult rest = run(2, going("--resume state"));
        ASSERT_EQ(rest.status, 0) << rest.err;
        EXPECT_EQ(text("whole.npz"), text("part.npz"));
        const ProgramResult other = run(3, going("--resume state"));
        EXPECT_EQ(other.status, 2);
        EXPECT_TRUE(
            other.err.starts_with("alfcg: state: cannot go on from this checkpoint: it was made on 2 ranks, "
                                  "here are 3 ranks\n"))
            << other.err;
    }
}

TEST_F(Mpi, WhatIsWrongIsSaidOnce) {
    std::string rows = libsvm_rows(100);
    const auto line = [&](int number) {
        std::size_t at = 0;
        for (int k = 1; k < number; ++k) at = rows.find('\n', at) + 1;
        return at;
    };
    rows.insert(line(91), "+1 7:x\n");
    write("bad.svm", rows);
    const auto refused = [&](const std::string& arguments, const std::string& message) {
        std::filesystem::remove(path("bad.model.npz"));
        const ProgramResult result = run(3, arguments);
        EXPECT_EQ(result.status, 2) << arguments;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
        std::size_t times = 0;
        for (std::size_t at = 0; (at = result.err.find("alfcg: ", at)) != std::string::npos; ++at) ++times;
        EXPECT_EQ(times, 1U) << result.err;
        EXPECT_FALSE(std::filesystem::exists(path("bad.model.npz")));
    };
    refused("train bad.svm --quiet", "alfcg: bad.svm:91: ");
    refused("train nothing.svm --quiet", "alfcg: nothing.svm: no such file");
    write("good.svm", libsvm_rows(50));
    refused("train good.svm bad.svm --quiet", "alfcg: bad.svm:91: ");
    refused("train good.svm --radius -1", "alfcg: --radius must");
    refused("train good.svm --radius auto", "alfcg: --radius must be a number on several ranks");
    refused("train good.svm --quiet --resume c.state", "alfcg: c.state: cannot open the checkpoint");
    refused("train good.svm --quiet --checkpoint nowhere/c.state", "alfcg: nowhere/c.state: ");
    refused("train good.svm --model nowhere/m.npz", "alfcg: nowhere/m.npz");
    refused("predict m.npz good.svm", "alfcg: predict runs on one rank");
}

// Rank 1 looks elsewhere for its file, where there is none, or a shorter one; or it was asked for something else.
TEST_F(Mpi, RanksThatDoNotBelongTogetherAreRefused) {
    write("data.svm", libsvm_rows(100));
    std::filesystem::create_directory(path("empty"));
    std::filesystem::create_directory(path("other"));
    write("other/data.svm", libsvm_rows(90));
    const std::string train = "train data.svm --silent --max-iterations 5 --model m.npz";
    const auto refused = [&](const std::string& second, const std::string& message) {
        const ProgramResult result = run(1, train + " : " + second);
        EXPECT_EQ(result.status, 2) << second;
        EXPECT_TRUE(result.err.starts_with("alfcg: " + message)) << result.err;
        EXPECT_EQ(result.err.find("alfcg: ", 7), std::string::npos) << result.err;
        EXPECT_FALSE(std::filesystem::exists(path("m.npz")));
    };
    const std::string same = std::string(ALFCG_PROGRAM) + " " + train;
    refused("-n 1 -wdir empty " + same, "data.svm: no such file");
    refused("-n 1 -wdir other " + same, "data.svm: rank 1 has another file of this name than rank 0");
    refused("-n 1 " + same + " --radius 3", "rank 1 was started with other arguments than rank 0\n");
    EXPECT_EQ(run(1, train + " : -n 1 " + same).status, 0) << text("err");
}

}  // namespace
}  // namespace alfcg

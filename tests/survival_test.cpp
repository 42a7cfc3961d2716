// Signals, runs that were killed, runs beside each other, files that change while they are read.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "alfcg/core/output_file.hpp"
#include "alfcg/model/model.hpp"
#include "model_examples.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

const std::vector<std::string> endless{"train", "randn-2000-50", "--method", "alfcg-d", "--max-seconds",
                                       "1000",  "--model",       "m.npz",    "--trace", "t.csv"};

void wait_until_under_way(const Program& program) {
    while (program.output_so_far().find("\n        16 ") == std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

TEST(Signals, EveryOneThatAsksForAnEndLeavesTheModel) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        TemporaryFolder folder;
        Program program(endless, folder.path());
        wait_until_under_way(program);
        program.signal(signal);
        const auto result = program.wait();
        EXPECT_EQ(result.status, 130) << signal << ": " << result.err;
        EXPECT_EQ(run_program({"predict", "m.npz", "randn-2000-50", "--output", "p"}, folder.path()).status,
                  0);
        EXPECT_EQ(folder.count(), 3) << "a model, a trace and predictions";
    }
}

TEST(Signals, TheSecondOneEndsTheProgramAtOnceAndNoOutputIsTouched) {
    TemporaryFolder folder;
    write_bytes(folder.file("m.npz"), "of an earlier run");
    Program program(endless, folder.path());
    wait_until_under_way(program);
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait().status, 128 + SIGKILL);
    EXPECT_EQ(read_bytes(folder.file("m.npz")), "of an earlier run");
}

TEST(Signals, OneThatTheCallerIgnoresStaysIgnored) {
    for (const int signal : {SIGINT, SIGHUP}) {
        TemporaryFolder folder;
        const auto before = std::signal(signal, SIG_IGN);
        Program program(
            {"train", "randn-2000-50", "--method", "alfcg-d", "--max-seconds", "2", "--model", "m.npz"},
            folder.path());
        std::signal(signal, before);
        wait_until_under_way(program);
        program.signal(signal);
        const auto result = program.wait();
        EXPECT_EQ(result.status, 0) << signal << ": " << result.err;
        EXPECT_NE(result.out.find("max-seconds after"), std::string::npos) << result.out;
    }
}

// The number of a process that is no more.
pid_t gone() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    return child;
}

TEST(KilledRuns, WhatTheyLeftIsRemovedByTheNextOne) {
    TemporaryFolder folder;
    const std::string dead = std::to_string(gone());
    const std::string mine = std::to_string(getpid());
    write_bytes(folder.file(".alfcg-" + dead + "-0.tmp"), "half a model");
    write_bytes(folder.file(".alfcg-" + dead + "-17.tmp"), "");
    // Those of others, and files of other names, stay.
    const std::vector<std::string> kept{
        ".alfcg-" + mine + "-999.tmp", ".alfcg-1-0.tmp",  ".alfcg-" + dead + ".tmp",
        ".alfcg-" + dead + "-x.tmp",   ".alfcg--1-0.tmp", "alfcg-" + dead + "-0.tmp",
        ".alfcg-" + dead + "-0.tmp.b"};
    for (const std::string& name : kept) write_bytes(folder.file(name), "of somebody else");
    write_file(folder.file("new"), "new");
    EXPECT_EQ(folder.count(), std::ssize(kept) + 1);
    for (const std::string& name : kept) EXPECT_EQ(read_bytes(folder.file(name)), "of somebody else") << name;
    // A link is not followed.
    write_bytes(folder.file("precious"), "precious");
    std::filesystem::create_symlink("precious", folder.file(".alfcg-" + dead + "-0.tmp"));
    write_file(folder.file("new"), "newer");
    EXPECT_EQ(read_bytes(folder.file("precious")), "precious");
}

// A process of another machine, or container, has a number that is nobody's here: the lock tells that it lives.
TEST(KilledRuns, AFileThatIsBeingWrittenStays) {
    TemporaryFolder folder;
    OutputFile file(folder.file("slow"));
    file.write("slow");
    std::string name;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) name = entry.path().string();
    const std::string foreign = folder.file(".alfcg-" + std::to_string(gone()) + "-0.tmp");
    std::filesystem::create_hard_link(name, foreign);
    write_file(folder.file("quick"), "quick");
    EXPECT_TRUE(std::filesystem::exists(foreign));
    file.commit();
    EXPECT_EQ(read_bytes(folder.file("slow")), "slow");
    write_file(folder.file("quick"), "quicker");
    EXPECT_FALSE(std::filesystem::exists(foreign));
    EXPECT_EQ(read_bytes(folder.file("slow")), "slow");
}

TEST(BesideEachOther, TwoRunsThatWriteOneModelLeaveOneOfThem) {
    TemporaryFolder folder;
    for (int k = 0; k < 6; ++k) {
        std::vector<std::unique_ptr<Program>> runs;
        for (const std::string seed : {"1", "2", "3"})
            runs.push_back(std::make_unique<Program>(
                std::vector<std::string>{"train", "randn-300-20", "--method", "sfw", "--seed", seed,
                                         "--max-iterations", "20", "--model", "m.npz", "--quiet"},
                folder.path()));
        for (const auto& run : runs) {
            const auto result = run->wait();
            EXPECT_EQ(result.status, 0) << result.err;
        }
        EXPECT_EQ(load_model<float>(folder.file("m.npz")).weights.cols(), 20);
        EXPECT_EQ(folder.count(), 1) << "nothing but the model is left";
    }
}

TEST(BesideEachOther, AModelThatIsReplacedWhileItIsReadIsTheOldOneOrTheNewOne) {
    TemporaryFolder folder;
    const std::string path = folder.file("m.npz");
    std::array<Model<double>, 2> models{example_model<double>(), example_model<double>()};
    models[1].method = "another one";
    models[1].weights.fill(7);
    save_model(models[0], path);
    std::atomic<bool> done = false;
    std::thread writer([&] {
        for (std::size_t k = 1; k < 400; ++k) save_model(models[k % 2], path);
        done = true;
    });
    int read = 0;
    for (; !done || read == 0; ++read) {
        const auto model = load_model<double>(path);
        EXPECT_TRUE(same(model, models[0]) || same(model, models[1]));
    }
    writer.join();
    EXPECT_GT(read, 0);
}

// 2^k rows of 16 features, as NumPy writes them; large enough that a run looks at the file again and again.
std::string write_array(const TemporaryFolder& folder, Index rows) {
    std::vector<float> entries;
    for (Index k = 0; k < rows * 16; ++k) entries.push_back(static_cast<float>((k * 7919) % 1013) / 100);
    const std::string path = folder.file("x.npy");
    write_bytes(path, array<float>("<f4", {rows, 16}, entries));
    std::string labels;
    for (Index i = 0; i < rows; ++i) labels += std::to_string(i % 3) + "\n";
    write_bytes(folder.file("y"), labels);
    return path;
}

TEST(ChangedFiles, AnArrayThatIsCutShortWhileItIsReadIsAClearError) {
    TemporaryFolder folder;
    const std::string path = write_array(folder, Index{1} << 14);
    Program program({"train", "x.npy", "--labels", "y", "--method", "alfcg-d", "--max-seconds", "1000",
                     "--model", "m.npz"},
                    folder.path());
    wait_until_under_way(program);
    std::filesystem::resize_file(path, 4096);
    const auto result = program.wait();
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, "alfcg: x.npy: was cut short, or its disk failed, while it was read\n");
    EXPECT_FALSE(std::filesystem::exists(folder.file("m.npz")));
}

}  // namespace
}  // namespace alfcg

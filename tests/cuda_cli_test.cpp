// --device, with the GPU emulated on the CPU: runs end where those on the CPU do, say where they were made, and are refused in one line where
// there is no GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "alfcg/method/catalogue.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

using nlohmann::json;

class CudaProgram : public testing::Test {
  protected:
    void SetUp() override { setenv("ALFCG_CUDA_LIBRARY", ALFCG_EMULATED_CUDA, 1); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
    ProgramResult run(std::vector<std::string> arguments, const std::vector<std::string>& more) const {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments, folder_.file(""));  // path leaves a report where it runs
    }
    ProgramResult train(const std::string& device, const std::string& name,
                        const std::vector<std::string>& more) const {
        return run({"train", "randn-60-7", "--classes", "3", "--radius", "5", "--threads", "1", "--json",
                    "--device", device, "--model", path(name)},
                   more);
    }

    TemporaryFolder folder_;
};

// Draws, steps and ends, method by method.
TEST_F(CudaProgram, EveryMethodRunsAsOnTheCpu) {
    for (const MethodInfo& method : methods()) {
        SCOPED_TRACE(std::string(method.name));
        const std::vector<std::string> options{"--method",
                                               std::string(method.name),
                                               "--no-intercept",
                                               "--precision",
                                               "f64",
                                               "--max-iterations",
                                               "12",
                                               "--tol",
                                               "0"};
        const auto with_batches = [&](const char* name) {
            std::vector<std::string> all = options;
            all.insert(all.end(), {"--batches-out", path(name)});
            return all;
        };
        const ProgramResult cpu = train("cpu", "cpu.npz", with_batches("cpu.txt"));
        const ProgramResult gpu = train("cuda", "gpu.npz", with_batches("gpu.txt"));
        ASSERT_EQ(gpu.status, cpu.status) << gpu.err;
        if (cpu.status != 0) {
            EXPECT_EQ(gpu.err, cpu.err);
            continue;
        }
        EXPECT_EQ(read_bytes(path("gpu.txt")), read_bytes(path("cpu.txt")));
        const json theirs = json::parse(cpu.out);
        const json ours = json::parse(gpu.out);
        EXPECT_EQ(ours["device"], "cuda:0");
        EXPECT_EQ(ours["device_name"], "emulated on the CPU");
        EXPECT_EQ(theirs["device"], "cpu");
        // Within its outer steps alfcg-c goes on until rounding ends it.
        if (method.name != "alfcg-c") {
            for (const char* name : {"status", "iterations", "epochs", "oracle_calls"})
                EXPECT_EQ(ours[name], theirs[name]) << name;
        }
        EXPECT_NEAR(ours["objective"].get<double>(), theirs["objective"].get<double>(), 1e-9);
        EXPECT_NEAR(ours["gap"].get<double>(), theirs["gap"].get<double>(),
                    1e-7 * (1 + std::abs(theirs["gap"].get<double>())));
    }
}

TEST_F(CudaProgram, WithAnInterceptInSinglePrecision) {
    for (const char* method : {"alfcg-d", "alfcg-mvr2", "fw-armijo", "saga-fw"}) {
        SCOPED_TRACE(method);
        const std::vector<std::string> options{"--method", method, "--max-iterations", "10", "--tol", "0"};
        const ProgramResult cpu = train("cpu", "cpu.npz", options);
        const ProgramResult gpu = train("cuda", "gpu.npz", options);
        ASSERT_EQ(gpu.status, 0) << gpu.err;
        EXPECT_EQ(json::parse(gpu.out)["device"], "cuda:0");
        EXPECT_NEAR(json::parse(gpu.out)["objective"].get<double>(),
                    json::parse(cpu.out)["objective"].get<double>(), 1e-4);
    }
}

TEST_F(CudaProgram, GivesTheSameBitsAgainAndAfterACheckpoint) {
    for (const char* method : {"alfcg-d", "alfcg-fs", "alfcg-c"}) {
        SCOPED_TRACE(method);
        const auto of = [&](const char* name, const char* iterations, std::vector<std::string> more) {
            more.insert(more.end(),
                        {"--method", method, "--max-iterations", iterations, "--tol", "0", "--quiet"});
            const ProgramResult done = train("cuda:1", name, more);
            EXPECT_EQ(done.status, 0) << done.err;
            return done.status == 0 ? json::parse(done.out) : json();
        };
        const json whole = of("whole.npz", "8", {});
        of("half.npz", "4", {"--checkpoint", path("run.ckpt")});
        const json rest = of("rest.npz", "8", {"--resume", path("run.ckpt")});
        for (const char* name : {"objective", "gap", "iterations", "intercept"})
            EXPECT_EQ(rest[name], whole[name]) << name;
        const json again = of("again.npz", "8", {});
        EXPECT_EQ(again["objective"], whole["objective"]);
        EXPECT_EQ(again["gap"], whole["gap"]);
    }
}

// As the device that is taken would have been asked for by name, to the bit. A checkpoint keeps the choice.
TEST_F(CudaProgram, AutoTakesWhatTakesLessTime) {
    for (const char* method : {"alfcg-d", "alfcg-mvr2"}) {
        SCOPED_TRACE(method);
        const std::vector<std::string> options{"--method", method, "--max-iterations", "6", "--tol", "0"};
        const ProgramResult result = train("auto", "auto.npz", options);
        ASSERT_EQ(result.status, 0) << result.err;
        const json chosen = json::parse(result.out);
        const double cpu = chosen["device_seconds"]["cpu"];
        const double gpu = chosen["device_seconds"]["cuda:0"];
        EXPECT_GT(std::min(cpu, gpu), 0);
        EXPECT_EQ(chosen["device"], cpu <= gpu ? "cpu" : "cuda:0");
        const std::string taken = chosen["device"];
        const json named = json::parse(train(taken, "named.npz", options).out);
        EXPECT_FALSE(named.contains("device_seconds"));
        EXPECT_EQ(chosen["objective"], named["objective"]);
        EXPECT_EQ(chosen["gap"], named["gap"]);
    }
    for (const char* device : {"cpu", "cuda"}) {
        const std::vector<std::string> options{"--method", "alfcg-fs", "--tol", "0", "--max-iterations"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), options.begin(), options.end());
            return more;
        };
        const json whole = json::parse(train(device, "whole.npz", with({"8"})).out);
        train(device, "half.npz", with({"4", "--checkpoint", path("auto.ckpt")}));
        const ProgramResult rest = train("auto", "rest.npz", with({"8", "--resume", path("auto.ckpt")}));
        ASSERT_EQ(rest.status, 0) << rest.err;
        EXPECT_EQ(json::parse(rest.out)["device"], whole["device"]);
        EXPECT_EQ(json::parse(rest.out)["objective"], whole["objective"]);
        EXPECT_FALSE(json::parse(rest.out).contains("device_seconds"));
    }
}

TEST_F(CudaProgram, DataLargerThanTheDeviceAreStreamed) {
    for (const char* method : {"alfcg-d", "alfcg-mvr2", "saga-fw"}) {
        SCOPED_TRACE(method);
        const std::vector<std::string> options{"--method", method, "--max-iterations", "8",
                                               "--tol",    "0",    "--precision",      "f64"};
        const json whole = json::parse(train("cuda", "whole.npz", options).out);
        EXPECT_EQ(whole["device_streamed"], 0);
        setenv("ALFCG_CUDA_MEMORY", "10000", 1);
        const ProgramResult result = train("cuda", "parts.npz", options);
        unsetenv("ALFCG_CUDA_MEMORY");
        ASSERT_EQ(result.status, 0) << result.err;
        const json parts = json::parse(result.out);
        EXPECT_GT(parts["device_streamed"], 0);
        EXPECT_NEAR(parts["objective"].get<double>(), whole["objective"].get<double>(), 1e-10);
        EXPECT_NEAR(parts["gap"].get<double>(), whole["gap"].get<double>(), 1e-8);
    }
}

TEST_F(CudaProgram, OtherCommandsTakeIt) {
    const ProgramResult compared =
        run({"compare", "randn-60-7", "--classes", "3", "--methods", "alfcg-d,sfw", "--max-epochs", "3",
             "--silent", "--device", "cuda", "--output", path("report")},
            {});
    EXPECT_EQ(compared.status, 0) << compared.err;
    const ProgramResult found = run({"path", "randn-60-7", "--classes", "3", "--radii", "1,2", "--folds", "2",
                                     "--device", "cuda", "--silent", "--model", path("path.npz")},
                                    {});
    EXPECT_EQ(found.status, 0) << found.err;
}

TEST_F(CudaProgram, IsRefusedInOneLine) {
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& said) {
        const ProgramResult result = run(arguments, {});
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
        EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    };
    const std::vector<std::string> trained{"train", "randn-60-7", "--model", path("none.npz"), "--device"};
    const auto with = [&](const char* device) {
        std::vector<std::string> all = trained;
        all.emplace_back(device);
        return all;
    };
    refused(with("cuda:2"), "GPUs are numbered from 0 to 1");
    refused(with("gpu"), "--device must be cpu, cuda, cuda:N or auto, not 'gpu'");
    setenv("ALFCG_CUDA_MEMORY", "1000", 1);
    refused(with("cuda"), "take fewer rows (--rows), or the CPU (--device cpu)");
    unsetenv("ALFCG_CUDA_MEMORY");
    setenv("ALFCG_CUDA_LIBRARY", "/nowhere/libalfcg_cuda.so", 1);
    refused(with("cuda"), "--device cuda cannot be had");
    refused({"reproduce", "1", "--device", "cuda", "--output", path("figures")},
            "--device cuda cannot be had");
    EXPECT_FALSE(std::filesystem::exists(path("none.npz")));
    EXPECT_FALSE(std::filesystem::exists(path("figures")));
    EXPECT_EQ(run(with("auto"), {"--silent", "--max-epochs", "1"}).status, 0);
}

// The library that is for GPUs, where nvcc has made it, and on a machine that has none.
TEST_F(CudaProgram, TheLibraryItselfCanBeOpened) {
    unsetenv("ALFCG_CUDA_LIBRARY");
    const std::filesystem::path library =
        std::filesystem::path(ALFCG_PROGRAM).parent_path() / "libalfcg_cuda.so";
    if (!std::filesystem::exists(library)) GTEST_SKIP() << "built without CUDA";
    const ProgramResult result = train("cuda", "none.npz", {"--max-epochs", "2"});
    if (result.status == 0) {  // there is a GPU
        EXPECT_EQ(json::parse(result.out)["device"], "cuda:0");
        return;
    }
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("--device cuda cannot be had: there is no GPU"), std::string::npos)
        << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("none.npz")));
}

}  // namespace
}  // namespace alfcg

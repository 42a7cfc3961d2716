// `alfcg convert`, and what the other commands make of its files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "program.hpp"

namespace alfcg {
namespace {

class ConvertCli : public testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) const {
        write_bytes(folder_.file(name), text);
    }
    [[nodiscard]] std::string read(const std::string& name) const { return read_bytes(folder_.file(name)); }
    [[nodiscard]] ProgramResult run(const std::vector<std::string>& arguments) const {
        return run_program(arguments, folder_.file(""));
    }
    ProgramResult succeed(const std::vector<std::string>& arguments) const {
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return result;
    }
    void refuse(const std::vector<std::string>& arguments, const std::string& complaint) const {
        const auto before = folder_.count();
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.err, "alfcg: " + complaint + "\n");
        EXPECT_EQ(folder_.count(), before);
    }

    // Rows of a table with names, numbers, words and two classes.
    static std::string table(unsigned seed, int rows, bool turned = false) {
        std::mt19937 random(seed);
        std::string text = turned ? "bought,colour,age\n" : "age,colour,bought\n";
        for (int i = 0; i < rows; ++i) {
            const int age = static_cast<int>(random() % 60) - 30;
            const std::string colour = random() % 2 == 0 ? "red" : "blue";
            const std::string bought = age + (colour == "red" ? 9 : 0) > 3 ? "yes" : "no";
            text += turned ? bought + "," + colour + "," + std::to_string(age) + "\n"
                           : std::to_string(age) + "," + colour + "," + bought + "\n";
        }
        return text;
    }
    static std::string sparse_text(int rows) {
        std::mt19937 random(5);
        std::string text;
        for (int i = 0; i < rows; ++i) {
            text += i % 2 == 0 ? "+1" : "-1";
            for (int k = 0; k < 8; ++k)
                text += " " + std::to_string(100 * k + 1 + static_cast<int>(random() % 90)) + ":" +
                        std::to_string(static_cast<double>(random() % 1000) / 999);
            text += '\n';
        }
        return text;
    }

    TemporaryFolder folder_;
};

TEST_F(ConvertCli, TrainingGivesTheSameBitsAsOnTheSource) {
    write("sparse", sparse_text(400));
    write("table", table(1, 300));
    for (const std::string precision : {"f32", "f64"})
        for (const std::string source : {"sparse", "table", "randn-300-20"})
            for (const std::vector<std::string>& method : std::vector<std::vector<std::string>>{
                     {"alfcg-d"}, {"alfcg-fs"}, {"alfcg-fs", "--batch-order", "blocks"}}) {
                std::vector<std::string> reading{source};
                if (source == "table") reading.emplace_back("--categories");
                std::vector<std::string> convert{"convert", "--precision", precision, "--quiet"};
                convert.insert(convert.end(), reading.begin(), reading.end());
                convert.emplace_back("mapped.alf");
                EXPECT_EQ(succeed(convert).out, "");
                const auto train = [&](const std::vector<std::string>& data, const std::string& name) {
                    std::vector<std::string> arguments{
                        "train",     "--precision", precision,  "--max-iterations", "20",
                        "--threads", "2",           "--silent", "--model",          name + ".npz",
                        "--trace",   name + ".csv", "--method"};
                    arguments.insert(arguments.end(), method.begin(), method.end());
                    arguments.insert(arguments.end(), data.begin(), data.end());
                    succeed(arguments);
                };
                train(reading, "a");
                train({"mapped.alf"}, "b");
                EXPECT_EQ(read("a.npz"), read("b.npz")) << source << precision << method.front();
                const auto without_seconds = [&](const std::string& name) {
                    std::istringstream lines(read(name));
                    std::string kept;
                    for (std::string line; std::getline(lines, line);) {
                        std::istringstream fields(line);
                        std::string field;
                        for (int k = 0; std::getline(fields, field, ','); ++k)
                            if (k != 2) kept += field + ",";
                        kept += "\n";
                    }
                    return kept;
                };
                EXPECT_EQ(without_seconds("a.csv"), without_seconds("b.csv"));
            }
}

TEST_F(ConvertCli, PredictionsCompareAndPathTakeItsFiles) {
    write("train.csv", table(1, 300));
    write("test.csv", table(2, 100, true));
    succeed({"convert", "train.csv", "train.alf", "--categories", "--quiet"});
    succeed({"train", "train.alf", "--max-epochs", "50", "--silent", "--model", "m.npz"});
    const std::string expected = succeed({"predict", "m.npz", "test.csv"}).out;
    EXPECT_NE(expected.find("Accuracy"), std::string::npos);
    // A table whose columns come in another order is brought into the model's by its names.
    succeed({"convert", "test.csv", "test.alf", "--model", "m.npz", "--quiet"});
    EXPECT_EQ(succeed({"predict", "m.npz", "test.alf"}).out, expected);
    succeed({"compare", "train.alf", "--methods", "fw-away,alfcg-d", "--max-epochs", "5", "--output", "report"});
    succeed({"path", "train.alf", "--radii", "1,2", "--folds", "3", "--max-epochs", "5", "--model", "p.npz"});
}

TEST_F(ConvertCli, SaysWhatItWrote) {
    write("sparse", sparse_text(50));
    const auto words = succeed({"convert", "sparse", "out.alf"}).out;
    EXPECT_TRUE(
        words.starts_with("data       sparse: 50 x 789 sparse (400 non-zeros), f32, with labels\n"
                          "file       out.alf: "))
        << words;
    const auto json = nlohmann::json::parse(succeed({"convert", "sparse", "out.alf", "--json"}).out);
    EXPECT_EQ(json.at("rows"), 50);
    EXPECT_EQ(json.at("sparse"), true);
    EXPECT_EQ(json.at("bytes"), read("out.alf").size());
    EXPECT_GT(json.at("peak_memory"), 0);
}

TEST_F(ConvertCli, BadInputLeavesNothing) {
    write("bad", "1 1:1\n1 1:x\n");
    refuse({"convert", "bad", "out.alf"}, "bad:2: value of '1:x': 'x' is not a number");
    refuse({"convert", "none", "out.alf"},
           "none: no such file, nor a built-in data set (randn-N-d, mnist-N-d)");
    refuse({"convert", "bad", "bad"},
           "bad: is an input, and would be replaced by an output; give another name");
    refuse({"convert", "bad", "none/out.alf"}, "none/out.alf: cannot write: there is no folder none");
    refuse({"convert", "bad", "out.alf", "--precision", "f16"}, "unknown precision 'f16': use f32 or f64");
}

TEST_F(ConvertCli, WhatCopiesTheDataMustFitTheMemoryGiven) {
    succeed({"convert", "randn-300-20", "r.alf", "--quiet"});
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{"--holdout", "0.2"}, {"--normalize", "columns"}}) {
        std::vector<std::string> arguments{"train", "r.alf", "--memory", "1000", "--radius", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 2);
        EXPECT_TRUE(result.err.starts_with("alfcg: " + more.front() + " copies what is mapped of r.alf"))
            << result.err;
    }
    refuse({"train", "r.alf", "--batch-order", "sorted"},
           "--batch-order must be random or blocks, not 'sorted'");
}

}  // namespace
}  // namespace alfcg

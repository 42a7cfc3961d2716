// `alfcg predict` on tables and on data that are not the model's.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "program.hpp"

namespace alfcg {
namespace {

class PredictCli : public testing::Test {
  protected:
    [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
    void write(const std::string& name, const std::string& text) const { write_bytes(file(name), text); }
    [[nodiscard]] ProgramResult run(const std::vector<std::string>& arguments) const {
        return run_program(arguments, folder_.file(""));
    }
    void train(const std::string& data, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"train",        data,  "--model", "m.npz",
                                           "--max-epochs", "100", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = run(arguments);
        ASSERT_EQ(result.status, 0) << result.err;
    }
    [[nodiscard]] std::string predictions(const std::string& data, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"predict", "m.npz", data, "--output", "p.txt"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return result.status == 0 ? read_bytes(file("p.txt")) : result.err;
    }

    // People with an age, a height that is sometimes missing, and a colour, written with columns in any order.
    [[nodiscard]] static std::string people(const std::vector<int>& order, char separator = ',') {
        std::mt19937 random(3);
        const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
        std::vector<std::vector<std::string>> rows{{"id", "age", "height", "colour", "bought"}};
        for (int i = 0; i < 200; ++i) {
            const int age = below(60) - 30;
            const int colour = below(3);
            rows.push_back({"p" + std::to_string(i), std::to_string(age),
                            below(8) == 0 ? "" : std::to_string(150 + below(50)),
                            colour == 0   ? "red"
                            : colour == 1 ? "\"light; blue, a bit\""
                                          : "green",
                            age + 20 * colour + below(10) > 20 ? "yes" : "no"});
        }
        std::string text;
        for (const auto& row : rows)
            for (std::size_t k = 0; k < order.size(); ++k)
                text += row[static_cast<std::size_t>(order[k])] +
                        (k + 1 < order.size() ? std::string(1, separator) : "\n");
        return text;
    }

    TemporaryFolder folder_;
};

TEST_F(PredictCli, TheOrderOfNamedColumnsDoesNotMatter) {
    write("a.csv", people({0, 1, 2, 3, 4}));
    write("b.csv", people({4, 3, 0, 2, 1}, ';'));
    write("c.csv", people({2, 1, 3}));
    train("a.csv", {"--drop", "id", "--categories", "--missing", "mean", "--normalize", "columns"});
    const std::string expected = predictions("a.csv");
    EXPECT_NE(expected.find("yes"), std::string::npos);
    EXPECT_NE(expected.find("no"), std::string::npos);
    EXPECT_EQ(predictions("b.csv"), expected);
    EXPECT_EQ(predictions("c.csv"), expected);
    const auto scores = nlohmann::json::parse(run({"predict", "m.npz", "b.csv", "--json"}).out);
    EXPECT_EQ(scores["accuracy"],
              nlohmann::json::parse(run({"predict", "m.npz", "a.csv", "--json"}).out)["accuracy"]);
    EXPECT_EQ(scores["unknown_labels"], 0);
}

TEST_F(PredictCli, WordsThatAreNewAreCountedOnStderr) {
    write("a.csv", people({1, 3, 4}));
    train("a.csv", {"--categories"});
    write("b.csv", "age,colour\n20,pink\n30,red\n40,pink\n");
    const auto result = run({"predict", "m.npz", "b.csv"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err,
              "alfcg: note: b.csv: column 1 ('colour'): 2 of 3 rows have a word that the model does not "
              "know; it counts as none\n");
}

TEST_F(PredictCli, OptionsAreNamedWithDashes) {
    write("a.csv", people({1, 2, 3, 4}));
    EXPECT_EQ(
        run({"train", "a.csv", "--missing", "zero"}).err,
        "alfcg: a.csv:2: column 2 ('colour'): 'green' is not a number; --categories makes features of words, "
        "--drop leaves the column out\n");
    EXPECT_EQ(run({"train", "a.csv", "--drop", "shape"}).err,
              "alfcg: a.csv:1: no column 'shape'; the header has: age, height, colour, bought\n");
    EXPECT_EQ(run({"train", "a.csv", "--missing", "0"}).err,
              "alfcg: --missing must be mean or zero, not '0'\n");
}

TEST_F(PredictCli, ForeignLabelsAreNotScored) {
    write("a.txt", "+1 1:1 2:0.5\n-1 1:-1 2:0.1\n+1 1:2\n-1 1:-2 2:1\n");
    train("a.txt");
    write("b.txt", "1 1:1\n2 1:-1\n3 1:2 2:1\n");
    EXPECT_EQ(
        run({"predict", "m.npz", "b.txt"}).err,
        "alfcg: note: b.txt: not scored: the labels (1, 2, 3) are not the classes of the model (-1, 1)\n");
    // One that was too rare to be learned is another matter.
    std::string text = "2 1:1\n";
    for (int i = 0; i < 11; ++i) text += "1 1:1\n";
    write("d.txt", text);
    const auto some = run({"predict", "m.npz", "d.txt"});
    EXPECT_EQ(some.status, 0);
    EXPECT_NE(some.out.find("Accuracy = 91.6667% (11/12)"), std::string::npos) << some.out;
    EXPECT_EQ(
        some.err,
        "alfcg: note: d.txt: 1 of 12 rows have a label that the model does not know; they count as wrong\n");
    write("c.txt", "4 1:1\n2 1:-1\n3 1:2 2:1\n");
    const auto none = run({"predict", "m.npz", "c.txt"});
    EXPECT_EQ(none.status, 0);
    EXPECT_EQ(none.out, "1\n-1\n1\n");
    EXPECT_EQ(
        none.err,
        "alfcg: note: c.txt: not scored: the labels (2, 3, 4) are not the classes of the model (-1, 1)\n");
    const auto json = nlohmann::json::parse(run({"predict", "m.npz", "c.txt", "--json"}).out);
    EXPECT_FALSE(json.contains("accuracy"));
    EXPECT_TRUE(json.contains("not_scored"));
}

TEST_F(PredictCli, ANumberOfFeaturesThatDoesNotFitIsTold) {
    std::string wide;
    for (int i = 0; i < 4; ++i)
        wide += (i % 2 == 0 ? "1" : "2") + std::string(" 1:0.5 30:") + std::to_string(i) + "\n";
    write("wide.txt", wide);
    train("wide.txt");
    write("wider.txt", "1 1:1 31:2\n");
    EXPECT_EQ(run({"predict", "m.npz", "wider.txt"}).err,
              "alfcg: wider.txt:1: index 31 is beyond the number of features, 30\n");
    write("narrow.txt", "1 1:1 18:2\n2 2:1\n");
    EXPECT_EQ(run({"predict", "m.npz", "narrow.txt"}).err,
              "alfcg: note: narrow.txt: the largest index is 18, the model has 30 features; the others count "
              "as zero\n");
    // Rows with all of their 18 features are stored dense; a hundred rows are too many for chance. Neither is scored.
    std::string dense = "1";
    for (int j = 1; j <= 18; ++j) dense += " " + std::to_string(j) + ":1";
    std::string many;
    for (int i = 0; i < 100; ++i) many += "1 1:1 18:2\n";
    for (const std::string& text : {dense + "\n", many}) {
        write("other.txt", text);
        const auto other = run({"predict", "m.npz", "other.txt"});
        EXPECT_EQ(other.status, 0);
        EXPECT_EQ(other.out.find("Accuracy"), std::string::npos) << other.out;
        EXPECT_EQ(other.err,
                  "alfcg: note: other.txt: not scored: the largest index is 18, the model has 30 features\n");
    }
    write("table.csv", "1,2,3,1\n4,5,6,2\n");
    EXPECT_EQ(run({"predict", "m.npz", "table.csv"}).err,
              "alfcg: table.csv:1: 4 columns, but 30 features (and perhaps a label) are expected; --drop "
              "leaves columns "
              "out\n");
}

}  // namespace
}  // namespace alfcg

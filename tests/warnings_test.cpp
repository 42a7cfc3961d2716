// A model that learned nothing, or has one answer for all, says so.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

namespace alfcg {
namespace {

using nlohmann::json;

class Warnings : public testing::Test {
  protected:
    TemporaryFolder folder_;

    ProgramResult train(const std::vector<std::string>& extra) {
        std::vector<std::string> arguments{"train", "data.csv"};
        arguments.insert(arguments.end(), extra.begin(), extra.end());
        return run_program(arguments, folder_.path());
    }
    // What stands in the summary, having made sure that the text says the same, in one line each.
    std::vector<std::string> warnings(std::vector<std::string> extra) {
        const auto text = train(extra);
        EXPECT_EQ(text.status, 0) << text.err;
        extra.emplace_back("--json");
        const auto found = json::parse(train(extra).out).at("warnings").get<std::vector<std::string>>();
        std::string lines;
        for (const std::string& warning : found) lines += "warning    " + warning + "\n";
        const std::size_t first = text.out.find("warning");
        EXPECT_EQ(first == std::string::npos ? "" : text.out.substr(first), lines);
        return found;
    }
    void write_data(const std::function<std::string(int)>& row) {
        std::string text = "width,kind\n";
        for (int i = 0; i < 50; ++i) text += row(i) + "\n";
        write_bytes(folder_.file("data.csv"), text);
    }
};

TEST_F(Warnings, OneAnswerForAllIsSaid) {
    // What tells the rows apart has little to do with their class.
    write_data([](int i) { return std::to_string(i % 3) + (i % 10 == 0 ? ",rare" : ",usual"); });
    const std::vector<std::string> expected{
        "every training row is predicted as 'usual', one of 2 classes: a larger --radius or a longer run may "
        "help"};
    EXPECT_EQ(warnings({}), expected);
    EXPECT_EQ(warnings({"--loss", "multinomial", "--holdout", "0.2"}), expected);
}

TEST_F(Warnings, WeightsThatHaveNotMovedAreSaid) {
    write_data([](int i) { return i % 2 == 0 ? "1,a" : "-1,b"; });
    const std::vector<std::string> expected{
        "the weights are still at their start, zero: nothing was learned from the features"};
    EXPECT_EQ(warnings({"--max-iterations", "0"}), expected);
    EXPECT_EQ(warnings({"--l1", "100"}), expected) << "the start is the optimum";
    write_data([](int i) { return i % 2 == 0 ? "1,0.5" : "-1,-1.5"; });
    EXPECT_EQ(warnings({"--max-iterations", "0", "--loss", "squared"}), expected);
}

TEST_F(Warnings, UnitsThatAreFarApartAreSaidWhereARunEndsEarly) {
    std::string text = "length,height,kind\n";
    for (int i = 0; i < 50; ++i)
        text +=
            std::to_string(1000 * (i % 7)) + "," + std::to_string(i % 5) + (i % 7 > i % 5 ? ",a\n" : ",b\n");
    write_bytes(folder_.file("data.csv"), text);
    const std::vector<std::string> early{"--max-iterations", "3", "--method", "alfcg-d"};
    const std::vector<std::string> expected{
        "the features are in units up to 1e+03 times apart, which makes runs long: --normalize columns "
        "brings "
        "them together"};
    EXPECT_EQ(warnings(early), expected);
    std::vector<std::string> scaled = early;
    scaled.insert(scaled.end(), {"--normalize", "columns"});
    EXPECT_EQ(warnings(scaled), std::vector<std::string>{});
    EXPECT_EQ(warnings({"--tol", "0.5"}), std::vector<std::string>{}) << "done as asked";
}

TEST_F(Warnings, AModelThatLearnedSaysNothing) {
    write_data([](int i) { return i % 2 == 0 ? "1,a" : "-1,b"; });
    EXPECT_EQ(warnings({}), std::vector<std::string>{});
    write_data([](int i) { return i % 2 == 0 ? "1,0.5" : "-1,-0.5"; });
    EXPECT_EQ(warnings({"--loss", "squared"}), std::vector<std::string>{});
}

}  // namespace
}  // namespace alfcg

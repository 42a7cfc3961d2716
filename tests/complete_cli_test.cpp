// alfcg complete, predict on pairs and recommend, as a user meets them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "alfcg/model/completion.hpp"
#include "bad_input_files.hpp"

namespace alfcg {
namespace {

using Triple = std::tuple<int, int, double>;

// Of a matrix of rank 2 and noise, 30 x 20; entry (i, j) is known where i + 3j is not divisible by 3.
std::vector<Triple> known_entries() {
    std::vector<Triple> known;
    for (int i = 0; i < 30; ++i)
        for (int j = 0; j < 20; ++j) {
            if ((i + 3 * j + j / 4) % 3 == 0) continue;
            const double noise = std::sin(17.0 * i + 29.0 * j);
            known.emplace_back(i, j,
                               std::round(1000 * (3 + std::cos(i) * std::sin(j) +
                                                  0.1 * i * std::cos(2.0 * j) + 0.2 * noise)) /
                                   1000);
        }
    return known;
}

std::string row_name(int i) {
    return "user " + std::to_string(i);
}
std::string column_name(int j) {
    return "film, part " + std::to_string(j);
}

class CompleteCommand : public ::testing::Test {
  protected:
    ProgramResult run(const Words& arguments) const { return run_program(arguments, folder.path()); }
    ProgramResult complete(Words arguments) const {
        arguments.insert(arguments.begin(), "complete");
        return run(arguments);
    }
    nlohmann::json summary(Words arguments) const {
        arguments.insert(arguments.end(), {"--json", "--precision", "f64", "--threads", "1"});
        const ProgramResult result = complete(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return nlohmann::json::parse(result.out, nullptr, false);
    }
    void write(const std::string& name, const std::string& text) const {
        write_bytes(folder.file(name), text);
    }
    std::string bytes(const std::string& name) const { return read_bytes(folder.file(name)); }
    void refused(const Words& arguments, const std::string& why) const {
        const ProgramResult result = complete(arguments);
        EXPECT_EQ(result.status, 2);
        EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    }

    // A text with a line for every entry.
    template <class Line>
    static std::string lines(const Line& line) {
        std::ostringstream text;
        for (const auto& [i, j, value] : known_entries()) line(text, i, j, value);
        return text.str();
    }
    void write_ratings() const {
        write("r.tsv", lines([](auto& text, int i, int j, double value) {
                  text << row_name(i) << '\t' << column_name(j) << '\t' << value << '\n';
              }));
    }

    TemporaryFolder folder;
};

// The same observations in every form give the same optimum, to the accuracy asked for.
TEST_F(CompleteCommand, EveryFormOfTheDataGivesTheSameMatrix) {
    write_ratings();
    write("header.csv", "who,what,value\n" + lines([](auto& text, int i, int j, double value) {
                            text << '"' << row_name(i) << "\",\"" << column_name(j) << "\"," << value
                                 << "\r\n";
                        }));
    write("semicolons.csv", lines([](auto& text, int i, int j, double value) {
              text << row_name(i) << ';' << column_name(j) << ';' << value << ";ignored\n";
          }));
    write("blanks.txt", lines([](auto& text, int i, int j, double value) {
              text << 'u' << i << ' ' << 'f' << j << ' ' << value << '\n';
          }));
    write("r.mtx", "%%MatrixMarket matrix coordinate real general\n% a comment\n30 20 " +
                       std::to_string(known_entries().size()) + "\n" +
                       lines([](auto& text, int i, int j, double value) {
                           text << i + 1 << ' ' << j + 1 << ' ' << value << '\n';
                       }));
    write("r.tsv.gz", gzip(bytes("r.tsv")));
    write("weights.tsv", lines([](auto& text, int i, int j, double value) {
              text << row_name(i) << '\t' << column_name(j) << '\t' << value << "\t2.5\n";
          }));
    const Words run{"--radius", "40", "--tol", "1e-6", "--model", "m.npz"};
    const auto of = [&](const std::string& file, Words more = {}) {
        more.insert(more.begin(), run.begin(), run.end());
        more.insert(more.begin(), file);
        return summary(more);
    };
    const auto first = of("r.tsv");
    EXPECT_EQ(first["status"], "converged");
    EXPECT_EQ(first["rows"], 30);
    EXPECT_EQ(first["columns"], 20);
    EXPECT_EQ(first["observations"], known_entries().size());
    for (const std::string file : {"header.csv", "semicolons.csv", "blanks.txt", "r.mtx", "r.tsv.gz"}) {
        const auto other = of(file);
        EXPECT_EQ(other["observations"], first["observations"]) << file;
        EXPECT_NEAR(other["objective"].get<double>(), first["objective"].get<double>(), 1e-5) << file;
        EXPECT_NEAR(other["rmse"].get<double>(), first["rmse"].get<double>(), 1e-3) << file;
    }
    // Weights that are all alike are none.
    EXPECT_NEAR(of("weights.tsv", {"--weights"})["objective"].get<double>(), first["objective"].get<double>(),
                1e-5);
    EXPECT_EQ(of("r.tsv", {"--rows", "100"})["observations"], 100);
}

// What entries have in common is their mean by weights; with ones and threes, as if some were there three times.
TEST_F(CompleteCommand, WeightsCount) {
    write("heavy.tsv", "a\tx\t5\t3\nb\tx\t1\t1\n");
    summary({"heavy.tsv", "--weights", "--radius", "1e-3", "--biases", "--bias-penalty", "1e9", "--model",
             "m.npz"});
    const auto model = load_completion<double>(folder.file("m.npz"));
    EXPECT_NEAR(model.mean, 4, 1e-12);
    EXPECT_EQ(model.rank(), 0);  // which is a model as well
    EXPECT_NEAR(model.at(1, 0), 4, 1e-6);
}

TEST_F(CompleteCommand, PredictionsAreTheModelsEntries) {
    write_ratings();
    const Words run_it{"r.tsv", "--radius", "50", "--biases", "--model", "m.npz"};
    ASSERT_EQ(summary(run_it)["status"], "converged");
    const auto model = load_completion<double>(folder.file("m.npz"));
    const auto rows = positions(model.rows);
    const auto columns = positions(model.columns);
    const std::string pairs = row_name(3) + "\t" + column_name(7) + "\n" + row_name(29) + "\t" +
                              column_name(0) + "\nnobody\t" + column_name(5) + "\n";
    write("pairs.tsv", pairs);
    const ProgramResult result = run({"predict", "m.npz", "pairs.tsv"});
    ASSERT_EQ(result.status, 0) << result.err;
    std::istringstream text(result.out);
    const auto entry = [&](int i, int j) {
        const Index row = rows.at(row_name(i));
        const Index column = columns.at(column_name(j));
        double value = model.mean + model.row_biases[static_cast<std::size_t>(row)] +
                       model.column_biases[static_cast<std::size_t>(column)];
        for (Index k = 0; k < model.rank(); ++k) value += model.left(row, k) * model.right(column, k);
        return std::clamp(value, model.least, model.most);
    };
    std::vector<double> found(3);
    for (double& value : found) text >> value;
    EXPECT_NEAR(found[0], entry(3, 7), 1e-12);
    EXPECT_NEAR(found[1], entry(29, 0), 1e-12);
    EXPECT_NEAR(found[2],
                model.mean + model.column_biases[static_cast<std::size_t>(columns.at(column_name(5)))],
                1e-12);
    EXPECT_NE(result.err.find("1 of 3 pairs"), std::string::npos) << result.err;
    // With values there is a score: that of the summary.
    const auto score = nlohmann::json::parse(run({"predict", "m.npz", "r.tsv", "--json"}).out);
    EXPECT_NEAR(score["rmse"].get<double>(), summary(run_it)["rmse"].get<double>(), 1e-9);
}

TEST_F(CompleteCommand, RecommendsTheLargestEntries) {
    write_ratings();
    ASSERT_EQ(summary({"r.tsv", "--radius", "50", "--model", "m.npz"})["status"], "converged");
    const auto model = load_completion<double>(folder.file("m.npz"));
    const Index row = positions(model.rows).at(row_name(4));
    std::map<double, std::string, std::greater<>> all;
    std::map<double, std::string, std::greater<>> unseen;
    const auto seen = [](const std::string& name) {
        for (const auto& [i, j, value] : known_entries())
            if (i == 4 && column_name(j) == name) return true;
        return false;
    };
    for (std::size_t j = 0; j < model.columns.size(); ++j) {
        double value = 0;
        for (Index k = 0; k < model.rank(); ++k)
            value += model.left(row, k) * model.right(static_cast<Index>(j), k);
        all[value] = model.columns[j];
        if (!seen(model.columns[j])) unseen[value] = model.columns[j];
    }
    const auto check = [&](const ProgramResult& result, const auto& best, std::size_t count) {
        ASSERT_EQ(result.status, 0) << result.err;
        const auto json = nlohmann::json::parse(result.out);
        ASSERT_EQ(json.size(), count);
        auto expected = best.begin();
        for (const auto& one : json) {
            EXPECT_EQ(one["column"], expected->second);
            EXPECT_NEAR(one["value"].get<double>(), expected->first, 1e-12);
            ++expected;
        }
    };
    check(run({"recommend", "m.npz", row_name(4), "-n", "5", "--json"}), all, 5);
    check(run({"recommend", "m.npz", row_name(4), "-n", "99", "--without", "r.tsv", "--json"}), unseen,
          unseen.size());
    const ProgramResult nobody = run({"recommend", "m.npz", "nobody"});
    EXPECT_EQ(nobody.status, 2);
    EXPECT_NE(nobody.err.find("has no row 'nobody'"), std::string::npos) << nobody.err;
}

TEST_F(CompleteCommand, ReproducibleRunsHaveTheSameBitsOnAnyThreads) {
    write_ratings();
    const auto with = [&](const std::string& threads, const std::string& model) {
        EXPECT_EQ(complete({"r.tsv", "--radius", "auto", "--biases", "--refit", "--reproducible", "--threads",
                            threads, "--model", model, "--silent"})
                      .status,
                  0);
        return bytes(model);
    };
    const std::string one = with("1", "one.npz");
    EXPECT_EQ(one, with("2", "two.npz"));
    EXPECT_EQ(one, with("5", "five.npz"));
}

TEST_F(CompleteCommand, AResumedRunHasTheSameBits) {
    write_ratings();
    const auto check = [&](const Words& what, const std::string& part) {
        SCOPED_TRACE(what[1] + " " + what[3]);
        const auto with = [&](Words more) {
            more.insert(more.begin(), what.begin(), what.end());
            more.insert(more.begin(), {"r.tsv", "--threads", "2", "--silent"});
            const ProgramResult result = complete(more);
            EXPECT_EQ(result.status, 0) << result.err;
        };
        with({"--max-iterations", "9", "--model", "whole.npz"});
        std::filesystem::remove(folder.file("state"));
        with({"--max-iterations", part, "--model", "half.npz", "--checkpoint", "state", "--checkpoint-every",
              "0"});
        with({"--max-iterations", "9", "--model", "half.npz", "--resume", "state"});
        EXPECT_EQ(bytes("whole.npz"), bytes("half.npz"));
    };
    check({"--radius", "60", "--tol", "1e-12"}, "1");
    check({"--radius", "60", "--method", "alfcg-d", "--tol", "1e-9"}, "4");
    check({"--radius", "60", "--method", "alfcg-mvr1", "--tol", "1e-9"}, "4");
    // What was chosen before the last solve is chosen again, by the same budget.
    check({"--radius", "auto", "--biases", "--refit", "--tol", "1e-12"}, "9");
}

TEST_F(CompleteCommand, OtherRunsAreToldInOneLine) {
    write_ratings();
    write("other.tsv", bytes("r.tsv") + "user 0\tnew\t3\n");
    const auto with = [](const std::string& file, Words more) {
        more.insert(more.begin(), {file, "--threads", "1", "--model", "m.npz"});
        return more;
    };
    ASSERT_EQ(complete(with("r.tsv", {"--radius", "60", "--tol", "1e-12", "--max-iterations", "3",
                                      "--checkpoint", "state"}))
                  .status,
              0);
    refused(with("r.tsv", {"--radius", "61", "--resume", "state"}), "radius");
    refused(with("r.tsv", {"--radius", "60", "--resume", "state", "--biases"}),
            "biases none, here with a penalty of 0");
    refused(with("r.tsv", {"--radius", "60", "--resume", "state", "--rank", "3"}), "rank any, here 3");
    refused(with("r.tsv", {"--radius", "60", "--resume", "state", "--loss", "huber"}),
            "loss squared, here huber");
    refused(with("other.tsv", {"--radius", "60", "--resume", "state"}), "here");
    refused(with("r.tsv", {"--radius", "60", "--checkpoint-every", "3"}),
            "--checkpoint-every is for runs with --checkpoint");
    refused(with("r.tsv", {"--radius", "60", "--resume", "nowhere"}), "cannot open the checkpoint");
}

// From its own end a run has nothing left to do, and names may come in another order.
TEST_F(CompleteCommand, StartsWhereAModelIs) {
    write_ratings();
    std::string turned;
    std::istringstream text(bytes("r.tsv"));
    for (std::string line; std::getline(text, line);) turned = line + "\n" + turned;
    write("turned.tsv", turned);
    const auto cold = summary({"r.tsv", "--radius", "20", "--biases", "--tol", "1e-5", "--model", "m.npz"});
    EXPECT_GT(cold["iterations"], 1);
    for (const std::string file : {"r.tsv", "turned.tsv"}) {
        const auto warm = summary({file, "--radius", "20", "--biases", "--start", "m.npz", "--max-iterations",
                                   "0", "--model", "w.npz"});
        EXPECT_NEAR(warm["objective"].get<double>(), cold["objective"].get<double>(), 1e-9) << file;
    }
    // Scaled in where the ball is smaller.
    EXPECT_LE(summary({"r.tsv", "--radius", "10", "--start", "m.npz", "--max-iterations", "1", "--model",
                       "w.npz"})["nuclear_norm"],
              10 * (1 + 1e-9));
    refused({"r.tsv", "--radius", "auto", "--start", "m.npz"}, "--start is for a --radius that is given");
    refused({"r.tsv", "--radius", "3", "--start", "r.tsv"}, "r.tsv");
}

TEST_F(CompleteCommand, TriesTheRadiiThatAreGiven) {
    write_ratings();
    const auto json = summary({"r.tsv", "--radius", "auto", "--radii", "80,20,5", "--model", "m.npz"});
    const double radius = json["radius"].get<double>();
    EXPECT_TRUE(radius == 5 || radius == 20 || radius == 80) << radius;
    refused({"r.tsv", "--radius", "5", "--radii", "1,2"}, "--radii are for --radius auto");
    refused({"r.tsv", "--radius", "auto", "--radii", "1,x"}, "radii");
    refused({"r.tsv", "--radius", "auto", "--radii", "1,-2"}, "--radii must be positive, not -2");
}

// Of what the best of many radii wins beside none, on what is held out, the search along a path of penalties wins all but a little.
TEST_F(CompleteCommand, TheSearchFindsWhatSolvesFind) {
    write_ratings();
    const auto error_at = [&](const std::string& radius) {
        return summary({"r.tsv", "--radius", radius, "--holdout", "0.2", "--model", "n.npz"})["test_rmse"]
            .get<double>();
    };
    double best = std::numeric_limits<double>::infinity();
    for (const std::string radius : {"10", "20", "40", "57", "80", "95", "113", "160"})
        best = std::min(best, error_at(radius));
    const double nothing = error_at("1e-6");
    const auto found = summary({"r.tsv", "--radius", "auto", "--holdout", "0.2", "--model", "m.npz"});
    EXPECT_LE(found["test_rmse"], nothing - 0.98 * (nothing - best)) << found["radius"];
    EXPECT_EQ(found["on_all"], true);
}

// A run whose optimum has more singular values than it may keep says so.
TEST_F(CompleteCommand, ARankThatIsTooSmallEndsTheRun) {
    write_ratings();
    for (const std::string method : {"alfcg-c", "alfcg-d", "fw-armijo"}) {
        const auto json = summary({"r.tsv", "--radius", "100", "--rank", "1", "--tol", "1e-4", "--method",
                                   method, "--model", "m.npz"});
        EXPECT_EQ(json["status"], "max-rank") << method;
        EXPECT_EQ(json["rank"], 1) << method;
    }
    const ProgramResult result =
        complete({"r.tsv", "--radius", "100", "--rank", "1", "--tol", "1e-4", "--quiet", "--model", "m.npz"});
    EXPECT_NE(result.out.find("more singular values than --rank 1 keeps"), std::string::npos) << result.out;
    // One that is large enough changes nothing.
    EXPECT_EQ(summary({"r.tsv", "--radius", "20", "--rank", "20", "--model", "m.npz"})["status"],
              "converged");
}

// Values in another unit, and the radius with them, are the same problem.
TEST_F(CompleteCommand, VeryLargeAndVerySmallValuesAreNoMatter) {
    const auto objective = [&](const std::string& zeros) {
        write("r", lines([&](auto& text, int i, int j, double value) {
                  text << row_name(i) << '\t' << column_name(j) << '\t' << value << 'e' << zeros << '\n';
              }));
        const auto json = summary({"r", "--radius", "40e" + zeros, "--tol", "1e-9", "--model", "m.npz"});
        EXPECT_EQ(json["status"], "converged") << zeros;
        return json["objective"].get<double>();
    };
    const double plain = objective("0");
    EXPECT_NEAR(objective("120") * 1e-240 / plain, 1, 1e-8);
    EXPECT_NEAR(objective("-120") * 1e240 / plain, 1, 1e-8);
}

// A ball that holds next to nothing of the values: what sweeps find lies far outside of it.
TEST_F(CompleteCommand, TinyRadiiAreNoMatter) {
    write_ratings();
    for (const std::string radius : {"1e-6", "1e-12"}) {
        const auto json = summary({"r.tsv", "--radius", radius, "--max-iterations", "6", "--model", "m.npz"});
        EXPECT_GE(json["gap"], 0) << radius;
        EXPECT_LT(json["gap"].get<double>(), 1e-2 * std::stod(radius)) << radius;
    }
}

TEST_F(CompleteCommand, WhatUnpacksBeyondTheLimitIsRefused) {
    write("r.gz", gzip(std::string(1000, '\n') + "a\tx\t1\nb\ty\t2\n"));
    refused({"r.gz", "--radius", "1", "--max-unpacked", "500"}, "(--max-unpacked)");
    EXPECT_EQ(complete({"r.gz", "--radius", "1", "--max-unpacked", "2000", "--quiet"}).status, 0);
}

TEST_P(BadInputTest, IsRefusedInOneLineAndTouchesNothing) {
    expect_refusal(GetParam());
}

std::vector<BadInput> bad_ratings() {
    const auto bad = [](const std::string& name, const std::string& text, Words says, Words options = {}) {
        options.insert(options.begin(), {"complete", "r", "--radius", "2", "--model", "new"});
        return BadInput{name, std::move(options), std::move(says), {{"r", text}}};
    };
    const auto late = [](BadInput input) {
        input.late = true;
        return input;
    };
    const std::string good = "a\tx\t1\nb\ty\t2\n";
    const std::string market = "%%MatrixMarket matrix coordinate real general\n";
    return {
        bad("TwoFields", good + "c\tz\n", {"r:3: has 2 fields, not the 3 of row, column and value"}),
        bad("NoNumber", good + "c\tz\tgood\n", {"r:3: the value", "'good'"}),
        bad("MissingValue", good + "c\tz\tnan\n", {"r:3: the value is missing", "leave such lines out"}),
        bad("TooLarge", good + "c\tz\t1e99\n", {"r:3: the value", "1e99"}),
        late(bad("TooLargeToSquare", good + "c\tz\t1e200\n",
                 {"a value is 1e+200; values are numbers of at most 1e+150"}, {"--precision", "f64"})),
        late(
            bad("TooLargeToSquareInSingle", good + "c\tz\t-1e35\n", {"values are numbers of at most 1e+30"})),
        bad("NoName", good + "\tz\t1\n", {"r:3: the name of the row is empty"}),
        bad("NoColumn", good + "c\t\t1\n", {"r:3: the name of the column is empty"}),
        bad("Twice", good + "a\tx\t3\n", {"r: row 'a' and column 'x' are there twice"}),
        bad("Empty", "", {"r"}),
        bad("HeaderAlone", "user,film,stars\n", {"r: has no observations"}),
        bad("NoWeight", good, {"r:1: has 3 fields, not the 4"}, {"--weights"}),
        bad("WeightZero", "a\tx\t1\t0\n", {"r:1: the weight must be above 0, not '0'"}, {"--weights"}),
        bad("WeightNegative", "a\tx\t1\t-2\n", {"r:1: the weight must be above 0, not '-2'"}, {"--weights"}),
        bad("MarketOfAnotherKind", "%%MatrixMarket matrix array real general\n1 1\n1\n",
            {"r:1: must be a Matrix Market matrix of the kind 'coordinate real general'"}),
        bad("MarketTwoNumbers", market + "3 3 1\n1 1\n", {"r:3: has 2 numbers, not 3"}),
        bad("MarketRowTooLarge", market + "3 3 1\n4 1 5\n", {"r:3: '4' is no whole number from 1 to 3"}),
        bad("MarketRowZero", market + "3 3 1\n0 1 5\n", {"r:3: '0' is no whole number from 1 to 3"}),
        bad("MarketTooFew", market + "3 3 2\n1 1 5\n", {"r: has 1 entries, not the 2 that it promises"}),
        bad("MarketTooMany", market + "3 3 1\n1 1 5\n2 2 5\n", {"r:4: more than 1 entries"}),
        bad("MarketWeights", market + "3 3 1\n1 1 5\n", {"r: Matrix Market files have no weights"},
            {"--weights"}),
        bad("NoRank", good, {"--rank must be at least 1, not 0"}, {"--rank", "0"}),
        bad("HoldOutOfAll", good, {"--holdout"}, {"--holdout", "1"}),
        bad("PenaltyWithoutBiases", good, {"--bias-penalty is for --biases"}, {"--bias-penalty", "2"}),
        late(bad("SignsForLogistic", good, {"the logistic loss needs values that are -1 or 1"},
                 {"--loss", "logistic"})),
        late(bad("OtherMethod", good, {"--method must be one that works on factors, not fw-away"},
                 {"--method", "fw-away"})),
    };
}
INSTANTIATE_TEST_SUITE_P(Ratings, BadInputTest, testing::ValuesIn(bad_ratings()), case_name);

}  // namespace
}  // namespace alfcg

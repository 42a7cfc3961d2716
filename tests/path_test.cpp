// Choosing the radius: folds, warm-started fits over radii, and what is chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "alfcg/alfcg.hpp"
#include "data_files.hpp"
#include "nlohmann/json.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

TEST(Folds, SplitTheRowsAndEveryClassEvenly) {
    std::mt19937_64 random(4);
    for (const Index rows : {7, 50, 203})
        for (const Index folds : {2, 5, 7}) {
            std::vector<std::int32_t> classes;
            for (Index i = 0; i < rows; ++i) classes.push_back(static_cast<std::int32_t>(random() % 3));
            for (const bool stratified : {true, false}) {
                const auto fold =
                    fold_of_rows(rows, stratified ? classes : std::vector<std::int32_t>{}, folds, 9);
                ASSERT_EQ(std::ssize(fold), rows);
                std::map<Index, Index> sizes;
                std::map<std::pair<std::int32_t, Index>, Index> of_class;
                for (Index i = 0; i < rows; ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    ASSERT_GE(fold[at], 0);
                    ASSERT_LT(fold[at], folds);
                    ++sizes[fold[at]];
                    ++of_class[{classes[at], fold[at]}];
                }
                const auto even = [](Index least, Index most) { return most - least <= 1; };
                Index least = rows;
                Index most = 0;
                for (Index k = 0; k < folds; ++k) {
                    least = std::min(least, sizes[k]);
                    most = std::max(most, sizes[k]);
                }
                EXPECT_TRUE(even(least, most));
                for (std::int32_t c = 0; stratified && c < 3; ++c) {
                    least = rows;
                    most = 0;
                    for (Index k = 0; k < folds; ++k) {
                        least = std::min(least, of_class[{c, k}]);
                        most = std::max(most, of_class[{c, k}]);
                    }
                    EXPECT_TRUE(even(least, most));
                }
            }
        }
    EXPECT_EQ(fold_of_rows(40, {}, 5, 1), fold_of_rows(40, {}, 5, 1));
    EXPECT_NE(fold_of_rows(40, {}, 5, 1), fold_of_rows(40, {}, 5, 2));
}

// y = 2 x₀ − x₁ + noise among eight features, all of this size.
struct Sample {
    std::vector<double> x;
    std::vector<double> y;
    static constexpr Index rows = 150;
    static constexpr Index cols = 8;

    explicit Sample(double size = 1) {
        std::mt19937_64 random(8);
        std::normal_distribution<double> normal;
        for (Index i = 0; i < rows; ++i) {
            std::vector<double> row;
            for (Index j = 0; j < cols; ++j) row.push_back(normal(random));
            y.push_back(2 * row[0] - row[1] + 0.3 * normal(random));
            for (const double entry : row) x.push_back(size * entry);
        }
    }
    [[nodiscard]] ArrayData data() const { return {DenseView(x.data(), rows, cols), y, "sample"}; }
};

Specification exact() {
    Specification specification;
    specification.threads = 1;
    specification.intercept = false;
    specification.options.method = "fw-armijo";
    return specification;
}

// ½ mean (w x − y)² of rows that are not those of the fold.
double mean_squared_error(const Sample& sample, const Matrix<double>& w, const std::vector<bool>& wanted) {
    double sum = 0;
    double count = 0;
    for (Index i = 0; i < Sample::rows; ++i) {
        if (!wanted[static_cast<std::size_t>(i)]) continue;
        double score = 0;
        for (Index j = 0; j < Sample::cols; ++j)
            score += w(0, j) * sample.x[static_cast<std::size_t>(i * Sample::cols + j)];
        sum += std::pow(score - sample.y[static_cast<std::size_t>(i)], 2);
        ++count;
    }
    return sum / count;
}

TEST(Path, IsWhatSeparateFitsGive) {
    const Sample sample;
    const Specification specification = exact();
    PathOptions options;
    options.radii = {2, 0.5, 1};
    options.folds = 3;
    options.tolerance = 1e-6;
    options.max_epochs = 100000;
    const auto path = find_radius<double>(sample.data(), specification, options);
    ASSERT_EQ(path.points.size(), 3U);
    const std::vector<Index> fold = fold_of_rows(Sample::rows, {}, 3, specification.options.seed);
    for (const PathPoint& point : path.points) {
        Specification alone = specification;
        alone.region = {"l1", {{"radius", point.radius}}, {}};
        alone.options.tolerance = 1e-6;
        alone.options.max_epochs = 100000;
        const auto whole = fit<double>(sample.data(), alone);
        EXPECT_NEAR(point.metrics.objective, whole.report.metrics.objective, 1e-5);
        EXPECT_NEAR(point.training.value(), whole.report.training.value(), 1e-5);
        std::vector<double> scores;
        for (Index k = 0; k < 3; ++k) {
            std::vector<double> x;
            std::vector<double> y;
            std::vector<bool> unseen;
            for (Index i = 0; i < Sample::rows; ++i) {
                const auto at = static_cast<std::size_t>(i);
                unseen.push_back(fold[at] == k);
                if (unseen.back()) continue;
                y.push_back(sample.y[at]);
                for (std::size_t j = 0; j < Sample::cols; ++j) x.push_back(sample.x[at * Sample::cols + j]);
            }
            const auto part =
                fit<double>(ArrayData{DenseView(x.data(), std::ssize(y), Sample::cols), y, "part"}, alone);
            scores.push_back(mean_squared_error(sample, part.model.weights, unseen));
        }
        const double mean = (scores[0] + scores[1] + scores[2]) / 3;
        double squares = 0;
        for (const double score : scores) squares += std::pow(score - mean, 2);
        EXPECT_NEAR(point.score, mean, 1e-3 * mean);
        EXPECT_NEAR(point.score_error, std::sqrt(squares / 2 / 3), 1e-2 * mean);
    }
    EXPECT_EQ(path.points[path.best].radius, 2);
    EXPECT_EQ(path.problem.region.parameters.number("radius"), 2);
}

TEST(Path, FindsTheRadiusOfTheTruthAtAnyScaleOfTheFeatures) {
    for (const double size : {1e-3, 1.0, 1e3}) {
        const Sample sample(size);
        for (const double held_out : {0.0, 0.3}) {
            Specification specification = exact();
            specification.hold_out = held_out;
            const auto path = find_radius<double>(sample.data(), specification, {});
            const double radius = path.points[path.best].radius * size;
            EXPECT_GE(radius, 2) << size;
            EXPECT_LE(radius, 12) << size;
            EXPECT_LT(path.points[path.best].score, 0.15);
            EXPECT_LE(path.smallest, path.best);
            EXPECT_EQ(path.folds, held_out > 0 ? 0 : 5);
            EXPECT_GT(path.points.front().score, 3) << "the first radius hardly matters";
            EXPECT_EQ(path.problem.held_out.has_value(), held_out > 0);
            for (std::size_t k = 1; k < path.points.size(); ++k)
                EXPECT_GE(path.points[k].radius, 2 * path.points[k - 1].radius * (1 - 1e-9));
            auto problem_path = find_radius<double>(sample.data(), specification, {});
            const auto fitted =
                fit<double>(problem_path.problem, problem_path.adapted(Specification::default_options()), {},
                            &problem_path.start);
            EXPECT_LE(fitted.report.metrics.objective, path.points[path.best].metrics.objective + 1e-12);
            EXPECT_EQ(fitted.report.held_out.has_value(), held_out > 0);
        }
    }
}

// Two features say as much, in units ten thousand apart: the first is used up long before the second can say anything.
TEST(Path, GoesOnUntilFeaturesInSmallUnitsCount) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> features;
    std::vector<double> targets;
    for (int i = 0; i < 300; ++i) {
        const double a = normal(random);
        const double b = normal(random);
        features.insert(features.end(), {1e3 * a, 1e-1 * b});
        targets.push_back(a + b + 0.1 * normal(random));
    }
    Specification specification;
    specification.loss.name = "squared";
    const auto path =
        find_radius<double>(ArrayData{DenseView(features.data(), 300, 2), targets}, specification, {});
    EXPECT_LT(path.points[path.best].score, 0.02) << "both: 0.01; the first alone: 1";
}

// Years, incomes, ages, shares: whatever the units, a path goes on until all of them have had their say.
TEST(Path, FindsARadiusInWhateverUnitsFeaturesCome) {
    constexpr std::size_t count = 5;
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> decades(-4, 4);
    for (unsigned seed = 1; seed <= 12; ++seed) {
        std::mt19937_64 random(seed);
        std::array<double, count> unit{};
        std::array<double, count> weight{};
        for (double& u : unit) u = std::pow(10, decades(random));
        for (double& w : weight) w = 1 + std::abs(normal(random));
        std::vector<double> features;
        std::vector<double> targets;
        for (int i = 0; i < 400; ++i) {
            double target = 0.2 * normal(random);
            for (std::size_t j = 0; j < count; ++j) {
                const double value = normal(random);
                features.push_back(unit[j] * (value + 3));
                target += weight[j] * value;
            }
            targets.push_back(target);
        }
        Specification specification;
        specification.loss.name = "squared";
        const auto path = find_radius<double>(
            ArrayData{DenseView(features.data(), 400, Index{count}), targets}, specification, {});
        EXPECT_LT(path.points[path.best].score, 2 * 0.04) << "seed " << seed << ": the noise alone is 0.04";
    }
}

TEST(Path, TheErrorOfAHeldOutScoreIsThatOfItsRows) {
    const Sample sample;
    Specification specification = exact();
    specification.hold_out = 0.4;
    PathOptions options;
    options.radii = {1.5};
    auto path = find_radius<double>(sample.data(), specification, options);
    Model<double> model;
    model.weights = path.start;
    model.loss.name = "squared";
    const Predictions answers = predict(model, *path.problem.held_out, false, 1);
    const auto& labels = path.problem.held_out->labels;
    double mean = 0;
    double squares = 0;
    const auto count = static_cast<double>(labels.size());
    for (Index i = 0; i < labels.size(); ++i)
        mean += std::pow(answers.values[static_cast<std::size_t>(i)] - labels.number(i), 2) / count;
    for (Index i = 0; i < labels.size(); ++i)
        squares +=
            std::pow(std::pow(answers.values[static_cast<std::size_t>(i)] - labels.number(i), 2) - mean, 2);
    EXPECT_NEAR(path.points[0].score, mean, 1e-12);
    EXPECT_NEAR(path.points[0].score_error, std::sqrt(squares / count / count), 1e-12);
}

TEST(Path, TheSmallestRadiusWithinOneErrorCanBeChosen) {
    const Sample sample;
    PathOptions options;
    options.pick = Pick::smallest;
    const auto path = find_radius<double>(sample.data(), exact(), options);
    EXPECT_EQ(path.chosen, path.smallest);
    const PathPoint& best = path.points[path.best];
    for (std::size_t k = 0; k < path.points.size(); ++k) {
        EXPECT_GE(path.points[k].score, best.score);
        const bool within = path.points[k].score <= best.score + best.score_error;
        EXPECT_TRUE(k >= path.smallest || !within);
    }
    EXPECT_LE(path.points[path.smallest].score, best.score + best.score_error);
    EXPECT_LE(path.problem.new_region()->violation(path.start), 1e-9);
    EXPECT_EQ(path.problem.region.parameters.number("radius"), path.points[path.smallest].radius);
}

TEST(Path, FoldsSideBySideGiveWhatTheyGiveOneByOne) {
    const Sample sample;
    PathOptions options;
    options.folds = 4;
    const auto alone = find_radius<double>(sample.data(), exact(), options);
    for (const int threads : {2, 5, 8}) {
        Specification specification = exact();
        specification.threads = threads;
        const auto path = find_radius<double>(sample.data(), specification, options);
        ASSERT_EQ(path.points.size(), alone.points.size());
        for (std::size_t k = 0; k < path.points.size(); ++k) {
            EXPECT_EQ(path.points[k].metrics.objective, alone.points[k].metrics.objective);
            EXPECT_EQ(path.points[k].score, alone.points[k].score);
            EXPECT_EQ(path.points[k].score_error, alone.points[k].score_error);
        }
        EXPECT_EQ(path.chosen, alone.chosen);
    }
}

// A larger region holds the point where the last fit ended, whatever steps were being tried when the limit was reached.
TEST(Path, ObjectiveNeverRises) {
    for (const double size : {0.01, 1.0, 30.0})
        for (const double epochs : {3, 5, 8, 13, 21}) {
            const Sample sample(size);
            Specification specification = exact();
            specification.options.method = "alfcg-d";
            PathOptions options;
            options.max_epochs = epochs;
            options.tolerance = 1e-9;
            const auto path = find_radius<double>(sample.data(), specification, options);
            for (std::size_t k = 1; k < path.points.size(); ++k)
                EXPECT_LE(path.points[k].metrics.objective,
                          path.points[k - 1].metrics.objective * (1 + 1e-12))
                    << size << ' ' << epochs << ' ' << path.points[k].radius;
        }
}

TEST(Path, EndsWhenItIsAskedTo) {
    const Sample sample;
    std::size_t seen = 0;
    const auto path = find_radius<double>(sample.data(), exact(), {},
                                          {[&](const PathPoint&) { ++seen; }, [&] { return seen == 2; }});
    EXPECT_EQ(path.points.size(), 2U);
}

TEST(Path, WhatMakesNoSenseIsRefused) {
    const Sample sample;
    const auto complaint = [&](auto change) {
        PathOptions options;
        Specification specification = exact();
        change(options, specification);
        return message_of<QuantityError>([&] { find_radius<float>(sample.data(), specification, options); });
    };
    EXPECT_EQ(complaint([](auto& o, auto&) { o.radii = {1, 0}; }), "radii must be positive numbers, not 0");
    EXPECT_EQ(complaint([](auto& o, auto&) { o.folds = 1; }), "folds must be at least 2, not 1");
    EXPECT_EQ(complaint([](auto& o, auto&) { o.folds = 151; }),
              "folds must be at most the number of rows, 150, not 151");
    EXPECT_EQ(complaint([](auto& o, auto& s) {
                  o.folds = 3;
                  s.hold_out = 0.5;
              }),
              "folds and `holdout` are two ways to the same end: give one of them");
}

// ---- the command ---------------------------------------------------------------------------------------------------

class PathCommand : public testing::Test {
  protected:
    TemporaryFolder folder_;

    void SetUp() override {
        const Sample sample;
        std::ostringstream text;
        text.precision(9);
        for (Index i = 0; i < Sample::rows; ++i) {
            for (Index j = 0; j < Sample::cols; ++j)
                text << sample.x[static_cast<std::size_t>(i * Sample::cols + j)] << ',';
            text << (sample.y[static_cast<std::size_t>(i)] > 0 ? "yes" : "no") << '\n';
        }
        write_bytes(folder_.file("data.csv"), text.str());
    }
    ProgramResult run(const std::vector<std::string>& arguments) {
        return run_program(arguments, folder_.path());
    }
};

TEST_F(PathCommand, WritesTableModelAndPage) {
    const auto result = run({"path", "data.csv", "--folds", "3", "--path", "t.csv", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    std::istringstream table(read_bytes(folder_.file("t.csv")));
    std::string line;
    std::getline(table, line);
    EXPECT_EQ(line, "radius,objective,gap,nonzeros,rank,train_score,score,score_se,seconds");
    double best_score = 0;
    double best_radius = 0;
    std::size_t rows = 0;
    while (std::getline(table, line)) {
        ++rows;
        std::vector<std::string> cells;
        std::istringstream cut(line);
        for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
        ASSERT_EQ(cells.size(), 9U);
        if (std::stod(cells[6]) > best_score) {
            best_score = std::stod(cells[6]);
            best_radius = std::stod(cells[0]);
        }
    }
    EXPECT_EQ(json["points"].size(), rows);
    EXPECT_EQ(json["best_radius"], best_radius);
    EXPECT_EQ(json["radius"], best_radius);
    EXPECT_GT(best_score, 0.9);
    EXPECT_EQ(json["model"], "data.model.npz");
    EXPECT_EQ(*load_model<float>(folder_.file("data.model.npz")).region.parameters.number("radius"),
              best_radius);
    const std::string page = read_bytes(folder_.file("data.path/report.html"));
    EXPECT_NE(page.find("<title>alfcg path data</title>"), std::string::npos);
    EXPECT_NE(page.find("Scores over the radius"), std::string::npos);
    EXPECT_NE(page.find("Coefficients over the radius"), std::string::npos);
    EXPECT_EQ(read_bytes(folder_.file("data.path/path.csv")), read_bytes(folder_.file("t.csv")));
}

TEST_F(PathCommand, TrainFindsTheSameRadius) {
    const auto radius_of = [&](std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return nlohmann::json::parse(result.out)["radius"].get<double>();
    };
    EXPECT_EQ(radius_of({"train", "data.csv", "--radius", "auto"}), radius_of({"path", "data.csv"}));
    EXPECT_EQ(radius_of({"train", "data.csv", "--holdout", "0.3"}),
              radius_of({"path", "data.csv", "--holdout", "0.3"}));
    EXPECT_EQ(radius_of({"train", "data.csv"}), 10);
    EXPECT_NE(run({"train", "data.csv"}).out.find("--radius auto finds a better one, as does --holdout"),
              std::string::npos);
    EXPECT_EQ(run({"train", "data.csv", "--radius", "3"}).out.find("--radius auto"), std::string::npos);
}

TEST_F(PathCommand, WhatTheDataWereTakenForIsSaidFirst) {
    const std::string columns = std::to_string(Sample::cols);
    const auto lines = [&](const std::vector<std::string>& arguments) {
        const std::string out = run(arguments).out;
        return out.substr(0, out.find('\n', out.find("\nloss ") + 1) + 1);
    };
    const std::string loss = "loss       logistic (from the labels), with an intercept\n";
    const std::string all = "data       data.csv: " + std::to_string(Sample::rows) + " rows, " + columns +
                            " features, 2 classes\n" + loss;
    EXPECT_EQ(lines({"path", "data.csv"}), all);
    EXPECT_EQ(lines({"train", "data.csv", "--radius", "auto"}), all);
    EXPECT_EQ(lines({"train", "data.csv"}), all);
    EXPECT_EQ(lines({"path", "data.csv", "--holdout", "0.3"}),
              lines({"train", "data.csv", "--holdout", "0.3"}));
    // Bytes, and what to do about them.
    write_bytes(folder_.file("x.npy"),
                npy_file<std::uint8_t>("u1", false, false, 40, 2, [](Index i, Index j) {
                    return static_cast<std::uint8_t>(200 * ((i + j) % 2) + i);
                }));
    std::string labels;
    for (int i = 0; i < 40; ++i) labels += i % 2 == 0 ? "a\n" : "b\n";
    write_bytes(folder_.file("y.txt"), labels);
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"path", "x.npy", "--labels", "y.txt"},
                                               {"train", "x.npy", "--labels", "y.txt", "--radius", "auto"}}) {
        EXPECT_EQ(lines(command),
                  "data       x.npy: 40 rows, 2 features, 2 classes, bytes (--scale divides "
                  "them by 255)\n" +
                      loss);
        std::vector<std::string> scaled = command;
        scaled.emplace_back("--scale");
        EXPECT_EQ(lines(scaled), "data       x.npy: 40 rows, 2 features, 2 classes, divided by 255\n" + loss);
    }
}

TEST_F(PathCommand, BadInputIsOneLine) {
    const auto error = [&](const std::vector<std::string>& arguments) {
        const auto result = run(arguments);
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
        return result.err;
    };
    EXPECT_EQ(error({"path", "data.csv", "--radii", "1,x"}).substr(0, 16), "alfcg: --radii m");
    EXPECT_EQ(error({"path", "data.csv", "--radii", "1,-2"}).substr(0, 16), "alfcg: --radii m");
    EXPECT_EQ(error({"path", "data.csv", "--radius", "3"}),
              "alfcg: --radius is what path is to find: give --radii, or use train\n");
    EXPECT_EQ(error({"path", "data.csv", "--folds", "3", "--holdout", "0.2"}),
              "alfcg: --folds and --holdout are two ways to the same end: give one of them\n");
    EXPECT_EQ(error({"path", "data.csv", "--pick", "last"}),
              "alfcg: --pick must be best or 1se, not 'last'\n");
    EXPECT_EQ(error({"compare", "data.csv", "--radius", "auto"}),
              "alfcg: --radius must be a number here: auto is for train, and path tries several\n");
    EXPECT_FALSE(std::filesystem::exists(folder_.file("data.path")));
}

}  // namespace
}  // namespace alfcg

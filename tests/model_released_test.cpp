// Models that released versions wrote are read for ever. What they hold is in facts.json beside them, worked out by NumPy
// (tests/models/facts.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "alfcg/core/text.hpp"
#include "alfcg/model/model.hpp"
#include "program.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

using Json = nlohmann::json;

/// The facts about every model, its folder in front of the names of the files.
std::vector<Json> released_models() {
    std::vector<Json> models;
    for (const auto& version : std::filesystem::directory_iterator(ALFCG_SOURCE_DIR "/tests/models")) {
        if (!version.is_directory()) continue;
        std::ifstream file(version.path() / "facts.json");
        for (Json facts : Json::parse(file)) {
            for (const char* name : {"model", "data"})
                facts[name] = (version.path() / facts[name].get<std::string>()).string();
            models.push_back(std::move(facts));
        }
    }
    return models;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string label_text(const Json& label) {
    return label.is_string() ? label.get<std::string>() : format_number(label.get<double>());
}

template <class Real>
void expect_contents(const Json& facts) {
    const auto model = load_model<Real>(facts["model"]);
    const auto weights = facts["weights"].get<std::vector<std::vector<double>>>();
    ASSERT_EQ(model.weights.rows(), std::ssize(weights));
    for (Index i = 0; i < model.weights.rows(); ++i) {
        const std::vector<double>& row = weights[static_cast<std::size_t>(i)];
        ASSERT_EQ(model.weights.cols(), std::ssize(row));
        for (Index j = 0; j < model.weights.cols(); ++j)
            EXPECT_EQ(model.weights(i, j), static_cast<Real>(row[static_cast<std::size_t>(j)]));
    }
    std::vector<std::string> classes;
    for (const Json& label : facts["classes"]) classes.push_back(label_text(label));
    EXPECT_EQ(model.classes.names, classes);
    EXPECT_EQ(model.loss.name, facts["loss"].get<std::string>());
    EXPECT_EQ(model.loss.parameters.number("threshold").value_or(1), facts["loss_threshold"].get<double>());
    EXPECT_EQ(model.loss.parameters.number("width").value_or(1), facts["loss_width"].get<double>());
    EXPECT_EQ(to_text(model.scaling.kind), facts["normalization"].get<std::string>());
    EXPECT_EQ(model.scaling.divisors, facts["divisors"].get<std::vector<double>>());
    const RegionSpec& region = model.region;
    EXPECT_EQ(region.name, facts["region"].get<std::string>());
    EXPECT_EQ(region.parameters.number("p").value_or(0), std::stod(facts["p"].get<std::string>()));
    EXPECT_EQ(region.parameters.number("radius"), facts["radius"].get<double>());
    EXPECT_EQ(region.composite.l1, facts["l1"].get<double>());
    EXPECT_EQ(region.composite.l2, facts["l2"].get<double>());
    EXPECT_EQ(region.composite.nuclear, facts["nuclear"].get<double>());
    EXPECT_EQ(model.method, facts["method"].get<std::string>());
}

/// What `alfcg predict` writes, line by line.
std::vector<std::string> predicted(const Json& facts, const std::vector<std::string>& options) {
    const TemporaryFolder folder;
    std::vector<std::string> arguments{"predict", facts["model"], facts["data"],
                                       "--quiet", "--output",     folder.file("answers")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? lines_of(read_bytes(folder.file("answers"))) : std::vector<std::string>();
}

TEST(ReleasedModels, AreAllThere) {
    std::set<std::string> listed;
    for (const Json& facts : released_models()) listed.insert(facts["model"]);
    EXPECT_GE(listed.size(), 7U);
    for (const std::string& path : listed) EXPECT_TRUE(std::filesystem::is_regular_file(path)) << path;
}

TEST(ReleasedModels, HoldWhatNumPySeesInThem) {
    for (const Json& facts : released_models()) {
        SCOPED_TRACE(facts["model"]);
        EXPECT_EQ(model_is_double(facts["model"]), facts["double"].get<bool>());
        expect_contents<float>(facts);
        expect_contents<double>(facts);
    }
}

TEST(ReleasedModels, AnswerAsTheirFormatSays) {
    for (const Json& facts : released_models()) {
        SCOPED_TRACE(facts["model"]);
        const double rounding = facts["double"] ? 1e-12 : 1e-5;
        const std::vector<std::string> answers = predicted(facts, {});
        const Json& expected = facts["predictions"];
        ASSERT_EQ(answers.size(), expected.size());
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (facts["classes"].empty())
                EXPECT_NEAR(std::stod(answers[i]), expected[i].get<double>(), rounding);
            else
                EXPECT_EQ(answers[i], label_text(expected[i]));
        }
    }
}

TEST(ReleasedModels, GiveTheProbabilitiesTheirFormatSays) {
    for (const Json& facts : released_models()) {
        if (facts["classes"].empty()) continue;
        SCOPED_TRACE(facts["model"]);
        const std::vector<std::string> table = predicted(facts, {"--probabilities"});
        const auto expected = facts["probabilities"].get<std::vector<std::vector<double>>>();
        ASSERT_EQ(table.size(), expected.size() + 1);  // the names of the classes come first
        for (std::size_t i = 0; i < expected.size(); ++i) {
            std::istringstream cells(table[i + 1]);
            for (const double probability : expected[i]) {
                std::string cell;
                std::getline(cells, cell, ',');
                EXPECT_NEAR(std::stod(cell), probability, 1e-6);
            }
        }
    }
}

TEST(ReleasedModels, SavedAgainTheyHoldTheSame) {
    const TemporaryFolder folder;
    for (Json facts : released_models()) {
        SCOPED_TRACE(facts["model"]);
        save_model(load_model<double>(facts["model"]), folder.file("again.npz"));
        facts["model"] = folder.file("again.npz");
        expect_contents<double>(facts);
    }
}

}  // namespace
}  // namespace alfcg

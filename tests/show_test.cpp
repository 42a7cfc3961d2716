// `alfcg show`: what is printed is what the model holds.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "alfcg/region/spectrum.hpp"
#include "model_examples.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

using nlohmann::json;

class Show : public testing::Test {
  protected:
    template <class Real>
    [[nodiscard]] std::string text(const Model<Real>& model, std::vector<std::string> more = {}) const {
        save_model(model, folder_.file("m.npz"));
        return shown("m.npz", std::move(more));
    }
    [[nodiscard]] std::string shown(const std::string& path, std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"show", path});
        const auto result = run_program(more, folder_.path());
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return result.out;
    }
    // Characters, not bytes.
    static void expect_narrow(const std::string& text) {
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line)) {
            const auto length = std::count_if(line.begin(), line.end(), [](char c) {
                return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
            });
            EXPECT_LE(length, 80) << line;
        }
    }
    TemporaryFolder folder_;
};

TEST_F(Show, AVectorIsShownByNameFromTheLargestOn) {
    Model<double> model;
    model.weights = Matrix<double>(1, 5);
    const double weights[] = {0.25, 0, -1.5, 1, -0.125};
    std::copy(std::begin(weights), std::end(weights), model.weights.span().begin());
    model.names = {"a", "b", "c=x", "d", "e"};
    model.reading.sources = {"a", "b", "c", "d", "e"};
    model.intercept = {-0.75};
    model.classes = {{"no", "yes"}, {}};
    model.loss = {"logistic", {}};
    model.region = {"l1", {{"radius", 3}}, {}};
    model.method = "alfcg-d";
    model.training = {200, 0.875};
    const std::string out = text(model, {"--top", "3"});
    expect_narrow(out);
    for (const char* words :
         {"logistic loss, 2 classes: no, yes", "l_1 ball of radius 3", "87.50% of 200 rows",
          "intercept  -0.75", "non-zeros  4 of 5", "largest coefficients (3 of 4); positive: yes"})
        EXPECT_NE(out.find(words), std::string::npos) << words << "\n" << out;
    EXPECT_LT(out.find("-1.5  ----"), out.find("1  ++++"));
    EXPECT_LT(out.find("  c=x\n"), out.find("  d\n"));
    EXPECT_LT(out.find("  d\n"), out.find("  a\n"));
    EXPECT_EQ(out.find("  e\n"), std::string::npos);
    EXPECT_EQ(out.find("held out"), std::string::npos);
}

TEST_F(Show, JsonHasTheNumbersOfTheModel) {
    const Model<double> model = example_model<double>();
    const json found = json::parse(text(model, {"--json", "--top", "2"}));
    EXPECT_EQ(found["classes"], json({"-1", "0", "12"}));
    EXPECT_EQ(found["accuracy"], 0.75);
    EXPECT_EQ(found["holdout_rows"], 30);
    EXPECT_EQ(found["intercept"], json(model.intercept));
    EXPECT_EQ(found["singular_values"], json(singular_values(model.weights)));
    EXPECT_EQ(found["rank"], numerical_rank(model.weights));
    EXPECT_EQ(found["nonzeros"], 15);
    ASSERT_EQ(found["coefficients"].size(), 3U);
    for (std::size_t l = 0; l < 3; ++l) {
        std::vector<double> sizes;
        for (Index j = 0; j < 5; ++j) sizes.push_back(std::abs(model.weights(static_cast<Index>(l), j)));
        std::sort(sizes.rbegin(), sizes.rend());
        const json& output = found["coefficients"][l];
        EXPECT_EQ(output["class"], model.classes.names[l]);
        ASSERT_EQ(output["largest"].size(), 2U);
        for (std::size_t k = 0; k < 2; ++k) {
            const json& entry = output["largest"][k];
            EXPECT_EQ(std::abs(entry["coefficient"].get<double>()), sizes[k]);
            EXPECT_EQ(entry["coefficient"], model.weights(static_cast<Index>(l), entry["position"]));
            EXPECT_EQ(entry["feature"], model.names[entry["position"].get<std::size_t>()]);
        }
    }
    expect_narrow(text(model));
}

TEST_F(Show, LargeModelsAndLongNamesFitTheTerminal) {
    Model<float> model;
    model.weights = Matrix<float>(40, 20000);
    std::mt19937 random(1);
    for (float& weight : model.weights.span()) weight = static_cast<float>(random() % 2001) / 1000 - 1;
    for (Index j = 0; j < 20000; ++j)
        model.names.push_back((j % 2 == 0 ? "\xC3\xA9" : "a\tb\n") +
                              std::string(static_cast<std::size_t>(j % 90), 'x') + std::to_string(j));
    for (int l = 0; l < 40; ++l) {
        model.classes.names.push_back(std::string(static_cast<std::size_t>(l), 'c') + "l");
    }
    model.classes.names.front() = "a class";
    std::sort(model.classes.names.begin(), model.classes.names.end());
    model.intercept.assign(40, 0.5);
    model.loss = {"multinomial", {}};
    model.region = {"nuclear", {{"radius", 10}}, {}};
    const std::string out = text(model);
    expect_narrow(out);
    EXPECT_NE(out.find("rank       40 of 40"), std::string::npos);
    EXPECT_NE(out.find("... and 10 more classes"), std::string::npos);
    EXPECT_NE(out.find("the intercept in brackets"), std::string::npos);
}

TEST_F(Show, ModelsOfFormatOneAreShown) {
    for (const char* name : {"l1", "nuclear", "linf", "welsch"}) {
        const std::string out = shown(std::string(ALFCG_SOURCE_DIR "/tests/models/0.1.0/") + name + ".npz");
        EXPECT_NE(out.find("largest coefficients"), std::string::npos) << out;
        EXPECT_EQ(out.find("accuracy"), std::string::npos) << "it has none";
    }
}

TEST_F(Show, AModelOfZerosHasNoCoefficients) {
    Model<float> model;
    model.weights = Matrix<float>(1, 3);
    model.loss = {"squared", {}};
    model.region = {"l1", {{"radius", 1}}, {}};
    const std::string out = text(model);
    EXPECT_NE(out.find("non-zeros  0 of 3"), std::string::npos);
    EXPECT_EQ(out.find("largest"), std::string::npos);
}

TEST_F(Show, WhatIsNoModelIsRefused) {
    write_bytes(folder_.file("x.csv"), "1,2,3\n");
    const auto result = run_program({"show", "x.csv"}, folder_.path());
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.err.starts_with("alfcg: x.csv: ")) << result.err;
}

}  // namespace
}  // namespace alfcg

#include "report/picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "report/page.hpp"

namespace alfcg {
namespace {

// The numbers of an attribute, one entry for each time it is there.
std::vector<std::vector<double>> numbers_of(const std::string& markup, const std::string& attribute) {
    std::vector<std::vector<double>> result;
    const std::regex pattern(" " + attribute + "=\"([^\"]*)\"");
    for (std::sregex_iterator at(markup.begin(), markup.end(), pattern), end; at != end; ++at) {
        const std::string text = (*at)[1];
        std::vector<double> numbers;
        const std::regex number("-?[0-9.]+");
        for (std::sregex_iterator n(text.begin(), text.end(), number), last; n != last; ++n)
            numbers.push_back(std::stod(n->str()));
        result.push_back(numbers);
    }
    return result;
}

Picture two_lines() {
    return {.title = "Lines",
            .x_axis = "radius",
            .y_axis = "score",
            .curves = {{"one", {1, 10, 100}, {0, 1, 2}, {0.5, 0.5, 0.5}}, {"<two>", {1, 10, 100}, {2, 2, 2}}},
            .marks = {{10, "best"}}};
}

TEST(Picture, PutsPointsInProportionToTheLogOfXAndToY) {
    const auto lines = numbers_of(picture_markup(two_lines()), "points");
    ASSERT_EQ(lines.size(), 2U);
    for (const auto& line : lines) {
        ASSERT_EQ(line.size(), 6U);
        EXPECT_NEAR(line[2] - line[0], line[4] - line[2], 0.2) << "decades are as wide as each other";
        EXPECT_GT(line[2], line[0]);
    }
    EXPECT_NEAR(lines[0][1] - lines[0][3], lines[0][3] - lines[0][5], 0.2);
    EXPECT_GT(lines[0][1], lines[0][5]) << "up is smaller";
    EXPECT_NEAR(lines[0][5], lines[1][5], 0.1) << "both end at 2";
    EXPECT_NEAR(lines[1][1], lines[1][3], 0.1);
}

TEST(Picture, NamesAreEscapedAndDoNotOverlap) {
    const std::string markup = picture_markup(two_lines());
    EXPECT_EQ(markup.find("<two>"), std::string::npos);
    EXPECT_NE(markup.find("&lt;two&gt;</text>"), std::string::npos);
    const std::regex name("<text x=\"568\" y=\"([0-9.]+)\"");
    std::vector<double> places;
    for (std::sregex_iterator at(markup.begin(), markup.end(), name), end; at != end; ++at)
        places.push_back(std::stod((*at)[1]));
    ASSERT_EQ(places.size(), 2U);
    EXPECT_GE(std::abs(places[0] - places[1]), 13.9);
}

TEST(Picture, OfNothingOrOfOnePointIsAPictureToo) {
    Picture picture{.title = "t", .x_axis = "x", .y_axis = "y", .curves = {}};
    EXPECT_NE(picture_markup(picture).find("nothing to show"), std::string::npos);
    picture.curves.push_back({"flat", {2}, {0}});
    picture.curves.push_back({"missing", {2}, {std::numeric_limits<double>::quiet_NaN()}});
    const std::string markup = picture_markup(picture);
    EXPECT_EQ(markup.find("nan"), std::string::npos);
    EXPECT_EQ(markup.find("inf"), std::string::npos);
}

TEST(Picture, StandsInThePageAsItIs) {
    const std::string markup = picture_markup(two_lines());
    const nlohmann::json report{
        {"title", "path"},
        {"command", "alfcg path"},
        {"pictures", {{{"title", "Lines & more"}, {"note", "a < b"}, {"svg", markup}}}}};
    const std::string page = report_page(report);
    EXPECT_NE(page.find(markup), std::string::npos);
    EXPECT_NE(page.find("<h2>Lines &amp; more</h2>"), std::string::npos);
    EXPECT_NE(page.find("a &lt; b"), std::string::npos);
}

}  // namespace
}  // namespace alfcg

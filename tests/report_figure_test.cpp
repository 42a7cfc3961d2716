#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "browser/sample_report.hpp"
#include "report/plot_axis.hpp"
#include "report/seed_band.hpp"
#include "report/svg_figure.hpp"

namespace alfcg {
namespace {

using nlohmann::json;

json make_run(const std::vector<double>& epochs, const std::vector<double>& objective) {
    return {{"iteration", epochs},
            {"epochs", epochs},
            {"seconds", epochs},
            {"objective", objective},
            {"gap", objective}};
}

json make_panel(const std::vector<json>& runs, double best) {
    json curve = {{"method", "alfcg-d"}, {"setting", "deterministic"}, {"emphasis", true}, {"runs", runs}};
    json panel = {{"title", "panel"}, {"best", best}};
    panel["curves"] = json::array({curve});
    return panel;
}

/// All numbers of a text, in order.
std::vector<double> numbers_in(const std::string& text) {
    std::vector<double> numbers;
    for (const char* place = text.c_str(); *place != '\0';) {
        char* end = nullptr;
        const double number = std::strtod(place, &end);
        if (end != place) numbers.push_back(number);
        place = end != place ? end : place + 1;
    }
    return numbers;
}

/// The numbers of the last attribute `name` before the first occurrence of `mark`.
std::vector<double> attribute_before(const std::string& svg, const std::string& name,
                                     const std::string& mark) {
    const std::size_t end = svg.find(mark);
    const std::size_t start = svg.rfind(name + "=\"", end);
    if (end == std::string::npos || start == std::string::npos) {
        ADD_FAILURE() << "no " << name << " before " << mark;
        return {};
    }
    const std::size_t value = start + name.size() + 2;
    return numbers_in(svg.substr(value, svg.find('"', value) - value));
}

struct Point {
    double x;
    double y;
};

/// The corners of the polyline of a method.
std::vector<Point> polyline(const std::string& svg, const std::string& method) {
    const std::vector<double> numbers =
        attribute_before(svg, "points", "<title>" + method + "</title></polyline>");
    std::vector<Point> points;
    for (std::size_t place = 0; place + 1 < numbers.size(); place += 2) {
        points.push_back({numbers[place], numbers[place + 1]});
    }
    return points;
}

/// The axes' lines.
struct Frame {
    explicit Frame(const std::string& svg) {
        const std::vector<double> path = attribute_before(svg, "d", "</g>");  // M left top V bottom H right
        if (path.size() != 4) throw Error("the axes' path is not as expected");
        left = path[0];
        top = path[1];
        bottom = path[2];
        right = path[3];
    }
    double left, top, bottom, right;
};

/// Whether elements are nested properly, attributes quoted and no stray "<" or "&" is left: enough to catch what
/// string building gets wrong.
::testing::AssertionResult well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t place = 0; place < xml.size(); ++place) {
        if (xml[place] == '&') {
            const std::string entity = xml.substr(place, xml.find(';', place) - place + 1);
            if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;" &&
                entity != "&#39;") {
                return ::testing::AssertionFailure() << "stray " << entity.substr(0, 20);
            }
        }
        if (xml[place] != '<') continue;
        std::string tag;
        bool quoted = false;
        for (++place; place < xml.size() && (quoted || xml[place] != '>'); ++place) {
            if (xml[place] == '<') return ::testing::AssertionFailure() << "a tag inside the tag " << tag;
            if (xml[place] == '"') quoted = !quoted;
            tag += xml[place];
        }
        const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag[0] == '/') {
            if (open.empty() || "/" + open.back() != tag)
                return ::testing::AssertionFailure() << tag << " closes nothing";
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
    }
    if (!open.empty()) return ::testing::AssertionFailure() << open.back() << " stays open";
    return ::testing::AssertionSuccess();
}

TEST(SvgFigure, decades_are_evenly_spaced_and_agree_with_the_ticks) {
    const std::string svg =
        svg_figure(make_panel({make_run({0, 5, 10}, {3, 2.1, 2.01})}, 2), "suboptimality", "epochs");
    const std::vector<Point> points = polyline(svg, "alfcg-d");
    ASSERT_EQ(points.size(), 3U);
    // x is linear, from the left to the right end of the axis M left top V bottom H right.
    const Frame frame(svg);
    EXPECT_NEAR(points[0].x, frame.left, 0.01);
    EXPECT_NEAR(points[1].x, (points[0].x + points[2].x) / 2, 0.01);
    EXPECT_NEAR(points[2].x, frame.right, 0.01);
    // Values 1, 0.1, 0.01: equal steps downwards, inside the frame.
    EXPECT_NEAR(points[1].y - points[0].y, points[2].y - points[1].y, 0.02);
    EXPECT_GT(points[0].y, frame.top);
    EXPECT_LT(points[2].y, frame.bottom);
    // The label 10^-1 stands at the height of the value 0.1 (its baseline four units below).
    const std::vector<double> label = attribute_before(svg, "y", ">10\u207b\u00b9</text>");
    ASSERT_EQ(label.size(), 1U);
    EXPECT_NEAR(label[0] - 4, points[1].y, 0.02);
}

TEST(SvgFigure, zero_lies_on_the_lower_edge) {
    const std::string svg =
        svg_figure(make_panel({make_run({0, 1, 2}, {1, 0.5, 0})}, 0), "suboptimality", "epochs");
    const Frame frame(svg);
    EXPECT_NEAR(polyline(svg, "alfcg-d").back().y, frame.bottom, 0.01);
}

TEST(SvgFigure, the_line_is_the_median_inside_its_band) {
    const json panel =
        make_panel({make_run({0, 1}, {1, 1}), make_run({0, 1}, {10, 10}), make_run({0, 1}, {100, 100})}, 0);
    const std::string svg = svg_figure(panel, "suboptimality", "epochs");
    const std::vector<Point> line = polyline(svg, "alfcg-d");
    const std::vector<double> band =
        attribute_before(svg, "points", "<polyline");  // there along the top, back below
    ASSERT_EQ(band.size(), 8U);
    EXPECT_NEAR(line[0].y, (band[1] + band[5]) / 2, 0.02);
}

TEST(SvgFigure, is_well_formed_and_refers_to_nothing) {
    json panel = sample_comparison()["figures"][0]["panels"][0];
    panel["title"] = "<&\"' title";
    panel["curves"][0]["method"] = "a<b & c";
    for (const char* quantity : {"suboptimality", "gap", "error"}) {
        for (const char* axis : {"seconds", "epochs", "iterations"}) {
            const std::string svg = svg_figure(panel, quantity, axis);
            EXPECT_TRUE(well_formed(svg));
            EXPECT_EQ(svg.find("nan"), std::string::npos);
            EXPECT_EQ(svg.find("inf,"), std::string::npos);
            EXPECT_EQ(svg.find("href"), std::string::npos);
            EXPECT_EQ(svg.find("//", svg.find("//") + 1),
                      std::string::npos);  // the namespace's is the only one
        }
    }
}

TEST(SvgFigure, curves_without_positive_values_are_named_in_the_legend) {
    json panel = make_panel({make_run({0, 1}, {2, 1})}, 0);
    panel["curves"][0]["runs"][0]["error"] = {0, 0};
    const std::string none = svg_figure(panel, "error", "epochs");
    EXPECT_NE(none.find("alfcg-d (zero)"), std::string::npos);
    EXPECT_NE(none.find("no values above zero"), std::string::npos);
    EXPECT_TRUE(well_formed(none));
    panel["curves"][0]["runs"][0].erase("error");
    EXPECT_NE(svg_figure(panel, "error", "epochs").find("alfcg-d (no values)"), std::string::npos);
}

TEST(SvgFigure, unknown_names_are_errors) {
    const json panel = make_panel({make_run({0, 1}, {2, 1})}, 0);
    EXPECT_THROW(svg_figure(panel, "loss", "epochs"), Error);
    EXPECT_THROW(svg_figure(panel, "gap", "hours"), Error);
    EXPECT_THROW(svg_figure({{"curves", {{{"method", 3}}}}}, "gap", "epochs"), Error);
    EXPECT_THROW(svg_figure(panel, "gap", "epochs", {}), Error);
}

TEST(SeedBand, runs_are_interpolated_geometrically) {
    ReportCurve curve;
    curve.runs.resize(2);
    curve.runs[0].epochs = {0, 2};
    curve.runs[0].gap = {1, 100};
    curve.runs[1].epochs = {0, 1, 2};
    curve.runs[1].gap = {1, 40, 100};
    const SeedBand band = seed_band(curve, "gap", "epochs");
    EXPECT_EQ(band.x, (std::vector<double>{0, 1, 2}));
    EXPECT_NEAR(band.low[1], 10, 1e-12);
    EXPECT_NEAR(band.median[1], 25, 1e-12);
    EXPECT_NEAR(band.high[1], 40, 1e-12);
}

TEST(SeedBand, goes_as_far_as_half_of_the_runs) {
    ReportCurve curve;
    curve.runs.resize(3);
    for (std::size_t place = 0; place < 3; ++place) {
        for (std::size_t step = 0; step <= place; ++step) {
            curve.runs[place].seconds.push_back(static_cast<double>(step));
            curve.runs[place].gap.push_back(static_cast<double>(place + 1));
        }
    }
    const SeedBand band = seed_band(curve, "gap", "seconds");
    EXPECT_EQ(band.x, (std::vector<double>{0, 1}));  // at 2 there is one of three
    EXPECT_EQ(band.median, (std::vector<double>{2, 2.5}));
}

TEST(SeedBand, values_that_are_missing_are_skipped) {
    ReportCurve curve;
    curve.runs.resize(1);
    curve.runs[0].epochs = {0, 1, 2};
    curve.runs[0].error = {4, std::nan(""), 1};
    const SeedBand band = seed_band(curve, "error", "epochs");
    EXPECT_EQ(band.x, (std::vector<double>{0, 2}));
    EXPECT_EQ(band.median, (std::vector<double>{4, 1}));
    EXPECT_TRUE(seed_band(curve, "gap", "epochs").x.empty());
}

TEST(PlotAxis, ticks_are_round_inside_the_range_and_few) {
    for (const double high : {0.37, 1.0, 19.99, 20.0, 34567.0}) {
        const PlotAxis axis(0, high, 0, 100, false);
        const std::vector<AxisTick> ticks = axis.ticks(6);
        EXPECT_GE(ticks.size(), 3U) << high;
        EXPECT_LE(ticks.size(), 7U) << high;
        EXPECT_EQ(ticks.front().label, "0");
        EXPECT_LE(ticks.back().value, high * (1 + 1e-9));
    }
    for (const double low : {1e-12, 1e-3, 0.2, 0.9}) {
        std::size_t labels = 0;
        for (const AxisTick& tick : PlotAxis(low, 1.3, 100, 0, true).ticks(6)) {
            EXPECT_GE(tick.value, low * (1 - 1e-9));
            EXPECT_LE(tick.value, 1.3 * (1 + 1e-9));
            if (!tick.label.empty()) ++labels;
        }
        EXPECT_GE(labels, 2U) << low;
        EXPECT_LE(labels, 8U) << low;
    }
}

}  // namespace
}  // namespace alfcg

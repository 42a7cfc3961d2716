#include "report/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "alfcg/core/error.hpp"
#include "browser/sample_report.hpp"
#include "report/curve_style.hpp"
#include "report/markup.hpp"
#include "report/page_data.hpp"

namespace alfcg {
namespace {

using nlohmann::json;

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t place = text.find(part); place != std::string::npos; place = text.find(part, place + 1))
        ++found;
    return found;
}

/// A report with one panel of one run; objective, gap and error as given.
json small_report(const json& objective, const json& error) {
    json iteration = json::array();
    for (std::size_t place = 0; place < objective.size(); ++place) iteration.push_back(place);
    const json run = {{"seed", 0},
                      {"iteration", iteration},
                      {"epochs", iteration},
                      {"seconds", iteration},
                      {"objective", objective},
                      {"gap", objective},
                      {"error", error}};
    json curve = {{"method", "alfcg-d"}, {"setting", "deterministic"}, {"emphasis", true}};
    curve["runs"] = json::array({run});
    json panel = {{"title", "one"}};
    panel["curves"] = json::array({curve});
    json figure = {{"title", "figure"}};
    figure["panels"] = json::array({panel});
    json report = {{"title", "small"}, {"command", "alfcg compare small"}};
    report["figures"] = json::array({figure});
    return report;
}

/// The curves as the page's script will read them.
json embedded(const std::string& page) {
    const std::string open = "id=\"data\">";
    const std::size_t start = page.find(open) + open.size();
    return json::parse(page.substr(start, page.find("</script>", start) - start));
}

/// Made once; it is large.
const json& reproduction() {
    static const json report = sample_reproduction();
    return report;
}

json first_run(const json& data) {
    return data["figures"][0]["panels"][0]["curves"][0]["runs"][0];
}

TEST(ReportPage, asks_for_nothing_outside_itself) {
    for (const std::string& page : {report_page(sample_comparison()), report_page(reproduction())}) {
        EXPECT_EQ(page.find("http://"), std::string::npos);
        EXPECT_EQ(page.find("https://"), std::string::npos);
        EXPECT_EQ(page.find("src="), std::string::npos);
        EXPECT_EQ(page.find("@import"), std::string::npos);
        EXPECT_EQ(count(page, "url("), count(page, "url(#"));
        // Links lead into the page itself; the empty icon keeps browsers from asking for one.
        EXPECT_EQ(count(page, "href=\""), count(page, "href=\"#") + count(page, "href=\"data:,\""));
        EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    }
}

TEST(ReportPage, text_of_the_user_stays_text) {
    const std::string evil = "</script><script>alert('x')</script><img onerror=\"y\">&{{data}}";
    json report = small_report({2.0, 1.0}, {0.5, nullptr});
    report["title"] = evil;
    report["command"] = evil;
    report["facts"] = json::array({json::array({evil, evil})});
    report["notes"] = json::array({evil});
    report["figures"][0]["title"] = evil;
    report["figures"][0]["panels"][0]["title"] = evil;
    report["figures"][0]["panels"][0]["curves"][0]["method"] = evil;
    json table = {{"title", evil}, {"note", evil}};
    table["columns"] = json::array({{{"name", evil}}});
    table["rows"] = json::array({json::array({evil})});
    report["tables"] = json::array({table});
    const std::string page = report_page(report);
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(page.find("<img"), std::string::npos);
    EXPECT_EQ(count(page, "</script>"), 3U);  // theme, data, script
    const json data = embedded(page);
    EXPECT_EQ(data["methods"][0]["name"], evil);
    EXPECT_EQ(data["figures"][0]["panels"][0]["title"], evil);
}

TEST(ReportPage, the_command_is_shown_exactly) {
    json report = small_report({2.0, 1.0}, {0.5, nullptr});
    report["command"] = "alfcg compare 'my data.csv' --l1 1e-3 && echo <done>";
    EXPECT_NE(report_page(report).find(
                  "alfcg compare &#39;my data.csv&#39; --l1 1e-3 &amp;&amp; echo &lt;done&gt;</code>"),
              std::string::npos);
}

TEST(ReportPage, suboptimality_keeps_digits_that_rounding_the_objective_would_lose) {
    json report = small_report({0.69, 0.42 + 3e-12, 0.42}, {0.5, 0.25, nullptr});
    report["figures"][0]["panels"][0]["best"] = 0.42;
    const json run = first_run(embedded(report_page(report)));
    EXPECT_NEAR(run["suboptimality"][0].get<double>(), 0.27, 1e-6);
    EXPECT_NEAR(run["suboptimality"][1].get<double>(), 3e-12, 1e-15);
    EXPECT_EQ(run["suboptimality"][2].get<double>(), 0);
}

TEST(ReportPage, without_a_best_level_the_lowest_objective_is_it) {
    const json data = embedded(report_page(small_report({3.0, 1.5, 2.0}, {0.5, 0.25, nullptr})));
    EXPECT_EQ(data["figures"][0]["panels"][0]["best"], 1.5);
    EXPECT_EQ(first_run(data)["suboptimality"], json({1.5, 0, 0.5}));
}

TEST(ReportPage, values_that_are_not_finite_become_null) {
    const double infinity = std::numeric_limits<double>::infinity();
    const json run = first_run(
        embedded(report_page(small_report({1.0, infinity, std::nan("")}, {0.5, -infinity, nullptr}))));
    EXPECT_EQ(run["suboptimality"], json({0, nullptr, nullptr}));
    EXPECT_EQ(run["error"], json({0.5, nullptr, nullptr}));
}

TEST(ReportPage, arrays_of_different_length_are_an_error_that_says_where) {
    json report = small_report({2.0, 1.0}, {0.5});
    try {
        report_page(report);
        FAIL() << "no error";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("panel 'one', method 'alfcg-d': 'error' has 1 values"), std::string::npos)
            << text;
    }
}

TEST(ReportPage, wrong_names_and_missing_keys_are_errors) {
    json report = small_report({2.0, 1.0}, {0.5, nullptr});
    report["view"] = {{"axis", "hours"}};
    EXPECT_THROW(report_page(report), Error);
    report["view"] = {{"quantity", "loss"}};
    EXPECT_THROW(report_page(report), Error);
    report.erase("view");
    report["figures"][0].erase("panels");
    EXPECT_THROW(report_page(report), Error);
}

TEST(ReportPage, a_report_without_figures_and_a_panel_without_curves_are_pages_too) {
    EXPECT_NE(report_page({{"title", "nothing"}}).find("nothing</h1>"), std::string::npos);
    json report = small_report({2.0, 1.0}, {0.5, nullptr});
    json skipped = {{"title", "skipped"}, {"note", "MNIST was not found"}};
    report["figures"][0]["panels"].push_back(skipped);
    EXPECT_EQ(embedded(report_page(report))["figures"][0]["panels"][1]["note"], "MNIST was not found");
}

TEST(ReportPage, contents_call_a_figure_by_its_number_or_as_told) {
    json report = small_report({2.0, 1.0}, {0.5, nullptr});
    json figure = report["figures"][0];
    figure["title"] = "Figure 3: nuclear ball";
    report["figures"] = json::array({figure, figure});
    report["figures"][1]["short"] = "Figure 3, rho <auto>";
    const std::string page = report_page(report);
    const std::string link = "title=\"Figure 3: nuclear ball\">";
    EXPECT_EQ(count(page, link), 2U);
    EXPECT_NE(page.find(link + "Figure 3</a>"), std::string::npos);
    EXPECT_NE(page.find(link + "Figure 3, rho &lt;auto&gt;</a>"), std::string::npos);
}

TEST(ReportPage, a_large_report_stays_small_enough_to_open) {
    EXPECT_LT(report_page(reproduction()).size(), 6U << 20U);
}

TEST(ReportTable, cells_carry_what_they_are_sorted_by) {
    json report = {{"title", "table"}};
    json table = {{"title", "Result"}};
    table["columns"] =
        json::array({{{"name", "name"}},
                     {{"name", "objective"}, {"type", "number"}, {"digits", 3}, {"best", "min"}},
                     {{"name", "claim"}}});
    table["rows"] = json::array({json::array({"b", 0.12345, {{"text", "held"}, {"mark", "good"}}}),
                                 json::array({"a", nullptr, "open"}),
                                 json::array({"c", {{"text", "0.2 ± 0.1"}, {"value", 0.2}}, "open"})});
    report["tables"] = json::array({table});
    const std::string page = report_page(report);
    EXPECT_NE(page.find("<td class=\"number best\" data-value=\"0.12345\">0.123</td>"), std::string::npos);
    EXPECT_NE(page.find("<td class=\"number\" data-value=\"\">\u2013</td>"), std::string::npos);
    EXPECT_NE(page.find("data-value=\"0.20000000000000001\">0.2 ± 0.1</td>"), std::string::npos);
    EXPECT_NE(page.find("<span class=\"mark good\">held</span>"), std::string::npos);

    report["tables"][0]["rows"].push_back(json::array({"too short"}));
    EXPECT_THROW(report_page(report), Error);
}

TEST(CurveStyles, no_two_methods_look_the_same) {
    const std::vector<CurveStyle> styles = curve_styles(sample_comparison());
    ASSERT_EQ(styles.size(), sample_methods().size());
    std::set<std::string> looks;
    std::map<std::string, std::set<std::string>> rival_dashes;
    std::map<std::string, std::size_t> rivals;
    for (const CurveStyle& style : styles) {
        looks.insert(std::to_string(style.color) + "/" + std::string(style.dash) + "/" +
                     std::to_string(style.width));
        EXPECT_EQ(style.color < strong_colors, style.emphasis);
        if (style.emphasis) continue;
        rival_dashes[style.setting].insert(std::string(style.dash));
        ++rivals[style.setting];
    }
    EXPECT_EQ(looks.size(), styles.size());
    // In black and white the dash patterns alone tell the rivals of a setting apart.
    for (const auto& [setting, number] : rivals) EXPECT_EQ(rival_dashes[setting].size(), number) << setting;
}

TEST(CurveStyles, a_panel_alone_looks_as_in_the_report) {
    const json& report = reproduction();
    const std::vector<CurveStyle> whole = curve_styles(report);
    for (std::size_t place = 0; place < 6; ++place) {
        for (const CurveStyle& style : curve_styles(report["figures"][place]["panels"][0])) {
            EXPECT_EQ(style.color, style_of(whole, style.method).color) << style.method;
            EXPECT_EQ(style.dash, style_of(whole, style.method).dash) << style.method;
        }
    }
}

TEST(CurveStyles, many_methods_of_one_setting_still_differ) {
    json panel = {{"title", "many"}, {"curves", json::array()}};
    for (int number = 0; number < 12; ++number) {
        for (const char* setting : {"deterministic", "finite sum", "expectation"}) {
            panel["curves"].push_back({{"method", setting + std::to_string(number)}, {"setting", setting}});
        }
    }
    std::set<std::string> looks;
    for (const CurveStyle& style : curve_styles(panel))
        looks.insert(std::to_string(style.color) + std::string(style.dash));
    EXPECT_EQ(looks.size(), 36U);
}

TEST(ThinnedPlaces, keep_both_ends_and_the_start_densely) {
    EXPECT_EQ(thinned_places(3, 10), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_TRUE(thinned_places(0, 10).empty());
    for (const std::size_t length : {101U, 1000U, 100000U}) {
        const std::vector<std::size_t> places = thinned_places(length, 100);
        EXPECT_LE(places.size(), 100U);
        EXPECT_GE(places.size(), 60U);
        EXPECT_EQ(places.front(), 0U);
        EXPECT_EQ(places.back(), length - 1);
        EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
        EXPECT_EQ(places[1], 1U);
    }
}

TEST(EscapeMarkup, replaces_what_markup_and_xml_cannot_hold) {
    EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
    EXPECT_EQ(escape_markup("tab\tline\nℓ₃ ✓"), "tab\tline\nℓ₃ ✓");
    const std::string lost = "\xEF\xBF\xBD";
    EXPECT_EQ(escape_markup(std::string("\x01\x1b", 2)), lost + lost);
    EXPECT_EQ(escape_markup("\xff"), lost);
    EXPECT_EQ(escape_markup("\xc3"), lost);                        // cut off
    EXPECT_EQ(escape_markup("\xc0\xbc"), lost + lost);             // "<" in two bytes
    EXPECT_EQ(escape_markup("\xed\xa0\x80"), lost + lost + lost);  // half of a surrogate pair
    EXPECT_EQ(escape_markup("\xf0\x9f\x99\x82"), "\xf0\x9f\x99\x82");
}

}  // namespace
}  // namespace alfcg

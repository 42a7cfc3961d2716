#include "report/curve_style.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> rival_dashes = {"",        "7 3",  "2 2.5",
                                                          "9 3 2 3", "14 4", "7 3 2 3 2 3"};
constexpr std::array<std::string_view, 6> strong_dashes = {"",         "14 4", "6 4",
                                                           "14 4 4 4", "3 3",  "14 4 4 4 4 4"};

/// The place of a setting in the paper's order; whatever else there is comes last.
std::size_t setting_index(std::string_view setting) {
    if (setting.starts_with("deterministic")) return 0;
    if (setting.starts_with("finite")) return 1;
    if (setting.starts_with("expectation")) return 2;
    return 3;
}

void collect(const json& panel, std::vector<CurveStyle>& styles) {
    if (!panel.contains("curves")) return;
    for (const json& curve : panel.at("curves")) {
        const std::string method = curve.at("method").get<std::string>();
        const bool known = std::any_of(styles.begin(), styles.end(),
                                       [&](const CurveStyle& style) { return style.method == method; });
        if (known) continue;
        CurveStyle style;
        style.method = method;
        style.setting = curve.value("setting", std::string());
        style.emphasis = curve.value("emphasis", false);
        styles.push_back(std::move(style));
    }
}

}  // namespace

std::vector<CurveStyle> curve_styles(const json& report_or_panel) try {
    std::vector<CurveStyle> styles;
    collect(report_or_panel, styles);
    if (report_or_panel.contains("figures")) {
        for (const json& figure : report_or_panel.at("figures")) {
            for (const json& panel : figure.at("panels")) collect(panel, styles);
        }
    }
    std::stable_sort(styles.begin(), styles.end(), [](const CurveStyle& left, const CurveStyle& right) {
        return setting_index(left.setting) < setting_index(right.setting);
    });
    std::map<std::pair<std::size_t, bool>, std::size_t> seen;
    for (CurveStyle& style : styles) {
        const std::size_t setting = setting_index(style.setting);
        const std::size_t place = seen[{setting, style.emphasis}]++;
        if (style.emphasis) {
            // For every place a dash pattern, for every setting another colour of that pattern.
            style.color = (setting + place) % strong_colors;
            style.dash = strong_dashes[place % strong_dashes.size()];
            style.width = 3.0;
        } else {
            constexpr std::size_t colors = palette.size() - strong_colors;
            // Settings shift the patterns by two, a second round through the colours by one: pairs do not
            // repeat.
            style.color = strong_colors + place % colors;
            style.dash = rival_dashes[(place + place / colors + 2 * setting) % rival_dashes.size()];
        }
    }
    return styles;
} catch (const json::exception& error) {
    throw Error("report: its curves do not follow the schema of report/page.hpp: " +
                std::string(error.what()));
}

const CurveStyle& style_of(const std::vector<CurveStyle>& styles, std::string_view method) {
    for (const CurveStyle& style : styles) {
        if (style.method == method) return style;
    }
    throw Error("no curve style for method '" + std::string(method) +
                "': the styles were made for other panels");
}

}  // namespace alfcg

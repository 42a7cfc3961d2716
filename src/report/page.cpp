#include "report/page.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "alfcg/core/error.hpp"
#include "report/curve_style.hpp"
#include "report/markup.hpp"
#include "report/page_assets.hpp"
#include "report/page_data.hpp"
#include "report/page_table.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

/// The template with every {{name}} replaced by its text, in one pass: what is put in is not looked at again.
std::string filled(std::string_view form, const std::map<std::string_view, std::string>& texts) {
    std::string result;
    while (true) {
        const std::size_t open = form.find("{{");
        result += form.substr(0, open);
        if (open == std::string_view::npos) return result;
        const std::size_t close = form.find("}}", open);
        result += texts.at(form.substr(open + 2, close - open - 2));
        form.remove_prefix(close + 2);
    }
}

std::string text(const json& report, const char* key) {
    return escape_markup(report.value(key, std::string()));
}

std::string facts(const json& report) {
    std::string result;
    for (const json& fact : report.value("facts", json::array())) {
        result +=
            fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(fact.at(0).get<std::string>()),
                        escape_markup(fact.at(1).get<std::string>()));
    }
    return result.empty() ? result : "<dl class=\"facts\">\n" + result + "</dl>";
}

std::string made_by(const json& report) {
    const std::string version = text(report, "version");
    const std::string created = text(report, "created");
    return "alfcg" + (version.empty() ? "" : " " + version) + (created.empty() ? "" : ", " + created);
}

/// Links to the parts of a long report; nothing when there is one figure.
std::string contents(const json& report) {
    const json figures = report.value("figures", json::array());
    if (figures.size() < 2) return {};
    std::string result;
    const auto link = [&](const std::string& target, const json& part) {
        const std::string title = part.value("title", std::string());
        // "Figure 3: nuclear ball ..." is called by its number, unless that does not tell it from another.
        const std::string name = part.value("short", title.substr(0, title.find(':')));
        result += fmt::format("<a href=\"#{}\" title=\"{}\">{}</a>\n", target, escape_markup(title),
                              escape_markup(name));
    };
    for (std::size_t place = 0; place < figures.size(); ++place) {
        link(fmt::format("figure-{}", place + 1), figures.at(place));
    }
    const json tables = report.value("tables", json::array());
    for (std::size_t place = 0; place < tables.size(); ++place) {
        link(fmt::format("table-{}", place + 1), tables.at(place));
    }
    return "<nav class=\"contents\" aria-label=\"Contents\">\n" + result + "</nav>";
}

std::string notes(const json& report) {
    std::string result;
    for (const json& note : report.value("notes", json::array())) {
        result += "<p>" + escape_markup(note.get<std::string>()) + "</p>\n";
    }
    return result.empty() ? result : "<section class=\"notes\"><h2>Notes</h2>\n" + result + "</section>";
}

std::string pictures(const json& report) {
    std::string result;
    for (const json& picture : report.value("pictures", json::array())) {
        result += fmt::format("<section class=\"picture\"><h2>{}</h2>\n<div class=\"plot\">{}</div>\n",
                              text(picture, "title"), picture.at("svg").get<std::string>());
        if (const std::string note = text(picture, "note"); !note.empty())
            result += "<p class=\"note\">" + note + "</p>\n";
        result += "</section>\n";
    }
    return result.empty() ? result : "<div class=\"pictures\">\n" + result + "</div>";
}

/// What the page's own scripts are known by: a name that got into the page as it is could bring none along.
std::string fresh_nonce() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string palette_rules() {
    std::string light;
    std::string dark;
    for (std::size_t place = 0; place < palette.size(); ++place) {
        light += fmt::format("--curve-{}:{};", place, palette[place].light);
        dark += fmt::format("--curve-{}:{};", place, palette[place].dark);
    }
    // Paper is white whatever the screen was.
    return fmt::format(":root{{{}}}\n@media screen{{:root[data-theme=dark]{{{}}}}}", light, dark);
}

}  // namespace

std::string report_page(const json& report) try {
    const std::vector<CurveStyle> styles = curve_styles(report);
    std::string tables;
    const json sources = report.value("tables", json::array());
    for (std::size_t place = 0; place < sources.size(); ++place) {
        tables += page_table(sources.at(place), fmt::format("table-{}", place + 1), styles);
    }
    return filled(page_assets::layout_html,
                  {{"title", text(report, "title")},
                   {"nonce", fresh_nonce()},
                   {"style", palette_rules() + "\n" + std::string(page_assets::style_css)},
                   {"theme", std::string(page_assets::theme_js)},
                   {"made-by", made_by(report)},
                   {"facts", facts(report)},
                   {"command", text(report, "command")},
                   {"contents", contents(report)},
                   {"pictures", pictures(report)},
                   {"tables", tables},
                   {"notes", notes(report)},
                   {"data", page_data(report, styles)},
                   {"script", std::string(page_assets::axes_js) + std::string(page_assets::curves_js) +
                                  std::string(page_assets::plot_js) + std::string(page_assets::hover_js) +
                                  std::string(page_assets::legend_js) + std::string(page_assets::table_js) +
                                  std::string(page_assets::main_js)}});
} catch (const json::exception& error) {
    throw Error("report: it does not follow the schema of report/page.hpp: " + std::string(error.what()));
}

}  // namespace alfcg

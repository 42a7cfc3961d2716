#include "report/page_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "alfcg/core/error.hpp"
#include "report/markup.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

struct Column {
    std::string name;
    bool number = false;
    bool method = false;
    int digits = 5;
    std::optional<double> best;  // the value set in bold
};

/// What a cell is sorted by, when that is a number.
std::optional<double> value_of(const json& cell) {
    const json& value = cell.is_object() && cell.contains("value") ? cell.at("value") : cell;
    if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
    return value.get<double>();
}

std::string text_of(const json& cell, const Column& column) {
    if (cell.is_object() && cell.contains("text")) return cell.at("text").get<std::string>();
    if (cell.is_string()) return cell.get<std::string>();
    if (cell.is_boolean()) return cell.get<bool>() ? "yes" : "no";
    if (cell.is_number_integer()) return fmt::format("{}", cell.get<std::int64_t>());
    const std::optional<double> value = value_of(cell);
    return value ? fmt::format("{:.{}g}", *value, column.digits) : "\u2013";
}

Column read_column(const json& source, std::size_t place, const json& rows) {
    Column column;
    column.name = source.at("name").get<std::string>();
    const std::string type = source.value("type", std::string("text"));
    if (type != "text" && type != "number" && type != "method") {
        throw Error("report: column '" + column.name + "' has type '" + type +
                    "': use text, number or method");
    }
    column.number = type == "number";
    column.method = type == "method" || column.name == "method";
    column.digits = source.value("digits", 5);
    const std::string best = source.value("best", std::string());
    for (const json& row : rows) {
        const std::optional<double> value = best.empty() ? std::nullopt : value_of(row.at(place));
        if (!value) continue;
        const bool better = !column.best || (best == "max" ? *value > *column.best : *value < *column.best);
        if (better) column.best = value;
    }
    return column;
}

/// A short piece of the method's line, as in the legend.
std::string line_sample(const CurveStyle& style) {
    return fmt::format(
        "<svg class=\"line\" viewBox=\"0 0 28 10\" aria-hidden=\"true\"><path d=\"M0 5H28\" "
        "style=\"stroke:var(--curve-{})\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/></svg>",
        style.color, style.width, style.dash);
}

std::string cell_markup(const json& cell, const Column& column, const std::vector<CurveStyle>& styles) {
    const std::string text = text_of(cell, column);
    const std::optional<double> value = value_of(cell);
    std::string classes = column.number ? "number" : "";
    std::string content = escape_markup(text);
    if (value && column.best == value) classes += " best";
    if (cell.is_object() && cell.contains("mark")) {
        const std::string mark = cell.at("mark").get<std::string>();
        if (mark != "good" && mark != "bad" && mark != "neutral") {
            throw Error("report: column '" + column.name + "' has a cell marked '" + mark +
                        "': use good, bad or neutral");
        }
        content = "<span class=\"mark " + mark + "\">" + content + "</span>";
    }
    for (const CurveStyle& style : styles) {
        if (!column.method || style.method != text) continue;
        if (style.emphasis) classes += " emphasis";
        content.insert(0, line_sample(style));
    }
    const std::string key = value ? fmt::format("{:.17g}", *value) : std::string();
    return fmt::format("<td{} data-value=\"{}\">{}</td>", classes.empty() ? "" : " class=\"" + classes + "\"",
                       column.number ? key
                       : value       ? key
                                     : escape_markup(text),
                       content);
}

}  // namespace

std::string page_table(const json& table, const std::string& id, const std::vector<CurveStyle>& styles) {
    const std::string title = escape_markup(table.value("title", std::string()));
    const json& rows = table.at("rows");
    const json& names = table.at("columns");
    for (const json& row : rows) {
        if (row.size() != names.size()) {
            throw Error(
                fmt::format("report: table '{}' has a row of {} cells: expected {}, one for each column",
                            table.value("title", std::string()), row.size(), names.size()));
        }
    }
    std::vector<Column> columns;
    std::string head;
    for (std::size_t place = 0; place < names.size(); ++place) {
        columns.push_back(read_column(names.at(place), place, rows));
        head += fmt::format(
            "<th scope=\"col\" aria-sort=\"none\"{}><button type=\"button\">{}<span class=\"arrow\" "
            "aria-hidden=\"true\"></span></button></th>",
            columns.back().number ? " class=\"number\"" : "", escape_markup(columns.back().name));
    }
    std::string body;
    for (const json& row : rows) {
        body += "<tr>";
        for (std::size_t place = 0; place < columns.size(); ++place) {
            body += cell_markup(row.at(place), columns[place], styles);
        }
        body += "</tr>\n";
    }
    const std::string note = table.value("note", std::string());
    return fmt::format(
        "<section id=\"{0}\" class=\"result\"><h2 id=\"{0}-title\">{1}</h2>\n"
        "<div class=\"table-box\" role=\"region\" aria-labelledby=\"{0}-title\" tabindex=\"0\"><table>"
        "<thead><tr>{2}</tr></thead>\n<tbody>{3}</tbody></table></div>{4}</section>\n",
        id, title, head, body, note.empty() ? "" : "<p class=\"note\">" + escape_markup(note) + "</p>");
}

}  // namespace alfcg

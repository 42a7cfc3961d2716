#include "report/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "report/panel.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

constexpr std::size_t total_points = 120000;
constexpr std::size_t least_points = 60;
constexpr std::size_t most_points = 800;

/// Six significant digits, in the fewest characters; null for what is not a number.
json rounded(double value) {
    if (!std::isfinite(value)) return nullptr;
    // A whole number needs no fraction ("3", not "3.0").
    if (std::abs(value) < 1e6 && value == std::round(value)) return std::lround(value);
    return std::stod(fmt::format("{:.6g}", value));
}

json rounded(const std::vector<double>& values, const std::vector<std::size_t>& places) {
    json result = json::array();
    if (values.empty()) return result;
    for (const std::size_t place : places) result.push_back(rounded(values[place]));
    return result;
}

json run_data(const ReportRun& run, std::size_t limit) {
    const std::vector<std::size_t> places = thinned_places(run.iterations.size(), limit);
    return {{"seed", run.seed},
            {"status", run.status},
            {"iterations", rounded(run.iterations, places)},
            {"epochs", rounded(run.epochs, places)},
            {"seconds", rounded(run.seconds, places)},
            {"suboptimality", rounded(run.suboptimality, places)},
            {"gap", rounded(run.gap, places)},
            {"error", rounded(run.error, places)}};
}

json panel_data(const json& source, const std::vector<CurveStyle>& styles, std::size_t limit) {
    const ReportPanel panel(source);
    json curves = json::array();
    for (const ReportCurve& curve : panel.curves) {
        const CurveStyle& style = style_of(styles, curve.method);
        json runs = json::array();
        for (const ReportRun& run : curve.runs) runs.push_back(run_data(run, limit));
        curves.push_back({{"method", &style - styles.data()}, {"runs", std::move(runs)}});
    }
    return {{"title", panel.title},
            {"note", source.value("note", std::string())},
            {"best", std::isfinite(panel.best) ? json(panel.best) : json(nullptr)},
            {"curves", std::move(curves)}};
}

std::size_t count_runs(const json& report) {
    std::size_t count = 0;
    for (const json& figure : report.value("figures", json::array())) {
        for (const json& panel : figure.at("panels")) {
            for (const json& curve : panel.value("curves", json::array())) count += curve.at("runs").size();
        }
    }
    return count;
}

}  // namespace

std::vector<std::size_t> thinned_places(std::size_t count, std::size_t limit) {
    std::vector<std::size_t> places;
    if (count <= limit) {
        for (std::size_t place = 0; place < count; ++place) places.push_back(place);
        return places;
    }
    const std::size_t half = std::max<std::size_t>(limit / 2, 2);
    const double last = static_cast<double>(count - 1);
    for (std::size_t k = 0; k < half; ++k) {
        const double share = static_cast<double>(k) / static_cast<double>(half - 1);
        places.push_back(static_cast<std::size_t>(std::lround(share * last)));
        places.push_back(static_cast<std::size_t>(std::lround(std::expm1(share * std::log1p(last)))));
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

std::size_t points_per_run(std::size_t runs) {
    return std::clamp(total_points / std::max<std::size_t>(runs, 1), least_points, most_points);
}

std::string page_data(const json& report, const std::vector<CurveStyle>& styles) {
    json methods = json::array();
    for (const CurveStyle& style : styles) {
        methods.push_back({{"name", style.method},
                           {"setting", style.setting},
                           {"emphasis", style.emphasis},
                           {"color", style.color},
                           {"dash", style.dash},
                           {"width", style.width}});
    }
    const std::size_t limit = points_per_run(count_runs(report));
    json figures = json::array();
    for (const json& figure : report.value("figures", json::array())) {
        json panels = json::array();
        for (const json& panel : figure.at("panels")) panels.push_back(panel_data(panel, styles, limit));
        json data = {{"title", figure.value("title", std::string())},
                     {"note", figure.value("note", std::string())},
                     {"columns", figure.value("columns", 1)},
                     {"panels", std::move(panels)}};
        if (figure.contains("quantity")) {
            data["quantity"] = figure.at("quantity");
            require_quantity(figure.at("quantity").get<std::string>());
        }
        figures.push_back(std::move(data));
    }
    const json view = report.value("view", json::object());
    require_quantity(view.value("quantity", std::string("suboptimality")));
    require_axis(view.value("axis", std::string("epochs")));
    json labels = json::object();
    for (const char* quantity : {"suboptimality", "gap", "error"})
        labels[quantity] = quantity_label(quantity);
    const json data = {{"methods", std::move(methods)},
                       {"figures", std::move(figures)},
                       {"labels", std::move(labels)},
                       {"points", limit},
                       {"view", view}};
    std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
    // "<" occurs only inside strings, where its escape means the same; so no string can end the script
    // element.
    std::string safe;
    safe.reserve(text.size());
    for (const char letter : text) {
        if (letter == '<') {
            safe += "\\u003c";
        } else {
            safe += letter;
        }
    }
    return safe;
}

}  // namespace alfcg

#include "report/panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Where an error in a report is, for its message.
struct Place {
    std::string panel;
    std::string method;

    [[nodiscard]] Error error(const std::string& what) const {
        return Error("report: panel '" + panel + "', method '" + method + "': " + what);
    }
};

std::vector<double> numbers(const json& run, const char* key, std::size_t length, bool required,
                            const Place& place) {
    std::vector<double> result;
    if (!run.contains(key) || run.at(key).is_null()) {
        if (required)
            throw place.error("a run has no '" + std::string(key) + "': expected an array of numbers");
        return result;
    }
    const json& source = run.at(key);
    if (!source.is_array() || source.size() != length) {
        throw place.error("'" + std::string(key) + "' has " + std::to_string(source.size()) +
                          " values: expected one for each of the " + std::to_string(length) +
                          " iterations listed");
    }
    result.reserve(length);
    for (const json& entry : source) {
        const double value = entry.is_number() ? entry.get<double>() : nan;
        result.push_back(std::isfinite(value) ? value : nan);
    }
    return result;
}

/// A seed is a number or text.
std::string text_of(const json& run, const char* key) {
    if (!run.contains(key)) return {};
    const json& value = run.at(key);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

ReportRun read_run(const json& source, const Place& place) {
    const std::size_t length = source.contains("iteration") ? source.at("iteration").size() : 0;
    ReportRun run;
    run.seed = text_of(source, "seed");
    run.status = text_of(source, "status");
    run.iterations = numbers(source, "iteration", length, true, place);
    run.epochs = numbers(source, "epochs", length, true, place);
    run.seconds = numbers(source, "seconds", length, true, place);
    run.suboptimality =
        numbers(source, "objective", length, true, place);  // best is subtracted once it is known
    run.gap = numbers(source, "gap", length, false, place);
    run.error = numbers(source, "error", length, false, place);
    return run;
}

}  // namespace

const std::vector<double>& ReportRun::values(std::string_view name) const {
    if (name == "iterations") return iterations;
    if (name == "epochs") return epochs;
    if (name == "seconds") return seconds;
    if (name == "suboptimality") return suboptimality;
    if (name == "gap") return gap;
    return error;
}

ReportPanel::ReportPanel(const json& panel) : title(panel.value("title", std::string())), best(nan) {
    double lowest = nan;
    for (const json& source : panel.value("curves", json::array())) {
        ReportCurve curve;
        curve.method = source.at("method").get<std::string>();
        for (const json& run : source.at("runs")) {
            curve.runs.push_back(read_run(run, {title, curve.method}));
            for (const double objective : curve.runs.back().suboptimality)
                lowest = std::fmin(lowest, objective);
        }
        curves.push_back(std::move(curve));
    }
    if (panel.contains("best") && panel.at("best").is_number()) best = panel.at("best").get<double>();
    if (!std::isfinite(best)) best = lowest;
    for (ReportCurve& curve : curves) {
        for (ReportRun& run : curve.runs) {
            for (double& value : run.suboptimality) value -= best;
        }
    }
}

void require_quantity(std::string_view quantity) {
    if (quantity == "suboptimality" || quantity == "gap" || quantity == "error") return;
    throw Error("report: unknown quantity '" + std::string(quantity) + "': use suboptimality, gap or error");
}

void require_axis(std::string_view axis) {
    if (axis == "seconds" || axis == "epochs" || axis == "iterations") return;
    throw Error("report: unknown axis '" + std::string(axis) + "': use seconds, epochs or iterations");
}

std::string_view quantity_label(std::string_view quantity) {
    require_quantity(quantity);
    if (quantity == "gap") return "Frank-Wolfe gap";
    if (quantity == "error") return "estimator error \u2016g \u2212 \u2207f\u2016\u00b2";
    return "objective \u2212 best seen";
}

}  // namespace alfcg

// Reports like those of `compare` and `reproduce`, with made-up curves, to look at and to test the page with.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace alfcg {

struct SampleMethod {
    const char* name;
    const char* setting;
    double power;    // suboptimality falls like (1 + epochs)^-power
    double noise;    // of the run, relative
    double seconds;  // for one epoch
};

inline const std::vector<SampleMethod>& sample_methods() {
    static const std::vector<SampleMethod> methods = {
        {"fw-openloop", "deterministic", 1.0, 0, .011},   {"fw-shortstep", "deterministic", .7, 0, .011},
        {"fw-momentum", "deterministic", 1.5, 0, .012},   {"fw-sliding", "deterministic", 1.2, 0, .019},
        {"fw-armijo", "deterministic", 1.6, 0, .034},     {"fw-parafree", "deterministic", 1.7, 0, .025},
        {"alfcg-d", "deterministic", 1.45, 0, .011},      {"svfw", "finite sum", 1.3, .1, .021},
        {"saga-fw", "finite sum", 1.9, .05, .016},        {"spider-cg", "finite sum", .9, .3, .018},
        {"onesample-fw", "finite sum", .6, .5, .09},      {"sarah-fw", "finite sum", 1.4, .15, .02},
        {"alfcg-fs", "finite sum", 2.1, .12, .019},       {"sfw", "expectation", .5, .35, .02},
        {"sfw-gb", "expectation", .8, .3, .03},           {"onesample-storm", "expectation", 1.0, .25, .024},
        {"onesample-ema", "expectation", 1.35, .2, .021}, {"srfw", "expectation", .4, .2, .055},
        {"alfcg-mvr1", "expectation", 1.5, .15, .022},    {"alfcg-mvr2", "expectation", 1.1, .3, .025}};
    return methods;
}

/// One run on a problem whose best objective is `best`; `scale` is the suboptimality at the start.
inline nlohmann::json sample_run(const SampleMethod& method, int seed, int points, double best, double scale,
                                 std::mt19937_64& random) {
    using nlohmann::json;
    std::normal_distribution<double> normal;
    const bool full = method.noise == 0;
    const int rows = full ? std::min(points, 21) : points;
    const double pace = method.seconds * std::exp(0.05 * normal(random));
    json run = {{"seed", seed}, {"status", "max-epochs"}};
    double drift = 0;
    for (int row = 0; row < rows; ++row) {
        const double epochs = 20.0 * row / (rows - 1);
        drift = 0.9 * drift + method.noise * 0.5 * normal(random);
        const double level = scale * std::pow(1 + epochs, -method.power) * (row == 0 ? 1.0 : std::exp(drift));
        run["iteration"].push_back(full ? row : row * 7);
        run["epochs"].push_back(epochs);
        run["seconds"].push_back(pace * epochs);
        run["objective"].push_back(best + level);
        run["gap"].push_back(3 * level * std::exp(0.2 * normal(random)));
        const bool reset = std::string(method.setting) == "finite sum" && row % 50 == 0;
        const double error = full || reset ? 0.0 : method.noise * level * std::exp(0.5 * normal(random));
        run["error"].push_back(row + 1 == rows ? json(nullptr) : json(error));
    }
    return run;
}

inline nlohmann::json sample_panel(const std::string& title, const std::string& setting, int seeds,
                                   int points, double scale, std::mt19937_64& random) {
    using nlohmann::json;
    const double best = 0.4213;
    json curves = json::array();
    for (const SampleMethod& method : sample_methods()) {
        if (!setting.empty() && setting != method.setting) continue;
        json runs = json::array();
        for (int seed = 0; seed < (method.noise == 0 ? 1 : seeds); ++seed) {
            runs.push_back(sample_run(method, seed, points, best, scale, random));
        }
        curves.push_back({{"method", method.name},
                          {"setting", method.setting},
                          {"emphasis", std::string(method.name).starts_with("alfcg")},
                          {"runs", runs}});
    }
    double lowest = 1e300;
    for (const json& curve : curves) {
        for (const json& run : curve["runs"]) {
            for (const json& value : run["objective"]) lowest = std::min(lowest, value.get<double>());
        }
    }
    return {{"title", title}, {"best", lowest}, {"curves", curves}};
}

inline nlohmann::json sample_comparison() {
    using nlohmann::json;
    std::mt19937_64 random(7);
    json panel = sample_panel("mnist-5000-768, nuclear ball of radius 10", "", 3, 500, 1.88, random);
    json rows = json::array();
    for (const json& curve : panel["curves"]) {
        const json& run = curve["runs"][0];
        const double objective = run["objective"].back().get<double>();
        rows.push_back(json::array({curve["method"],
                                    curve["setting"],
                                    objective,
                                    run["gap"].back(),
                                    run["seconds"].back(),
                                    {{"text", fmt::format("{:.2f} \u00b1 0.12 %", 92 - 10 * objective)},
                                     {"value", 92 - 10 * objective}},
                                    run["iteration"].back(),
                                    run["status"]}));
    }
    // Texts are given as JSON: initialiser lists cannot tell a pair of strings from an object.
    json report = json::parse(R"({
        "title": "20 methods on mnist-5000-768",
        "command": "alfcg compare mnist-5000-768 --methods all --seeds 3 --max-epochs 20 --region nuclear --radius 10",
        "version": "0.1.0", "created": "2026-11-15 08:00",
        "facts": [["data", "mnist-5000-768: 5000 rows, 768 features, 10 classes"], ["loss", "multinomial"],
                  ["region", "nuclear ball of radius 10"], ["budget", "20 epochs, 3 seeds"],
                  ["machine", "2 threads, f32"]],
        "figures": [{"title": "Curves", "panels": []}],
        "tables": [{"title": "Result", "note": "At the end of the budget; the first seed.",
            "columns": [{"name": "method", "type": "method"}, {"name": "setting", "type": "text"},
                        {"name": "objective", "type": "number", "digits": 6, "best": "min"},
                        {"name": "gap", "type": "number", "digits": 4, "best": "min"},
                        {"name": "seconds", "type": "number", "digits": 3},
                        {"name": "accuracy", "type": "number", "best": "max"},
                        {"name": "iterations", "type": "number"}, {"name": "stopped by", "type": "text"}]}],
        "notes": ["Time spent on metrics is not charged to a method.",
                  "Epochs count component gradients; function values, which fw-armijo uses, are not in them."]
    })");
    report["figures"][0]["panels"].push_back(panel);
    report["tables"][0]["rows"] = rows;
    return report;
}

/// The same with names that would be scripts, wherever there is a name; one of them gets into the page as it is.
inline nlohmann::json hostile_comparison() {
    const std::string evil =
        "</script><script>window.hit=1</script><img src=x onerror=\"window.hit=1\">'\"{{data}}";
    nlohmann::json report = sample_comparison();
    for (const char* key : {"title", "command", "version"}) report[key] = evil;
    report["facts"].push_back({evil, evil});
    report["notes"].push_back(evil);
    report["figures"][0]["title"] = evil;
    report["figures"][0]["panels"][0]["title"] = evil;
    report["figures"][0]["panels"][0]["curves"][0]["method"] = evil;
    report["tables"][0]["title"] = evil;
    report["tables"][0]["note"] = evil;
    report["tables"][0]["rows"][0][0] = evil;
    report["tables"][0]["rows"][0][1] = evil;
    report["pictures"] = {
        {{"title", evil}, {"note", evil}, {"svg", "<svg onload=\"window.hit=1\">" + evil + "</svg>"}}};
    return report;
}

inline nlohmann::json sample_reproduction() {
    using nlohmann::json;
    std::mt19937_64 random(11);
    json figures = json::array();
    json rows = json::array();
    const std::vector<std::string> settings = {"deterministic", "finite sum", "expectation"};
    for (int number = 1; number <= 7; ++number) {
        const std::string setting =
            number == 7 ? "expectation" : settings[static_cast<std::size_t>((number - 1) % 3)];
        const std::string ball = number <= 3 ? "nuclear ball" : number <= 6 ? "l3 ball" : "both balls";
        json panels = json::array();
        for (int place = 0; place < 8; ++place) {
            const int radius = std::vector<int>{10, 100, 1, 1000}[static_cast<std::size_t>(place % 4)];
            const std::string title = fmt::format("({}) {}, radius {}", static_cast<char>('a' + place),
                                                  place < 4 ? "randn-3000-500" : "mnist-5000-768", radius);
            if (number == 2 && place == 7) {
                panels.push_back(
                    {{"title", title}, {"curves", json::array()}, {"note", "MNIST was not found: skipped"}});
                continue;
            }
            json panel = sample_panel(title, setting, 3, 500, std::pow(10.0, place % 4 - 2), random);
            if (number == 7) {
                const json& curves = panel["curves"];
                panel["curves"] = json::array({curves[curves.size() - 1]});
            }
            panels.push_back(panel);
            const bool held = (number * place) % 5 != 3;
            if (number < 7) {
                rows.push_back(json::array(
                    {number,
                     title,
                     setting,
                     1 + (number * place) % 7,
                     {{"text", held ? "held" : "did not hold"}, {"mark", held ? "good" : "bad"}}}));
            }
        }
        json figure = {{"title", fmt::format("Figure {}: {}, {} setting", number, ball, setting)},
                       {"columns", 4},
                       {"panels", panels}};
        if (number == 7) figure["quantity"] = "error";
        if (number == 7) figure["title"] = "Figure 7: estimator error of alfcg-mvr2";
        figures.push_back(figure);
    }
    json report = json::parse(R"({
        "title": "The paper's figures, small scale",
        "command": "alfcg reproduce --scale small --output figures",
        "version": "0.1.0", "created": "2026-11-15 08:00",
        "facts": [["scale", "small"], ["parameters", "as printed, rho = 1e-5, data scaled by the spectral norm"]],
        "view": {"axis": "seconds"},
        "tables": [{"title": "Verdict",
            "columns": [{"name": "figure", "type": "number"}, {"name": "panel"}, {"name": "setting"},
                        {"name": "rank of ALFCG", "type": "number"}, {"name": "the paper's claim"}]}],
        "notes": ["That the paper scaled its data by the spectral norm is an inference."]
    })");
    report["figures"] = figures;
    report["tables"][0]["rows"] = rows;
    return report;
}

}  // namespace alfcg

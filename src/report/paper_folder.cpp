#include "report/paper_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "alfcg/core/output_file.hpp"
#include "alfcg/core/version.hpp"
#include "report/json_text.hpp"
#include "report/overview.hpp"
#include "report/page.hpp"
#include "report/svg_figure.hpp"

namespace alfcg {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string& rho_of(const PaperComparison& comparison) {
    return comparison.given.at("rho");
}

const char* note_of(const PaperComparison& comparison) {
    if (comparison.given.size() > 1) return "Run with parameters other than the paper's.";
    const std::string& rho = rho_of(comparison);
    if (rho == printed_rho && comparison.normalization == Normalization::spectral) {
        return "Run with the paper's printed parameters on data divided by their largest singular value. "
               "The paper does not say how it scaled its data; that it did so in this way is an "
               "inference: "
               "it is the only one of the usual normalisations under which the printed rho = 1e-5 makes "
               "sense.";
    }
    if (rho == "auto" && comparison.normalization == Normalization::none)
        return "Run on the data as they are, with ALFCG finding its own scale.";
    return "Run with parameters or a normalisation other than the paper's printed ones.";
}

json paper_facts(const PaperPlan& plan, const std::vector<PaperComparison>& comparisons,
                 const std::string& precision) {
    json facts = json::array();
    const auto fact = [&](const char* name, const std::string& text) {
        facts.push_back(json::array({name, text}));
    };
    fact("data", plan.data_name("randn") + ", " + plan.data_name("mnist"));
    for (const PaperComparison& comparison : comparisons) {
        fact("normalisation", std::string(to_text(comparison.normalization)));
        for (const auto& [parameter, value] : comparison.given) fact(parameter.c_str(), value);
    }
    fact("seeds", std::to_string(plan.seeds) + " for the stochastic methods");
    fact("precision", precision);
    fact("seconds", "CPU time of a run on one thread, metrics excluded");
    return facts;
}

// The panels of one figure, each by itself.
void write_panels(const fs::path& folder, const std::string& name, const char* suffix, const json& figure,
                  const std::vector<CurveStyle>& styles) {
    const std::string quantity = figure.value("quantity", "suboptimality");
    char letter = 'a';
    for (const json& panel : figure["panels"]) {
        const fs::path path = folder / fmt::format("{}{}{}.svg", name, letter++, suffix);
        if (!panel["curves"].empty())
            write_file(path.string(), svg_figure(panel, quantity, "epochs", styles));
    }
}

}  // namespace

std::string title_of(const PaperComparison& comparison) {
    return fmt::format("rho {}, normalisation {}", rho_of(comparison), to_text(comparison.normalization));
}

std::string write_paper(const PaperPlan& plan, const std::vector<PaperComparison>& comparisons,
                        const std::string& precision, const std::string& command) {
    const fs::path folder(plan.folder);
    const bool several = comparisons.size() > 1;
    json figures = json::array();
    json tables = json::array();
    json notes = json::array();
    json verdicts = json::array();
    for (const PaperComparison& comparison : comparisons) {
        const std::string suffix = several ? " (" + title_of(comparison) + ")" : "";
        for (const int figure : plan.figures) {
            json entry = figure_json(figure, comparison.panels);
            entry["title"] = entry["title"].get<std::string>() + suffix;
            if (several) entry["short"] = fmt::format("Figure {}, rho {}", figure, rho_of(comparison));
            figures.push_back(std::move(entry));
        }
        json table = verdict_table(comparison.panels);
        table["title"] = table["title"].get<std::string>() + suffix;
        tables.push_back(std::move(table));
        notes.push_back((several ? title_of(comparison) + ": " : "") + note_of(comparison));
        for (json verdict : verdict_summary(comparison.panels)) {
            verdict["rho"] = rho_of(comparison);
            verdict["normalize"] = to_text(comparison.normalization);
            verdicts.push_back(std::move(verdict));
        }
    }
    const json report{{"title", "The paper's figures, " + plan.scale + " scale"},
                      {"command", command},
                      {"version", version()},
                      {"facts", paper_facts(plan, comparisons, precision)},
                      {"figures", figures},
                      {"tables", tables},
                      {"notes", notes}};
    fs::create_directories(folder / "figures");
    std::string page = (folder / "report.html").string();
    write_file(page, report_page(report));
    write_file((folder / "summary.json").string(),
               json_text(json{{"command", command}, {"verdicts", verdicts}}, 2) + "\n");
    write_file((folder / "overview.svg").string(), overview_picture(plan, comparisons));
    const auto styles = curve_styles(report);
    for (std::size_t k = 0; k < figures.size(); ++k) {
        const std::size_t count = plan.figures.size();
        write_panels(folder / "figures", fmt::format("figure-{}", plan.figures[k % count]),
                     k < count ? "" : "-auto", figures[k], styles);
    }
    return page;
}

}  // namespace alfcg

#include "report/overview.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "alfcg/core/text.hpp"
#include "report/markup.hpp"
#include "report/paper_folder.hpp"

namespace alfcg {

namespace {

// In SVG units.
constexpr double margin = 12;
constexpr double name_width = 88;     // of a problem
constexpr double measure_width = 42;  // "epochs", "time"
constexpr double cell_width = 113;
constexpr double line_height = 17;
constexpr double block_gap = 14;  // between comparisons
constexpr double problem_gap = 4;
constexpr double setting_height = 24;
constexpr double header_height = 66;
constexpr double legend_height = 64;

constexpr std::array<double, 4> shown_radii{1, 10, 100, 1000};

struct OutcomeLook {
    Verdict::Outcome outcome;
    std::string_view fill;
    std::string_view mark;  // a disc of radius 3.5 around 0,0: for those who do not see the colours
    std::string_view text;
};
constexpr std::array<OutcomeLook, 4> looks{{
    {Verdict::Outcome::held, "#bfe3c3", "<circle r=\"3.5\" fill=\"#222\"/>", "the claim held"},
    {Verdict::Outcome::partly, "#f6ebb5",
     "<circle r=\"3.2\" fill=\"#fff\" stroke=\"#222\"/><path fill=\"#222\" d=\"M0-3.2A3.2 3.2 0 0 0 0 "
     "3.2Z\"/>",
     "half of it"},
    {Verdict::Outcome::tied, "#e3e3e3", "<path stroke=\"#222\" d=\"M-3.5-1.5h7M-3.5 1.5h7\"/>",
     "tie: within 1 %"},
    {Verdict::Outcome::failed, "#f4c3b8", "<circle r=\"3.2\" fill=\"#fff\" stroke=\"#222\"/>", "it failed"},
}};

const OutcomeLook& look_of(Verdict::Outcome outcome) {
    for (const OutcomeLook& look : looks)
        if (look.outcome == outcome) return look;
    return looks.back();
}

bool is_alfcg(std::string_view method) {
    return method.starts_with("alfcg-");
}

std::string text_at(double x, double y, std::string_view text, std::string_view attributes = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ",
                       attributes, escape_markup(text));
}

std::string mark_at(double x, double y, const OutcomeLook& look) {
    return fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", x, y, look.mark);
}

std::string cell_markup(double x, double y, const Verdict& verdict) {
    const OutcomeLook& look = look_of(verdict.outcome);
    const std::string story =
        fmt::format("best: {}; {}: rank {} of {}, score {:.3f}; {}", verdict.best, verdict.ours, verdict.rank,
                    verdict.methods, verdict.score, verdict.reason);
    return fmt::format(
               "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
               "fill=\"{}\"/>\n",
               escape_markup(story), x, y, cell_width - 1, line_height - 1, look.fill) +
           mark_at(x + 8, y + 8, look) +
           text_at(x + 15, y + 12, verdict.best, is_alfcg(verdict.best) ? "font-weight=\"bold\"" : "") +
           "</g>\n";
}

// The two lines of one panel.
std::string panel_markup(double x, double y, const PanelRuns* runs) {
    if (runs == nullptr || !runs->judged())
        return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#f7f7f7\"/>\n",
                           x, y, cell_width - 1, 2 * line_height - 1) +
               text_at(x + cell_width / 2, y + line_height + 3, "not run",
                       "text-anchor=\"middle\" fill=\"#777\"");
    return cell_markup(x, y, runs->by_epochs()) + cell_markup(x, y + line_height, runs->by_time());
}

const PanelRuns* find_panel(const PaperComparison& comparison, std::string_view setting,
                            std::string_view data, std::string_view region, double radius) {
    for (const PanelRuns& runs : comparison.panels) {
        const PaperPanel& panel = runs.panel;
        if (panel.setting == setting && panel.data == data && panel.region == region &&
            panel.radius == radius)
            return &runs;
    }
    return nullptr;
}

double left_of(std::size_t comparison, std::size_t radius) {
    const double block = static_cast<double>(shown_radii.size()) * cell_width + block_gap;
    return margin + name_width + measure_width + static_cast<double>(comparison) * block +
           static_cast<double>(radius) * cell_width;
}

std::string header_markup(const std::vector<PaperComparison>& comparisons) {
    std::string text;
    for (std::size_t k = 0; k < comparisons.size(); ++k) {
        text += text_at(left_of(k, 0), 44, title_of(comparisons[k]), "font-weight=\"bold\"");
        for (std::size_t r = 0; r < shown_radii.size(); ++r)
            text += text_at(left_of(k, r), 61, "radius " + format_number(shown_radii[r]), "fill=\"#555\"");
    }
    return text;
}

std::string overview_legend(double y) {
    std::string text;
    double x = margin;
    for (const OutcomeLook& look : looks) {
        text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"14\" fill=\"{}\"/>\n", x,
                            y, look.fill) +
                mark_at(x + 9, y + 7, look) + text_at(x + 24, y + 11, look.text);
        x += 130;
    }
    text +=
        text_at(margin, y + 32,
                "The method named is the best one, bold if it is an ALFCG method; a claim may hold without "
                "being best, and fail although one variant is.",
                "fill=\"#555\"");
    text += text_at(
        margin, y + 48,
        "Upper line: at the end of the epochs. Lower line: when the first method has spent them, by CPU "
        "time.",
        "fill=\"#555\"");
    return text;
}

}  // namespace

std::string overview_picture(const PaperPlan& plan, const std::vector<PaperComparison>& comparisons) {
    std::string rows;
    double y = header_height;
    for (const char* setting : {"deterministic", "finite-sum", "expectation"}) {
        rows += text_at(margin, y + 16, setting, "font-weight=\"bold\"");
        y += setting_height;
        for (const char* data : {"randn", "mnist"}) {
            for (const char* region : {"nuclear", "lp"}) {
                rows +=
                    text_at(margin, y + line_height + 3,
                            fmt::format("{}, {}", data, std::string_view(region) == "lp" ? "l_3" : region));
                rows += text_at(margin + name_width, y + 12, "epochs", "fill=\"#555\"");
                rows += text_at(margin + name_width, y + line_height + 12, "time", "fill=\"#555\"");
                for (std::size_t k = 0; k < comparisons.size(); ++k)
                    for (std::size_t r = 0; r < shown_radii.size(); ++r)
                        rows +=
                            panel_markup(left_of(k, r), y,
                                         find_panel(comparisons[k], setting, data, region, shown_radii[r]));
                y += 2 * line_height + problem_gap;
            }
        }
    }
    const double width = left_of(comparisons.size(), 0) - block_gap + margin;
    const std::string title =
        fmt::format("Who wins where: {} and {}", plan.data_name("randn"), plan.data_name("mnist"));
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
               "font-size=\"11\" fill=\"#222\">\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" "
               "fill=\"#fff\"/>\n",
               width, y + legend_height, title) +
           text_at(margin, 22, title, "font-size=\"14\" font-weight=\"bold\"") + header_markup(comparisons) +
           rows + overview_legend(y + 10) + "</svg>\n";
}

}  // namespace alfcg

#include "report/svg_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"
#include "report/markup.hpp"
#include "report/panel.hpp"
#include "report/plot_axis.hpp"
#include "report/seed_band.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

// The plot area, in SVG units (one is a CSS pixel; 3/4 of a point in print).
constexpr double left = 62;
constexpr double right = 462;
constexpr double top = 34;
constexpr double bottom = 314;
constexpr double height = 360;
constexpr double legend_left = 480;
constexpr double legend_row = 15;

struct DrawnCurve {
    const CurveStyle* style;
    SeedBand band;
    std::size_t runs;

    [[nodiscard]] bool positive() const {
        return std::any_of(band.median.begin(), band.median.end(), [](double value) { return value > 0; });
    }
};

/// The value that all but a fiftieth of the positive values of every curve reach.
double common_floor(const std::vector<DrawnCurve>& curves, std::vector<double> SeedBand::*part) {
    double floor = std::numeric_limits<double>::infinity();
    for (const DrawnCurve& curve : curves) {
        std::vector<double> values = curve.band.*part;
        std::erase_if(values, [](double value) { return !(value > 0); });
        if (values.empty()) continue;
        std::sort(values.begin(), values.end());
        floor = std::min(floor, values[values.size() / 50]);
    }
    return floor;
}

/// Where the log axis ends below. The method that set the best level falls to zero on its last steps by construction;
/// following it down would leave the others on one line, so a few values may lie below. Bands may take the axis a decade
/// further down than the medians do.
double log_floor(const std::vector<DrawnCurve>& curves) {
    return std::max(common_floor(curves, &SeedBand::low), common_floor(curves, &SeedBand::median) / 10);
}

/// Points "x,y x,y ..."; those closer than a third of a unit to the last one written are left out.
std::string points(const std::vector<double>& xs, const std::vector<double>& ys, const PlotAxis& x,
                   const PlotAxis& y) {
    std::string text;
    double last_x = -1e9;
    double last_y = -1e9;
    for (std::size_t place = 0; place < xs.size(); ++place) {
        const double px = x.place(xs[place]);
        const double py = y.place(ys[place]);
        const bool last = place + 1 == xs.size();
        if (!last && std::abs(px - last_x) + std::abs(py - last_y) < 0.3) continue;
        text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", px, py);
        last_x = px;
        last_y = py;
    }
    return text;
}

std::string dash_attribute(const CurveStyle& style) {
    return style.dash.empty() ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", style.dash);
}

std::string curve_markup(const DrawnCurve& curve, const PlotAxis& x, const PlotAxis& y) {
    const std::string_view color = palette[curve.style->color].light;
    std::string result;
    if (curve.runs > 1) {
        std::vector<double> back_x(curve.band.x.rbegin(), curve.band.x.rend());
        std::vector<double> back_y(curve.band.low.rbegin(), curve.band.low.rend());
        result += fmt::format("<polygon fill=\"{}\" fill-opacity=\"0.15\" points=\"{} {}\"/>\n", color,
                              points(curve.band.x, curve.band.high, x, y), points(back_x, back_y, x, y));
    }
    return result + fmt::format(
                        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
                        "stroke-linejoin=\"round\"{} points=\"{}\">"
                        "<title>{}</title></polyline>\n",
                        color, curve.style->width * 0.8, dash_attribute(*curve.style),
                        points(curve.band.x, curve.band.median, x, y), escape_markup(curve.style->method));
}

std::string axes_markup(const PlotAxis& x, const PlotAxis& y, std::string_view quantity,
                        std::string_view axis) {
    std::string grid;
    std::string labels;
    for (const AxisTick& tick : y.ticks(8)) {
        const double place = y.place(tick.value);
        const bool major = !tick.label.empty();
        if (major) grid += fmt::format("<path stroke=\"#e4e4e4\" d=\"M{} {:.2f}H{}\"/>", left, place, right);
        grid += fmt::format("<path stroke=\"#333\" d=\"M{} {:.2f}h{}\"/>\n", left, place, major ? -5 : -3);
        labels += fmt::format("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", left - 8,
                              place + 4, tick.label);
    }
    for (const AxisTick& tick : x.ticks(6)) {
        const double place = x.place(tick.value);
        grid += fmt::format("<path stroke=\"#333\" d=\"M{:.2f} {}v5\"/>\n", place, bottom);
        labels += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", place,
                              bottom + 18, tick.label);
    }
    return fmt::format(
        "<g fill=\"none\">{}<path stroke=\"#333\" d=\"M{} {}V{}H{}\"/></g>\n<g fill=\"#222\">{}"
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
        "<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text></g>\n",
        grid, left, top, bottom, right, labels, (left + right) / 2, bottom + 36, axis, (top + bottom) / 2,
        quantity_label(quantity));
}

std::string legend_markup(const std::vector<DrawnCurve>& curves) {
    std::string result;
    double y = top + 8;
    for (const DrawnCurve& curve : curves) {
        const CurveStyle& style = *curve.style;
        const char* remark = curve.band.x.empty() ? " (no values)" : curve.positive() ? "" : " (zero)";
        result += fmt::format(
            "<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} d=\"M{} {}h30\"/>"
            "<text x=\"{}\" y=\"{}\"{}>{}{}</text>\n",
            palette[style.color].light, style.width * 0.8, dash_attribute(style), legend_left, y,
            legend_left + 36, y + 4, style.emphasis ? " font-weight=\"bold\"" : "",
            escape_markup(style.method), remark);
        y += legend_row;
    }
    return "<g fill=\"#222\">" + result + "</g>\n";
}

/// A letter is about 0.6 of the font's size wide; wider than it turns out does no harm.
double legend_width(const std::vector<DrawnCurve>& curves) {
    std::size_t letters = 0;
    for (const DrawnCurve& curve : curves) {
        letters = std::max(letters, curve.style->method.size() + (curve.positive() ? 0 : 12));
    }
    return 36 + 7.2 * static_cast<double>(letters) + 8;
}

std::string plot_markup(const std::vector<DrawnCurve>& curves, const std::string& quantity,
                        const std::string& axis) {
    double last = 0;
    double highest = 0;
    std::vector<const DrawnCurve*> order;
    for (const DrawnCurve& curve : curves) {
        if (!curve.positive()) continue;
        last = std::max(last, curve.band.x.back());
        highest = std::max(highest, *std::max_element(curve.band.high.begin(), curve.band.high.end()));
        order.push_back(&curve);
    }
    if (order.empty()) {
        return fmt::format(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">no values above zero</text>\n",
            (left + right) / 2, (top + bottom) / 2);
    }
    const double floor = log_floor(curves);
    const PlotAxis x(0, last > 0 ? last : 1, left, right, false);
    const PlotAxis y(floor / 1.3, std::max(highest, 1.5 * floor) * 1.15, bottom, top, true);
    // Rivals first, so that the emphasised curves lie on top.
    std::stable_sort(order.begin(), order.end(), [](const DrawnCurve* one, const DrawnCurve* other) {
        return !one->style->emphasis && other->style->emphasis;
    });
    std::string result = axes_markup(x, y, quantity, axis);
    for (const DrawnCurve* curve : order) result += curve_markup(*curve, x, y);
    return result;
}

}  // namespace

std::string svg_figure(const json& panel, const std::string& quantity, const std::string& axis) {
    return svg_figure(panel, quantity, axis, curve_styles(panel));
}

std::string svg_figure(const json& panel, const std::string& quantity, const std::string& axis,
                       const std::vector<CurveStyle>& styles) try {
    require_quantity(quantity);
    require_axis(axis);
    const ReportPanel checked(panel);
    std::vector<DrawnCurve> curves;
    for (const ReportCurve& curve : checked.curves) {
        curves.push_back(
            {&style_of(styles, curve.method), seed_band(curve, quantity, axis), curve.runs.size()});
    }
    const double width = legend_left + legend_width(curves);
    const double tall = std::max(height, top + legend_row * static_cast<double>(curves.size()) + 10);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
        "font-size=\"12\">\n"
        "<title>{2}</title>\n<desc>{3} against {4}</desc>\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"#fff\"/>\n"
        "<text x=\"{5}\" y=\"20\" font-size=\"13\" font-weight=\"bold\" "
        "fill=\"#222\">{2}</text>\n{6}{7}</svg>\n",
        width, tall, escape_markup(checked.title), quantity_label(quantity), axis, left,
        plot_markup(curves, quantity, axis), legend_markup(curves));
} catch (const json::exception& error) {
    throw Error("report: a panel does not follow the schema of report/page.hpp: " +
                std::string(error.what()));
}

}  // namespace alfcg

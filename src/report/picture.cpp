#include "report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/curve_style.hpp"
#include "report/markup.hpp"
#include "report/plot_axis.hpp"

namespace alfcg {

namespace {

constexpr double picture_width = 720;
constexpr double picture_height = 380;
constexpr double picture_left = 64;
constexpr double picture_right = 560;
constexpr double picture_top = 26;
constexpr double picture_bottom = 330;
constexpr double name_height = 14;

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void take(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] bool empty() const { return low > high; }
};

std::string frame(const Picture& picture, const PlotAxis& x, const PlotAxis& y) {
    std::string text;
    for (const AxisTick& tick : y.ticks(6)) {
        const double place = y.place(tick.value);
        text += fmt::format(
            "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" "
            "text-anchor=\"end\">{}</text>\n",
            picture_left, place, picture_right, picture_left - 8, place + 4, tick.label);
    }
    for (const AxisTick& tick : x.ticks(8)) {
        const double place = x.place(tick.value);
        text += fmt::format("<path class=\"edge\" d=\"M{:.1f} {}v{}\"/>", place, picture_bottom,
                            tick.label.empty() ? 3 : 5);
        if (!tick.label.empty())
            text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", place,
                                picture_bottom + 18, tick.label);
    }
    return text + fmt::format(
                      "<path class=\"edge\" d=\"M{} {}V{}H{}\"/>\n"
                      "<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
                      "<text class=\"axis\" transform=\"translate(14 {}) rotate(-90)\" "
                      "text-anchor=\"middle\">{}</text>\n",
                      picture_left, picture_top, picture_bottom, picture_right,
                      (picture_left + picture_right) / 2, picture_bottom + 40, escape_markup(picture.x_axis),
                      (picture_top + picture_bottom) / 2, escape_markup(picture.y_axis));
}

std::string line(const PictureCurve& curve, std::size_t color, const PlotAxis& x, const PlotAxis& y) {
    std::string points;
    std::string bars;
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
        if (!std::isfinite(curve.y[k])) continue;
        const double px = x.place(curve.x[k]);
        const double py = y.place(curve.y[k]);
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", px, py);
        bars += fmt::format("<circle r=\"2.2\" fill=\"var(--curve-{})\" cx=\"{:.1f}\" cy=\"{:.1f}\"/>", color,
                            px, py);
        if (!curve.spread.empty())
            bars += fmt::format(
                "<path stroke=\"var(--curve-{0})\" d=\"M{1:.1f} {2:.1f}V{3:.1f}M{4:.1f} {2:.1f}h8M{4:.1f} "
                "{3:.1f}h8\"/>",
                color, px, y.place(curve.y[k] - curve.spread[k]), y.place(curve.y[k] + curve.spread[k]),
                px - 4);
    }
    return fmt::format(
        "<polyline fill=\"none\" stroke=\"var(--curve-{})\" stroke-width=\"1.6\" points=\"{}\"><title>{}"
        "</title></polyline>{}\n",
        color, points, escape_markup(curve.name), bars);
}

// The names at the ends of the curves, moved apart where they would overlap.
std::string names(const std::vector<PictureCurve>& curves, const PlotAxis& y) {
    std::vector<std::pair<double, std::size_t>> places;
    for (std::size_t k = 0; k < curves.size(); ++k)
        if (!curves[k].name.empty() && !curves[k].y.empty() && std::isfinite(curves[k].y.back()))
            places.emplace_back(y.place(curves[k].y.back()), k);
    std::sort(places.begin(), places.end());
    double next = picture_top;
    for (auto& [place, curve] : places) next = (place = std::max(place, next)) + name_height;
    double last = picture_bottom;
    for (auto place = places.rbegin(); place != places.rend(); ++place)
        last = (place->first = std::min(place->first, last)) - name_height;
    std::string text;
    for (const auto& [place, curve] : places)
        text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" style=\"fill:var(--curve-{})\">{}</text>\n",
                            picture_right + 8, place + 4, curve % palette.size(),
                            escape_markup(curves[curve].name));
    return text;
}

}  // namespace

std::string picture_markup(const Picture& picture) {
    Range across;
    Range up;
    for (const PictureCurve& curve : picture.curves)
        for (std::size_t k = 0; k < curve.x.size(); ++k) {
            across.take(curve.x[k]);
            const double spread = curve.spread.empty() ? 0 : curve.spread[k];
            up.take(curve.y[k] - spread);
            up.take(curve.y[k] + spread);
        }
    std::string inside;
    if (across.empty() || up.empty()) {
        inside = fmt::format(
            "<text class=\"empty\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">nothing to show</text>",
            picture_width / 2, picture_height / 2);
    } else {
        const double margin =
            up.high > up.low ? 0.05 * (up.high - up.low) : std::max(0.1 * std::abs(up.low), 1e-300);
        const PlotAxis x(across.low / 1.1, across.high * 1.1, picture_left, picture_right, true);
        const PlotAxis y(up.low - margin, up.high + margin, picture_bottom, picture_top, false);
        inside = frame(picture, x, y);
        for (const auto& [at, name] : picture.marks)
            inside += fmt::format(
                "<path class=\"mark\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
                "text-anchor=\"middle\">{4}</text>\n",
                x.place(at), picture_top, picture_bottom, picture_top - 8, escape_markup(name));
        for (std::size_t k = 0; k < picture.curves.size(); ++k)
            inside += line(picture.curves[k], k % palette.size(), x, y);
        inside += names(picture.curves, y);
    }
    return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                       picture_width, picture_height, escape_markup(picture.title), inside);
}

}  // namespace alfcg

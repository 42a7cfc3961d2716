// Which colour and dash pattern each method is drawn with: the same in every panel, on the page and in static
// figures.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace alfcg {

/// One colour of the palette, on white paper and on a dark screen. The first four are for emphasised methods
/// (dark, saturated), the other six for their rivals. Chosen so that all pairs stay apart under the three
/// kinds of colour blindness (at least 15 in CIE Lab, simulated after Machado et al., 2009), and from the
/// background.
struct PaletteColor {
    std::string_view light;
    std::string_view dark;
};
inline constexpr std::size_t strong_colors = 4;
inline constexpr std::array<PaletteColor, 10> palette = {{{"#e02424", "#ff9050"},
                                                          {"#0e2cc3", "#52a0ff"},
                                                          {"#111111", "#ffffff"},
                                                          {"#792e88", "#c834c2"},
                                                          {"#d98200", "#ffc007"},
                                                          {"#3c7cf5", "#93d5ff"},
                                                          {"#596800", "#74911b"},
                                                          {"#008688", "#28946e"},
                                                          {"#e055c4", "#df7fbb"},
                                                          {"#a08e76", "#e0cb99"}}};

struct CurveStyle {
    std::string method;
    std::string setting;
    bool emphasis = false;
    std::size_t color = 0;  // index into palette
    std::string_view dash;  // as SVG's stroke-dasharray; empty for a solid line
    double width = 1.6;
};

/// The styles of all methods of a report, or of a single panel, in order of setting and first appearance. The
/// style of a method follows from its setting and its place there, so that a panel with the usual methods of
/// a setting is drawn alone as it is in the report. Within a setting, dash patterns differ as well as colours
/// (for black and white print); over all settings, no two methods share both.
std::vector<CurveStyle> curve_styles(const nlohmann::json& report_or_panel);

/// The style of a method; throws Error when it is not among them.
const CurveStyle& style_of(const std::vector<CurveStyle>& styles, std::string_view method);

}  // namespace alfcg

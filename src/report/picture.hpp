// A picture of the report page that needs no script: lines over a log axis, drawn once.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace alfcg {

struct PictureCurve {
    std::string name;
    std::vector<double> x;  // positive, increasing
    std::vector<double> y;
    std::vector<double> spread = {};  // as long as y: a bar from y − spread to y + spread; or empty
};

struct Picture {
    std::string title;
    std::string note = {};
    std::string x_axis;
    std::string y_axis;
    std::vector<PictureCurve> curves;
    std::vector<std::pair<double, std::string>> marks = {};  // dashed lines at these x, with their names
};

/// The picture as SVG inside a page, in the page's colours. Curves are named at their ends.
std::string picture_markup(const Picture& picture);

}  // namespace alfcg

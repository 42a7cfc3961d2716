#include "cli/path_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace alfcg::cli {

namespace {

constexpr std::size_t pictured_curves = 12;

PictureCurve curve_of(const std::string& name, const std::vector<PathPoint>& points, auto value) {
    PictureCurve curve{name, {}, {}};
    for (const PathPoint& point : points) {
        curve.x.push_back(point.radius);
        curve.y.push_back(value(point));
    }
    return curve;
}

Picture scores(const std::vector<PathPoint>& points) {
    const bool classes = points.front().training.classification;
    const double unit = classes ? 100 : 1;
    Picture picture{.title = "Scores over the radius",
                    .note = "Bars are one standard error.",
                    .x_axis = "radius",
                    .y_axis = classes ? "accuracy in %" : "mean squared error",
                    .curves = {}};
    PictureCurve unseen =
        curve_of("unseen rows", points, [&](const PathPoint& point) { return unit * point.score; });
    for (const PathPoint& point : points) unseen.spread.push_back(unit * point.score_error);
    picture.curves.push_back(std::move(unseen));
    picture.curves.push_back(curve_of("training rows", points,
                                      [&](const PathPoint& point) { return unit * point.training.value(); }));
    return picture;
}

Picture singular_values(const std::vector<PathPoint>& points) {
    Picture picture{.title = "Singular values over the radius",
                    .x_axis = "radius",
                    .y_axis = "singular values of the weights",
                    .curves = {}};
    const std::size_t count = std::min(points.back().singular_values.size(), pictured_curves);
    for (std::size_t k = 0; k < count; ++k)
        picture.curves.push_back(curve_of(fmt::format("σ{}", k + 1), points, [&](const PathPoint& point) {
            return k < point.singular_values.size() ? point.singular_values[k] : 0;
        }));
    if (points.back().singular_values.size() > count) picture.note = fmt::format("The {} largest.", count);
    return picture;
}

Picture coefficients(const std::vector<PathPoint>& points, std::size_t best,
                     const std::vector<std::string>& names) {
    Picture picture{
        .title = "Coefficients over the radius",
        .note = fmt::format("Those that are largest at the best radius, up to {}.", pictured_curves),
        .x_axis = "radius",
        .y_axis = "coefficient",
        .curves = {}};
    const auto& largest = points[best].coefficients;
    for (std::size_t k = 0; k < std::min(largest.size(), pictured_curves); ++k) {
        const Index feature = largest[k].first;
        const std::string name =
            names.empty() ? fmt::format("feature {}", feature + 1) : names[static_cast<std::size_t>(feature)];
        picture.curves.push_back(curve_of(name, points, [&](const PathPoint& point) {
            const auto found = std::find_if(point.coefficients.begin(), point.coefficients.end(),
                                            [&](const auto& entry) { return entry.first == feature; });
            return found == point.coefficients.end() ? 0 : found->second;
        }));
    }
    return picture;
}

}  // namespace

std::vector<Picture> path_pictures(const std::vector<PathPoint>& points, std::size_t best,
                                   std::size_t smallest, const std::vector<std::string>& names) {
    std::vector<Picture> pictures{scores(points), points.back().singular_values.empty()
                                                      ? coefficients(points, best, names)
                                                      : singular_values(points)};
    for (Picture& picture : pictures) {
        picture.marks.emplace_back(points[best].radius, "best");
        if (smallest != best) picture.marks.emplace_back(points[smallest].radius, "1 s.e.");
    }
    return pictures;
}

}  // namespace alfcg::cli

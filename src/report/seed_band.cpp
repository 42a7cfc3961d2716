#include "report/seed_band.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alfcg {

namespace {

struct Points {
    std::vector<double> x;
    std::vector<double> y;
};

/// The points of a run that have both coordinates.
Points points_of(const ReportRun& run, std::string_view quantity, std::string_view axis) {
    Points points;
    const std::vector<double>& across = run.values(axis);
    const std::vector<double>& up = run.values(quantity);
    for (std::size_t place = 0; place < up.size(); ++place) {
        if (!std::isfinite(across[place]) || !std::isfinite(up[place])) continue;
        points.x.push_back(across[place]);
        points.y.push_back(up[place]);
    }
    return points;
}

double value_at(const Points& points, double x) {
    if (points.x.empty() || x < points.x.front() || x > points.x.back()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto after = std::upper_bound(points.x.begin(), points.x.end(), x);
    const std::size_t place = static_cast<std::size_t>(after - points.x.begin()) - 1;
    const double left = points.y[place];
    if (points.x[place] == x) return left;
    const double right = points.y[place + 1];
    const double share = (x - points.x[place]) / (points.x[place + 1] - points.x[place]);
    if (left > 0 && right > 0) return left * std::pow(right / left, share);
    return left + (right - left) * share;
}

double median_of(const std::vector<double>& sorted) {
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

SeedBand seed_band(const ReportCurve& curve, std::string_view quantity, std::string_view axis) {
    std::vector<Points> runs;
    std::vector<double> grid;
    for (const ReportRun& run : curve.runs) {
        Points points = points_of(run, quantity, axis);
        if (points.x.empty()) continue;
        grid.insert(grid.end(), points.x.begin(), points.x.end());
        runs.push_back(std::move(points));
    }
    if (runs.size() == 1) return {runs[0].x, runs[0].y, runs[0].y, runs[0].y};
    std::sort(grid.begin(), grid.end());
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
    SeedBand band;
    for (const double x : grid) {
        std::vector<double> here;
        for (const Points& points : runs) {
            const double value = value_at(points, x);
            if (std::isfinite(value)) here.push_back(value);
        }
        if (2 * here.size() < runs.size()) continue;
        std::sort(here.begin(), here.end());
        band.x.push_back(x);
        band.median.push_back(median_of(here));
        band.low.push_back(here.front());
        band.high.push_back(here.back());
    }
    return band;
}

}  // namespace alfcg

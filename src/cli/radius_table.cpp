#include "cli/radius_table.hpp"

#include <fmt/format.h>

#include <cmath>

namespace alfcg::cli {

std::string score_text(const PathPoint& point) {
    return point.training.classification
               ? fmt::format("{:.2f} ± {:.2f} %", 100 * point.score, 100 * point.score_error)
               : fmt::format("{:.5g} ± {:.2g}", point.score, point.score_error);
}

std::string judged_on(Index folds) {
    return folds > 0 ? fmt::format("{} folds", folds) : "the rows held out";
}

void RadiusTable::add(const PathPoint& point) {
    if (out_ == nullptr) return;
    const bool classes = point.training.classification;
    if (!begun_) {
        put(out_,
            fmt::format("{:>10} {:>12} {:>10} {:>10} {:>10} {:>18}\n", "radius", "objective", "gap",
                        point.rank ? "rank" : "non-zeros", classes ? "accuracy" : "error", "unseen rows"));
        begun_ = true;
    }
    const std::string training = classes ? fmt::format("{:.2f} %", 100 * point.training.value())
                                         : fmt::format("{:.5g}", point.training.value());
    const std::string score = score_text(point);
    // The sign ± takes two bytes and one column.
    put(out_, fmt::format("{:>10.4g} {:>12.6g} {:>10.3g} {:>10} {:>10} {:>19}\n", point.radius,
                          point.metrics.objective, point.metrics.gap, point.rank.value_or(point.nonzeros),
                          training, score));
}

template <class Real>
void RadiusTable::close(const Path<Real>& path) {
    if (out_ == nullptr) return;
    const PathPoint& best = path.points[path.best];
    const PathPoint& smallest = path.points[path.smallest];
    put(out_, fmt::format("\nbest       radius {:.4g}: {} on {}\n", best.radius, score_text(best),
                          judged_on(path.folds)));
    if (path.smallest != path.best)
        put(out_, fmt::format("smallest   radius {:.4g}: {}, within one standard error\n", smallest.radius,
                              score_text(smallest)));
    put(out_, "\n");
}

template void RadiusTable::close(const Path<float>&);
template void RadiusTable::close(const Path<double>&);

}  // namespace alfcg::cli

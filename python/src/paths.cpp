#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>

#include "alfcg/fit/path.hpp"
#include "fitting.hpp"
#include "module.hpp"

namespace alfcg::python {

namespace {

/// A path of radii, and the fit at the one that was chosen.
struct PathFit {
    std::vector<PathPoint> points;
    std::size_t best = 0;
    std::size_t smallest = 0;
    std::size_t chosen = 0;
    Index folds = 0;
    nb::object fit;
};

double rank_of(const PathPoint& point) {
    return point.rank ? static_cast<double>(*point.rank) : std::numeric_limits<double>::quiet_NaN();
}

// What a radius is worth.
nb::dict to_dict(const PathPoint& point) {
    nb::dict row;
    row["radius"] = point.radius;
    row["objective"] = point.metrics.objective;
    row["gap"] = point.metrics.gap;
    row["nonzeros"] = point.nonzeros;
    row["rank"] = rank_of(point);
    row["train_score"] = point.training.value();
    row["score"] = point.score;
    row["score_se"] = point.score_error;
    row["loss"] = point.loss;
    row["seconds"] = point.seconds;
    return row;
}

// The same for all of them, columns by name.
nb::dict points_of(const PathFit& path) {
    nb::dict lists;
    for (const PathPoint& point : path.points)
        for (const auto& [name, value] : to_dict(point)) {
            if (!lists.contains(name)) lists[name] = nb::list();
            nb::borrow<nb::list>(lists[name]).append(value);
        }
    nb::dict columns;
    for (const auto& [name, value] : lists) columns[name] = as_array(value, "float64");
    return columns;
}

PathFit find_radius_from(nb::handle x, nb::handle y, const nb::kwargs& given) {
    Settings settings("find_radius", given);
    Borrowed borrowed(x);
    return in_precision(borrowed.is_double(), [&]<class Real>(Real) {
        Dataset<Real> rows = dataset_from<Real>(borrowed, y, settings);
        Watch watch(settings.observer, history_of(settings));
        PathObserver observer;
        observer.stop = [&] { return watch.asked_to_stop(); };
        if (!settings.point.is_none())
            observer.point = [&](const PathPoint& point) {
                watch.interruptible([&] { settings.point(to_dict(point)); });
            };
        Path<Real> path;
        Fitted<Real> fitted;
        {
            const nb::gil_scoped_release released;
            path = find_radius<Real>(std::move(rows), settings.specification, settings.path, observer);
            fitted = fit<Real>(path.problem, path.adapted(settings.with_checkpoints(watch)),
                               watch.observer<Real>(), &path.start);
        }
        watch.finish();
        PathFit result{std::move(path.points), path.best, path.smallest, path.chosen, path.folds, {}};
        result.fit = nb::cast(to_fit(std::move(fitted), path.problem, settings, watch));
        return result;
    });
}

}  // namespace

void bind_paths(nb::module_& module) {
    nb::class_<PathFit>(module, "PathFit", "A path of radii, and the fit at the one that was chosen.")
        .def_prop_ro("points", points_of,
                     nb::sig("def points(self) -> dict[str, numpy.typing.NDArray[numpy.float64]]"),
                     "What every radius is worth, columns by name.")
        .def_prop_ro(
            "coefficients",
            [](const PathFit& path) {
                std::vector<std::vector<std::pair<Index, double>>> all;
                for (const PathPoint& point : path.points) all.push_back(point.coefficients);
                return all;
            },
            "Of a vector of weights: position and value of the largest, for every radius.")
        .def_prop_ro(
            "singular_values",
            [](const PathFit& path) {
                std::vector<std::vector<double>> all;
                for (const PathPoint& point : path.points) all.push_back(point.singular_values);
                return all;
            },
            "Of a matrix of weights: its singular values, for every radius.")
        .def_ro("best", &PathFit::best, "Position of the best score.")
        .def_ro("smallest", &PathFit::smallest,
                "Position of the smallest radius within one standard error of it.")
        .def_ro("chosen", &PathFit::chosen, "Position of the radius of the fit.")
        .def_ro("folds", &PathFit::folds, "Folds that scores are from; 0: rows were held out.")
        .def_ro("fit", &PathFit::fit, nb::sig("def fit(self) -> Fit"));
    module.def("find_radius", find_radius_from, nb::arg("X"), nb::arg("y"), nb::arg("options"),
               nb::sig("def find_radius(X: object, y: object, **options: typing.Any) -> PathFit"),
               "Fits over increasing radii, judged on rows that they have not seen.");
}

}  // namespace alfcg::python

#include "fitting.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "model.hpp"
#include "ranks.hpp"

namespace alfcg::python {

namespace {

// Weights of classes, by the codes that stand for them in y.
ClassWeights class_weights_from(const Settings& settings) {
    ClassWeights weights;
    const nb::object& given = settings.class_weight;
    if (given.is_none()) return weights;
    if (nb::isinstance<nb::str>(given)) {
        weights.balanced = nb::cast<std::string>(given) == "balanced";
        if (!weights.balanced)
            throw QuantityError("class_weight", "must be None, 'balanced' or a dictionary, not '" +
                                                    nb::cast<std::string>(given) + "'");
        return weights;
    }
    if (!nb::hasattr(given, "keys"))
        throw nb::type_error("class_weight must be None, 'balanced' or a dictionary");
    const nb::object by_label = nb::handle(&PyDict_Type)(given);  // of whatever mapping
    for (const auto& [label, weight] : nb::borrow<nb::dict>(by_label)) {
        std::string name;
        if (settings.classes.is_none()) {
            double number = 0;
            name =
                nb::try_cast(label, number) ? format_number(number) : nb::cast<std::string>(nb::str(label));
        } else {
            Index code = 0;
            for (const nb::handle known : settings.classes) {
                if (known.equal(label)) name = std::to_string(code);
                ++code;
            }
            if (name.empty())
                throw QuantityError("class_weight", "names " + nb::cast<std::string>(nb::repr(label)) +
                                                        ", a label that no row has");
        }
        const double value = nb::cast<double>(weight);
        if (!(value >= 0) || std::isinf(value))
            throw QuantityError("class_weight",
                                "must be finite numbers of at least 0, not " + format_number(value));
        weights.given.emplace(name, value);
    }
    return weights;
}

// Where a run begins: the caller's point, brought into the region.
template <class Real>
std::optional<Matrix<Real>> start_of(const Settings& settings, const Problem<Real>& problem) {
    if (settings.start.is_none()) return std::nullopt;
    Matrix<Real> start = matrix_from<Real>(settings.start, "start");
    const Shape shape = problem.objective->shape();
    if (start.shape() != shape)
        throw QuantityError("start", "must have the shape (" + std::to_string(shape.rows) + ", " +
                                         std::to_string(shape.cols) + "), not (" +
                                         std::to_string(start.rows()) + ", " + std::to_string(start.cols()) +
                                         ")");
    return scaled_into(*problem.new_region(), std::move(start));
}

// The features of one rank among others that has no rows: alone, it would be a mistake.
template <class Real>
std::optional<Features<Real>> without_rows(const FeatureView& view) {
    if (const auto* dense = std::get_if<DenseView>(&view)) {
        if (dense->rows > 0) return std::nullopt;
        return DenseFeatures<Real>(Buffer<Real>(), 0, dense->cols);
    }
    const auto& sparse = std::get<SparseView>(view);
    if (sparse.starts.size != 1) return std::nullopt;
    Buffer<Index> start;
    start.push_back(0);
    return SparseFeatures<Real>{std::move(start), Buffer<std::int32_t>(), Buffer<Real>(), 0, sparse.cols};
}

// Labels of the classes that were learned, where y holds codes.
Classes learned(const Classes& given, const std::vector<double>& codes) {
    Classes classes;
    for (const double code : codes) {
        const auto at = static_cast<std::size_t>(code);
        if (at >= given.names.size())
            throw QuantityError("classes", "has " + std::to_string(given.names.size()) +
                                               " labels, y a code " + format_number(code));
        classes.names.push_back(given.names[at]);
        if (given.numeric()) classes.values.push_back(given.values[at]);
    }
    return classes;
}

nb::object fit_once(nb::handle x, nb::handle y, const nb::kwargs& given) {
    Settings settings("fit", given);
    const auto ranks = ranks_of(settings.comm);
    settings.specification.ranks = ranks.get();
    Borrowed borrowed(x);
    return in_precision(borrowed.is_double(), [&]<class Real>(Real) {
        Problem<Real> problem = problem_from<Real>(borrowed, y, settings);
        const auto start = start_of<Real>(settings, problem);
        Watch watch(settings.observer, history_of(settings));
        Fitted<Real> fitted;
        {
            const nb::gil_scoped_release released;
            fitted = fit<Real>(problem, settings.with_checkpoints(watch), watch.observer<Real>(),
                               start ? &*start : nullptr);
        }
        watch.finish();
        return nb::cast(to_fit(std::move(fitted), problem, settings, watch));
    });
}

nb::list fit_path(nb::handle x, nb::handle y, const std::vector<double>& radii, const nb::kwargs& given) {
    Settings settings("fit_path", given);
    Borrowed borrowed(x);
    nb::list fits;
    in_precision(borrowed.is_double(), [&]<class Real>(Real) {
        Problem<Real> problem = problem_from<Real>(borrowed, y, settings);
        auto start = start_of<Real>(settings, problem);
        Options options = settings.specification.options;
        if (options.tolerance > 0) {
            // Fits that start near their ends are asked for no more than those from zero.
            const nb::gil_scoped_release released;
            const double first = problem.objective->value(Matrix<Real>(problem.objective->shape()));
            options.gap = std::max(options.gap.value_or(0), options.tolerance * first);
        }
        for (const double radius : radii) {
            Watch watch(settings.observer, history_of(settings));
            problem.region.parameters.set("radius", radius);
            verify(problem.region);
            Fitted<Real> fitted;
            {
                const nb::gil_scoped_release released;
                const auto region = problem.new_region();
                problem.region_text = region->describe();
                if (start) *start = scaled_into(*region, std::move(*start));
                fitted = fit<Real>(problem, options, watch.observer<Real>(), start ? &*start : nullptr);
                start = fitted.model.weights;
            }
            watch.finish();
            fits.append(to_fit(std::move(fitted), problem, settings, watch));
            if (watch.interrupted() || watch.stopped()) break;
        }
        return true;
    });
    return fits;
}

nb::dict timings_of(const Fit& fit) {
    nb::dict seconds;
    const Timings& spent = fit.report.seconds;
    seconds["gradient"] = spent.gradient;
    seconds["oracle"] = spent.oracle;
    seconds["step"] = spent.step;
    seconds["metrics"] = spent.metrics;
    return seconds;
}

nb::dict counters_of(const Fit& fit) {
    nb::dict counters;
    const Counters& counted = fit.report.counters;
    counters["component_gradients"] = counted.component_gradients;
    counters["function_evaluations"] = counted.function_evaluations;
    counters["oracle_calls"] = counted.oracle_calls;
    return counters;
}

}  // namespace

template <class Real>
Dataset<Real> dataset_from(Borrowed& borrowed, nb::handle y, Settings& settings) {
    settings.specification.class_weights = class_weights_from(settings);
    const LabelView labels = borrowed.labels(y, "y");
    const bool weighed = !settings.sample_weight.is_none();
    const ArrayView weights =
        weighed ? borrowed.numbers(settings.sample_weight, "sample_weight") : ArrayView();
    const nb::gil_scoped_release released;
    Dataset<Real> data;
    std::optional<Features<Real>> nothing;
    if (settings.specification.ranks != nullptr) nothing = without_rows<Real>(borrowed.features());
    if (nothing) {
        data.features = std::move(*nothing);
        data.name = settings.name;
    } else {
        data = dataset_of<Real>(borrowed.features(), labels, settings.name, settings.specification.threads);
    }
    if (weighed) {
        const Labels numbers = labels_of(weights, "sample_weight");
        for (Index i = 0; i < numbers.size(); ++i) data.weights.push_back(numbers.number(i));
        if (data.weights.empty() && !nothing)
            throw QuantityError("sample_weight", "must have an entry for every row");
    }
    data.classes = settings.classes.is_valid() && !settings.classes.is_none();
    data.names = settings.feature_names;
    if (!data.names.empty() && std::ssize(data.names) != cols(data.features))
        throw QuantityError("feature_names", "must be as many as there are features");
    return data;
}

template <class Real>
Problem<Real> problem_from(Borrowed& borrowed, nb::handle y, Settings& settings) {
    Dataset<Real> data;
    agree(settings.specification.ranks, [&] { data = dataset_from<Real>(borrowed, y, settings); });
    const nb::gil_scoped_release released;
    return prepare<Real>(std::move(data), settings.specification);
}

template <class Real>
Fit to_fit(Fitted<Real> fitted, const Problem<Real>& problem, const Settings& settings, const Watch& watch) {
    Fit fit;
    fit.report = std::move(fitted.report);
    fit.loss = problem.loss;
    fit.region = problem.region;
    fit.region.parameters = settings.shown(problem.region.parameters);
    fit.region_text = settings.shown(problem.region_text);
    fitted.model.region.parameters = settings.shown(fitted.model.region.parameters);
    fit.interrupted = watch.interrupted();
    fit.stopped = watch.stopped();
    fit.history = watch.history().to_dict();
    std::vector<Index> codes;
    if (!settings.classes.is_none() && problem.classes.numeric()) {
        for (const double code : problem.classes.values) codes.push_back(static_cast<Index>(code));
        fitted.model.classes = learned(classes_from(settings.classes), problem.classes.values);
    } else {
        for (Index code = 0; code < problem.classes.size(); ++code) codes.push_back(code);
    }
    fit.class_codes = to_numpy(std::move(codes));
    fit.coef = to_numpy(fitted.model.weights);
    std::vector<double> intercept = fitted.model.intercept;
    intercept.resize(static_cast<std::size_t>(fitted.model.weights.rows()), 0);
    fit.intercept = to_numpy(std::move(intercept));
    fit.model = nb::cast(AnyModel(std::move(fitted.model)));
    return fit;
}

void bind_fitting(nb::module_& module) {
    const auto report = [](auto member) { return [member](const Fit& fit) { return fit.report.*member; }; };
    nb::class_<Fit>(module, "Fit", "What became of a fit.")
        .def_ro("coef", &Fit::coef, nb::sig("def coef(self) -> numpy.typing.NDArray[numpy.floating]"))
        .def_ro("intercept", &Fit::intercept,
                nb::sig("def intercept(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def_ro("class_codes", &Fit::class_codes,
                nb::sig("def class_codes(self) -> numpy.typing.NDArray[numpy.int64]"))
        .def_ro("history", &Fit::history,
                nb::sig("def history(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_ro("model", &Fit::model, nb::sig("def model(self) -> Model"))
        .def_prop_ro("loss", [](const Fit& fit) { return fit.loss.name; })
        .def_prop_ro(
            "loss_parameters", [](const Fit& fit) { return to_dict(fit.loss.parameters); },
            nb::sig("def loss_parameters(self) -> dict[str, float | str]"))
        .def_prop_ro("region", [](const Fit& fit) { return fit.region.name; })
        .def_prop_ro(
            "region_parameters", [](const Fit& fit) { return to_dict(fit.region.parameters); },
            nb::sig("def region_parameters(self) -> dict[str, float | str]"))
        .def_ro("region_text", &Fit::region_text)
        .def_prop_ro("status", [](const Fit& fit) { return std::string(to_text(fit.report.status)); })
        .def_prop_ro("converged", [](const Fit& fit) { return fit.report.status == Status::converged; })
        .def_ro("interrupted", &Fit::interrupted)
        .def_ro("stopped", &Fit::stopped)
        .def_prop_ro("objective", [](const Fit& fit) { return fit.report.metrics.objective; })
        .def_prop_ro("gap", [](const Fit& fit) { return fit.report.metrics.gap; })
        .def_prop_ro("gap_exact", [](const Fit& fit) { return fit.report.metrics.gap_exact; })
        .def_prop_ro("iterations", report(&Report::iterations))
        .def_prop_ro("epochs", report(&Report::epochs))
        .def_prop_ro("seconds", [](const Fit& fit) { return fit.report.seconds.method(); })
        .def_prop_ro("timings", timings_of, nb::sig("def timings(self) -> dict[str, float]"))
        .def_prop_ro("counters", counters_of, nb::sig("def counters(self) -> dict[str, int]"))
        .def_prop_ro("method", report(&Report::method))
        .def_prop_ro(
            "parameters", [](const Fit& fit) { return to_dict(fit.report.parameters); },
            nb::sig("def parameters(self) -> dict[str, float | str]"))
        .def_prop_ro("scale", report(&Report::scale))
        .def_prop_ro("threads", report(&Report::threads))
        .def_prop_ro("ranks", report(&Report::ranks))
        .def_prop_ro("bytes_sent", report(&Report::bytes_sent))
        .def_prop_ro("train_score", [](const Fit& fit) { return fit.report.training.value(); })
        .def_prop_ro("held_out_score",
                     [](const Fit& fit) -> std::optional<double> {
                         if (!fit.report.held_out) return std::nullopt;
                         return fit.report.held_out->value();
                     })
        .def_prop_ro("held_out_rows",
                     [](const Fit& fit) { return fit.report.held_out ? fit.report.held_out->rows : 0; })
        .def_prop_ro("best_iteration", report(&Report::best_iteration))
        .def_prop_ro("nonzeros", report(&Report::nonzeros))
        .def_prop_ro(
            "singular_values",
            [](const Fit& fit) -> nb::object {
                if (!fit.report.rank) return nb::none();
                return to_numpy(fit.report.singular_values);
            },
            nb::sig("def singular_values(self) -> numpy.typing.NDArray[numpy.float64] | None"))
        .def_prop_ro("rank", report(&Report::rank))
        .def_prop_ro("warnings", [](const Fit& fit) {
            std::vector<std::string> lines;
            for (const std::string& line : fit.report.warnings) lines.push_back(with_python_names(line));
            return lines;
        });
    module.def(
        "fit", fit_once, nb::arg("X"), nb::arg("y"), nb::arg("options"),
        nb::sig("def fit(X: object, y: object, **options: typing.Any) -> Fit"),
        "One run from arrays to a model; the keywords are those of Settings (python/src/settings.cpp).");
    module.def(
        "fit_path", fit_path, nb::arg("X"), nb::arg("y"), nb::arg("radii"), nb::arg("options"),
        nb::sig("def fit_path(X: object, y: object, radii: collections.abc.Sequence[float], **options: "
                "typing.Any) -> list[Fit]"),
        "Fits over one radius after the other, each from where the last one ended.");
}

template Dataset<float> dataset_from(Borrowed&, nb::handle, Settings&);
template Dataset<double> dataset_from(Borrowed&, nb::handle, Settings&);
template Problem<float> problem_from(Borrowed&, nb::handle, Settings&);
template Problem<double> problem_from(Borrowed&, nb::handle, Settings&);
template Fit to_fit(Fitted<float>, const Problem<float>&, const Settings&, const Watch&);
template Fit to_fit(Fitted<double>, const Problem<double>&, const Settings&, const Watch&);

}  // namespace alfcg::python

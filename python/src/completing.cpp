#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/fit/completion.hpp"
#include "arrays.hpp"
#include "completion_model.hpp"
#include "fitting.hpp"
#include "module.hpp"

namespace alfcg::python {

namespace {

template <class T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The caller's arrays. They live as long as the call.
template <class Real>
struct Given {
    Numbers<std::int32_t> columns;
    Numbers<Real> values;
    std::optional<Numbers<Real>> weights;
};

void check_place(Index place, Index lines, const char* what) {
    if (place < 0 || place >= lines)
        throw Error(std::string("a position of a ") + what + " is " + std::to_string(place) +
                    ", the matrix has " + std::to_string(lines));
}

// Rows one after the other, their columns increasing: they are looked at where they are.
template <class Real>
Observations<Real> compressed(Shape shape, const Numbers<Index>& starts, const Given<Real>& given) {
    const auto lines = static_cast<std::size_t>(shape.rows);
    const auto count = static_cast<Index>(given.values.size());
    if (starts.size() != lines + 1 || starts.data()[0] != 0 || starts.data()[lines] != count ||
        !std::is_sorted(starts.data(), starts.data() + starts.size()))
        throw Error("rows must begin where the one before ends");
    const std::int32_t* columns = given.columns.data();
    for (std::size_t i = 0; i < lines; ++i)
        for (Index k = starts.data()[i]; k < starts.data()[i + 1]; ++k) {
            check_place(columns[k], shape.cols, "column");
            if (k > starts.data()[i] && columns[k] == columns[k - 1])
                throw RepeatedPlace(static_cast<std::int32_t>(i), columns[k]);
            if (k > starts.data()[i] && columns[k] < columns[k - 1])
                throw Error("columns of a row must increase");
        }
    Observations<Real> known;
    known.pattern = {shape, {starts.data(), starts.size()}, {columns, given.columns.size()}};
    known.values = {given.values.data(), given.values.size()};
    if (given.weights) known.weights = {given.weights->data(), given.weights->size()};
    return known;
}

template <class Real>
Observations<Real> sorted(Shape shape, const Numbers<std::int32_t>& rows, const Given<Real>& given) {
    Triples<Real> triples;
    const auto copy = [&](const auto& from, auto& to) {
        if (from.size() != given.values.size())
            throw Error("rows, columns, values and weights must be as many");
        std::copy_n(from.data(), from.size(), to.extend(from.size()));
    };
    copy(rows, triples.rows);
    copy(given.columns, triples.columns);
    copy(given.values, triples.values);
    if (given.weights) copy(*given.weights, triples.weights);
    for (const std::int32_t row : triples.rows) check_place(row, shape.rows, "row");
    for (const std::int32_t column : triples.columns) check_place(column, shape.cols, "column");
    return observations(shape, std::move(triples));
}

nb::object or_none(const std::optional<double>& number) {
    return number ? nb::cast(*number) : nb::none();
}

nb::dict to_dict(const RadiusScore& score) {
    nb::dict row;
    row["radius"] = score.radius;
    row["error"] = score.training;
    row["held_out_error"] = score.held_out;
    row["refit_error"] = or_none(score.refit);
    row["rank"] = score.rank;
    row["seconds"] = score.seconds;
    return row;
}

nb::dict to_dict(const CompletionReport& report, const Watch& watch) {
    nb::dict result;
    result["status"] = std::string(to_text(report.status));
    result["method"] = report.method;
    result["iterations"] = report.iterations;
    result["epochs"] = report.epochs;
    result["seconds"] = report.seconds;
    result["objective"] = report.metrics.objective;
    result["gap"] = report.metrics.gap;
    result["gap_exact"] = report.metrics.gap_exact;
    result["nuclear_norm"] = report.norm;
    result["radius"] = report.radius;
    result["bias_penalty"] = report.bias_penalty;
    result["error"] = report.error;
    result["held_out_error"] = or_none(report.held_out);
    result["refit_held_out_error"] = or_none(report.refit_held_out);
    result["refit_penalty"] = or_none(report.refit_penalty);
    nb::list radii;
    for (const RadiusScore& score : report.radii) radii.append(to_dict(score));
    result["radii"] = radii;
    result["history"] = watch.history().to_dict();
    result["interrupted"] = watch.interrupted();
    result["stopped"] = watch.stopped();
    return result;
}

// A specification, and what says more than those of other fits do.
CompletionSpecification specification_from(Settings& settings, nb::handle radius, bool biases,
                                           nb::handle bias_penalty, bool refit, Index rank,
                                           const std::vector<double>& radii) {
    CompletionSpecification specification;
    specification.radii = radii;
    specification.loss = settings.specification.loss;
    if (!radius.is_none()) specification.radius = nb::cast<double>(radius);
    specification.hold_out = settings.specification.hold_out;
    specification.biases = biases;
    if (!bias_penalty.is_none()) specification.bias_penalty = nb::cast<double>(bias_penalty);
    specification.refit = refit;
    specification.rank = rank;
    specification.options = settings.specification.options;
    specification.threads = settings.specification.threads;
    specification.verify();
    return specification;
}

nb::dict complete_from(nb::handle rows, nb::handle columns, nb::handle values, nb::handle weights,
                       const std::pair<Index, Index>& size, bool is_compressed, const nb::object& named,
                       nb::handle radius, bool biases, nb::handle bias_penalty, bool refit, Index rank,
                       const std::vector<double>& radii, nb::handle start, const nb::kwargs& keywords) {
    Settings settings("complete", keywords);
    const CompletionSpecification specification =
        specification_from(settings, radius, biases, bias_penalty, refit, rank, radii);
    const bool is_double = nb::cast<std::string>(nb::str(values.attr("dtype").attr("name"))) != "float32";
    return in_precision(is_double, [&]<class Real>(Real) {
        Given<Real> given{nb::cast<Numbers<std::int32_t>>(columns), nb::cast<Numbers<Real>>(values),
                          std::nullopt};
        if (!weights.is_none()) given.weights = nb::cast<Numbers<Real>>(weights);
        const Shape shape{size.first, size.second};
        Ratings<Real> ratings;
        ratings.name = settings.name;
        try {
            if (is_compressed) {
                ratings.known = compressed(shape, nb::cast<Numbers<Index>>(rows), given);
            } else {
                const auto places = nb::cast<Numbers<std::int32_t>>(rows);
                const nb::gil_scoped_release released;
                ratings.known = sorted(shape, places, given);
            }
        } catch (const RepeatedPlace& twice) {
            throw Error(nb::cast<std::string>(named(twice.row, twice.column)) +
                        " are there twice: one value each is needed");
        }
        Watch watch(settings.observer, history_of(settings));
        CompletionWatch<Real> looks;
        looks.run = watch.observer<Real>();
        looks.stop = [&] { return watch.asked_to_stop(); };
        if (!settings.point.is_none())
            looks.radius = [&](const RadiusScore& score) {
                watch.interruptible([&] { settings.point(to_dict(score)); });
            };
        // In the precision of the values, as Python makes it.
        const CompletionModel<Real>* begin = nullptr;
        if (!start.is_none())
            nb::cast<const AnyCompletion&>(start).look([&](const auto& model) {
                if constexpr (std::is_same_v<decltype(model), const CompletionModel<Real>&>) begin = &model;
            });
        Completed<Real> completed;
        {
            const nb::gil_scoped_release released;
            completed = complete<Real>(std::move(ratings), specification, looks, begin);
        }
        watch.finish();
        nb::dict result = to_dict(completed.report, watch);
        result["model"] = nb::cast(AnyCompletion(std::move(completed.model)));
        return result;
    });
}

}  // namespace

void bind_completing(nb::module_& module) {
    bind_completion_model(module);
    module.def(
        "complete", complete_from, nb::arg("rows"), nb::arg("columns"), nb::arg("values"),
        nb::arg("weights").none(), nb::arg("shape"), nb::arg("compressed"), nb::arg("named"),
        nb::arg("radius").none(), nb::arg("biases"), nb::arg("bias_penalty").none(), nb::arg("refit"),
        nb::arg("rank"), nb::arg("radii"), nb::arg("start").none(), nb::arg("options"),
        nb::sig("def complete(rows: object, columns: object, values: object, weights: object, shape: "
                "tuple[int, int], "
                "compressed: bool, named: object, radius: float | None, biases: bool, bias_penalty: "
                "float | None, "
                "refit: bool, rank: int, radii: collections.abc.Sequence[float], start: CompletionModel | "
                "None, **options: typing.Any) -> dict[str, typing.Any]"),
        "A matrix from some of its entries; see alfcg.MatrixCompletion. `rows` are positions, or "
        "where each row begins.");
}

}  // namespace alfcg::python

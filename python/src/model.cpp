#include "model.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "arrays.hpp"
#include "settings.hpp"

namespace alfcg::python {

namespace {

using Scored = std::optional<std::pair<Index, double>>;  // rows, value

Scored scored(const std::optional<TrainingScore>& score) {
    if (!score) return std::nullopt;
    return std::pair(score->rows, score->value);
}
std::optional<TrainingScore> score_from(const Scored& scored) {
    if (!scored) return std::nullopt;
    return TrainingScore{scored->first, scored->second};
}

constexpr std::array<std::pair<const char*, double Composite::*>, 5> term_weights{
    {{"l1", &Composite::l1},
     {"l2", &Composite::l2},
     {"nuclear", &Composite::nuclear},
     {"norm", &Composite::norm},
     {"entropy", &Composite::entropy}}};

// Weights that are not 0, by name.
nb::dict terms_of(const Composite& composite) {
    nb::dict terms;
    for (const auto& [name, weight] : term_weights)
        if (composite.*weight != 0) terms[name] = composite.*weight;
    return terms;
}
Composite composite_from(const nb::dict& terms) {
    Composite composite;
    for (const auto& [name, weight] : term_weights)
        if (terms.contains(name)) composite.*weight = nb::cast<double>(terms[name]);
    return composite;
}

// All that a model holds, as pickle keeps it.
using Parts =
    std::tuple<nb::object, std::vector<double>, std::vector<std::string>,  // weights, intercept, names
               std::tuple<std::vector<std::string>, std::vector<double>, std::string,
                          std::vector<std::string>, double>,              // reading
               std::pair<std::vector<std::string>, std::vector<double>>,  // classes
               std::pair<std::string, nb::dict>,                          // loss
               std::pair<std::string, std::vector<double>>,               // scaling
               std::tuple<std::string, nb::dict, nb::dict>,               // region, parameters, terms
               std::string, Scored, Scored>;

Parts parts_of(const AnyModel& any) {
    return any.look([](const auto& model) {
        const Reading& reading = model.reading;
        return Parts{to_numpy(model.weights),
                     model.intercept,
                     model.names,
                     {reading.sources, reading.fill, reading.label, reading.others, reading.scale},
                     {model.classes.names, model.classes.values},
                     {model.loss.name, to_dict(model.loss.parameters)},
                     {std::string(to_text(model.scaling.kind)), model.scaling.divisors},
                     {model.region.name, to_dict(model.region.parameters), terms_of(model.region.composite)},
                     model.method,
                     scored(model.training),
                     scored(model.held_out)};
    });
}

bool is_double_array(nb::handle array) {
    return nb::cast<std::string>(nb::str(array.attr("dtype").attr("name"))) != "float32";
}

template <class Real>
Model<Real> model_from(const Parts& parts) {
    Model<Real> model;
    model.weights = matrix_from<Real>(std::get<0>(parts), "coef");
    model.intercept = std::get<1>(parts);
    model.names = std::get<2>(parts);
    const auto& [sources, fill, label, others, scale] = std::get<3>(parts);
    model.reading = {sources, fill, label, others, scale};
    model.classes = {std::get<4>(parts).first, std::get<4>(parts).second};
    model.loss = {std::get<5>(parts).first, parameters_from(std::get<5>(parts).second, "loss_parameters")};
    model.scaling = {parse_normalization(std::get<6>(parts).first), std::get<6>(parts).second};
    const auto& [region, parameters, terms] = std::get<7>(parts);
    model.region = {region, parameters_from(parameters, "region_parameters"), composite_from(terms)};
    model.method = std::get<8>(parts);
    model.training = score_from(std::get<9>(parts));
    model.held_out = score_from(std::get<10>(parts));
    return model;
}

AnyModel any_model_from(const Parts& parts) {
    return in_precision(is_double_array(std::get<0>(parts)),
                        [&]<class Real>(Real) { return AnyModel(model_from<Real>(parts)); });
}

nb::object labels_of_codes(const Classes& classes, const std::vector<std::int32_t>& codes) {
    const nb::object labels = classes.numeric() ? to_numpy(classes.values) : as_array(to_list(classes), "");
    return labels[to_numpy(codes)];
}

nb::object predict_with(const AnyModel& any, nb::handle x, const std::string& what, nb::handle threads) {
    if (what != "labels" && what != "codes" && what != "probabilities" && what != "scores")
        throw QuantityError("what", "must be labels, codes, probabilities or scores, not '" + what + "'");
    Borrowed borrowed(x);
    const int count = resolve_thread_count(threads);
    return any.look([&]<class Real>(const Model<Real>& model) -> nb::object {
        const bool classifies = loss_info(model.loss.name).classifies();
        if (!classifies && what == "codes")
            throw QuantityError("what", "must be labels or scores for a regression");
        if (what == "probabilities" && !classifies)
            throw QuantityError("what",
                                "must not be probabilities: the " + model.loss.name + " loss has none");
        Matrix<double> found;
        Predictions predictions;
        {
            const nb::gil_scoped_release released;
            const auto data = dataset_of<Real>(borrowed.features(), {}, "X", count);
            if (what == "scores")
                found = scores(model, data, count);
            else
                predictions = predict(model, data, what == "probabilities", count);
        }
        if (what == "scores") return to_numpy(std::move(found));
        if (what == "probabilities") return to_numpy(std::move(predictions.probabilities));
        if (!classifies) return to_numpy(std::move(predictions.values));
        if (what == "codes") return to_numpy(std::move(predictions.classes));
        return labels_of_codes(model.classes, predictions.classes);
    });
}

}  // namespace

Classes classes_from(nb::handle labels) {
    Classes classes;
    for (const nb::handle label : labels) {
        double number = 0;
        if (nb::isinstance<nb::str>(label)) {
            classes.names.push_back(nb::cast<std::string>(label));
        } else if (nb::try_cast(label, number)) {
            classes.values.push_back(number);
            classes.names.push_back(format_number(number));
        } else {
            PyErr_Clear();
            classes.names.push_back(nb::cast<std::string>(nb::str(label)));
        }
    }
    if (classes.values.size() != classes.names.size()) classes.values.clear();
    return classes;
}

nb::list to_list(const Classes& classes) {
    nb::list list;
    if (classes.numeric())
        for (const double value : classes.values) list.append(value);
    else
        for (const std::string& name : classes.names)
            list.append(nb::steal(
                PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "surrogateescape")));
    return list;
}

void bind_model(nb::module_& module) {
    nb::class_<AnyModel>(module, "Model",
                         R"(A trained linear model, as the command line's programs write and read it.

Made by `alfcg.load`, and by every fit. Its answers are those of ``alfcg predict``, to the bit.
)")
        .def(
            "__init__",
            [](AnyModel* self, nb::handle coef, nb::handle intercept, const std::string& loss,
               const nb::dict& loss_parameters, nb::handle classes, const std::string& region,
               const nb::dict& region_parameters, double l1, double l2, double nuclear, double norm,
               double entropy, const std::string& method, const std::vector<std::string>& feature_names,
               const std::string& normalization, const std::vector<double>& divisors) {
                const nb::object weights = as_array(coef, "");
                Parts parts{weights,
                            {},
                            feature_names,
                            {{}, {}, "", {}, 1.0},
                            {},
                            {loss, loss_parameters},
                            {normalization, divisors},
                            {region, region_parameters, terms_of(Composite{l1, l2, nuclear, norm, entropy})},
                            method,
                            {},
                            {}};
                if (!intercept.is_none())
                    for (const nb::handle shift :
                         as_array(intercept, "float64").attr("ravel")().attr("tolist")())
                        std::get<1>(parts).push_back(nb::cast<double>(shift));
                if (!classes.is_none()) {
                    const Classes found = classes_from(classes);
                    std::get<4>(parts) = {found.names, found.values};
                }
                new (self) AnyModel(any_model_from(parts));
            },
            nb::arg("coef"), nb::arg("intercept").none(), nb::kw_only(), nb::arg("loss"),
            nb::arg("loss_parameters") = nb::dict(), nb::arg("classes").none() = nb::none(),
            nb::arg("region") = "l2", nb::arg("region_parameters") = nb::dict(), nb::arg("l1") = 0.0,
            nb::arg("l2") = 0.0, nb::arg("nuclear") = 0.0, nb::arg("norm") = 0.0, nb::arg("entropy") = 0.0,
            nb::arg("method") = "", nb::arg("feature_names") = nb::list(), nb::arg("normalization") = "none",
            nb::arg("divisors") = nb::list(),
            nb::sig(
                "def __init__(self, coef: object, intercept: object, *, loss: str, loss_parameters: "
                "dict[str, float] = ..., classes: object = None, region: str = 'l2', region_parameters: "
                "dict[str, float | str] = ..., l1: float = 0, l2: float = 0, nuclear: float = 0, norm: float "
                "= 0, "
                "entropy: float = 0, method: str = '', "
                "feature_names: collections.abc.Sequence[str] = ..., normalization: str = 'none', divisors: "
                "collections.abc.Sequence[float] = ...) -> None"))
        .def("__getstate__", parts_of, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](AnyModel& self, const Parts& parts) { new (&self) AnyModel(any_model_from(parts)); },
            nb::arg("parts"), nb::sig("def __setstate__(self, parts: tuple[typing.Any, ...]) -> None"))
        .def(
            "save",
            [](const AnyModel& self, nb::handle path) {
                const auto name = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
                const nb::gil_scoped_release released;
                self.look([&](const auto& model) { save_model(model, name); });
            },
            nb::arg("path"), "Write the model as an .npz archive, whole or not at all.")
        .def_static(
            "load",
            [](nb::handle path) {
                const auto name = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
                const nb::gil_scoped_release released;
                return in_precision(model_is_double(name),
                                    [&]<class Real>(Real) { return AnyModel(load_model<Real>(name)); });
            },
            nb::arg("path"), "Read a model; a damaged or foreign file is a ValueError.")
        .def("predict", predict_with, nb::arg("X"), nb::arg("what") = "labels",
             nb::arg("threads").none() = nb::none(),
             nb::sig("def predict(self, X: object, what: str = 'labels', threads: int | None = None) -> "
                     "numpy.typing.NDArray[typing.Any]"),
             R"(Answers on rows of data.

Parameters
----------
X : array or CSR matrix of shape (rows, features)
what : {"labels", "codes", "probabilities", "scores"}
    Labels (numbers for a regression), positions in `classes`, shares of the classes, or the scores
    that all of these are made from, rows x outputs.
threads : int or None
    None is all cores.
)")
        .def_prop_ro(
            "coef",
            [](const AnyModel& self) { return self.look([](auto& m) { return to_numpy(m.weights); }); },
            nb::sig("def coef(self) -> numpy.typing.NDArray[numpy.floating]"),
            "Weights, outputs x features, for features as the model scales them.")
        .def_prop_ro(
            "intercept",
            [](const AnyModel& self) { return self.look([](auto& m) { return to_numpy(m.intercept); }); },
            nb::sig("def intercept(self) -> numpy.typing.NDArray[numpy.float64]"),
            "One number per output; empty where there is none.")
        .def_prop_ro(
            "classes",
            [](const AnyModel& self) { return self.look([](auto& m) { return to_list(m.classes); }); },
            nb::sig("def classes(self) -> list[float] | list[str]"),
            "Labels in increasing order, numbers or texts; empty for a regression.")
        .def_prop_ro("loss",
                     [](const AnyModel& self) { return self.look([](auto& m) { return m.loss.name; }); })
        .def_prop_ro(
            "loss_parameters",
            [](const AnyModel& self) {
                return self.look([](auto& m) { return to_dict(m.loss.parameters); });
            },
            nb::sig("def loss_parameters(self) -> dict[str, float | str]"))
        .def_prop_ro("region",
                     [](const AnyModel& self) { return self.look([](auto& m) { return m.region.name; }); })
        .def_prop_ro(
            "region_parameters",
            [](const AnyModel& self) {
                return self.look([](auto& m) { return to_dict(m.region.parameters); });
            },
            nb::sig("def region_parameters(self) -> dict[str, float | str]"))
        .def_prop_ro(
            "composite",
            [](const AnyModel& self) {
                return self.look([](auto& m) { return terms_of(m.region.composite); });
            },
            nb::sig("def composite(self) -> dict[str, float]"), "Weights of the terms of h that are not 0.")
        .def_prop_ro("method",
                     [](const AnyModel& self) { return self.look([](auto& m) { return m.method; }); })
        .def_prop_ro("feature_names",
                     [](const AnyModel& self) { return self.look([](auto& m) { return m.names; }); })
        .def_prop_ro("normalization",
                     [](const AnyModel& self) {
                         return self.look([](auto& m) { return std::string(to_text(m.scaling.kind)); });
                     })
        .def_prop_ro(
            "divisors",
            [](const AnyModel& self) {
                return self.look([](auto& m) { return to_numpy(m.scaling.divisors); });
            },
            nb::sig("def divisors(self) -> numpy.typing.NDArray[numpy.float64]"),
            "What features are divided by: one number each (columns), one (spectral), or none.")
        .def_prop_ro(
            "train_score",
            [](const AnyModel& self) { return self.look([](auto& m) { return scored(m.training); }); },
            "Rows and score of the training, where they are known.")
        .def("__repr__", [](const AnyModel& self) {
            return self.look([](const auto& m) {
                return "<alfcg.Model: " + m.loss.name + " over " + m.region.name + ", " +
                       std::to_string(m.weights.rows()) + " x " + std::to_string(m.weights.cols()) +
                       " weights>";
            });
        });
}

}  // namespace alfcg::python

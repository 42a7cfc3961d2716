#include "completion_model.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/fit/completion.hpp"
#include "alfcg/objective/loss.hpp"
#include "arrays.hpp"

namespace alfcg::python {

namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// All that a model holds, as pickle keeps it: factors, biases, names, mean and range, loss, how it was found.
using Parts =
    std::tuple<std::pair<nb::object, nb::object>, std::pair<Numbers, Numbers>, std::pair<Names, Names>,
               std::tuple<double, double, double>, std::pair<std::string, double>,
               std::tuple<double, double, std::string, bool, double>>;

Parts parts_of(const AnyCompletion& any) {
    return any.look([](const auto& model) {
        return Parts{{to_numpy(model.left), to_numpy(model.right)},
                     {model.row_biases, model.column_biases},
                     {model.rows, model.columns},
                     {model.mean, model.least, model.most},
                     {model.loss.name, model.loss.parameters.number("threshold").value_or(1)},
                     {model.radius, model.bias_penalty, model.method, model.refitted, model.penalty}};
    });
}

// Without a column where the rank is 0, which a Matrix may have and NumPy's empty arrays too.
template <class Real>
CompletionModel<Real> model_from(const Parts& parts) {
    const auto& [factors, biases, names, level, loss, found] = parts;
    CompletionModel<Real> model;
    model.left = matrix_from<Real>(factors.first, "left");
    model.right = matrix_from<Real>(factors.second, "right");
    if (model.left.cols() != model.right.cols())
        throw QuantityError("right", "must have as many columns as left");
    std::tie(model.row_biases, model.column_biases) = biases;
    const auto fits = [](std::size_t size, Index lines) {
        return size == 0 || size == static_cast<std::size_t>(lines);
    };
    if (model.row_biases.empty() != model.column_biases.empty() ||
        !fits(model.row_biases.size(), model.left.rows()) ||
        !fits(model.column_biases.size(), model.right.rows()))
        throw QuantityError("row_biases", "and column_biases must have a number for every row and column");
    std::tie(model.rows, model.columns) = names;
    if (!fits(model.rows.size(), model.left.rows()) || !fits(model.columns.size(), model.right.rows()))
        throw QuantityError("rows", "and columns must have a name for every row and column");
    std::tie(model.mean, model.least, model.most) = level;
    model.loss.name = loss_info(loss.first).name;
    if (loss.first == "huber") model.loss.parameters.set("threshold", loss.second);
    std::tie(model.radius, model.bias_penalty, model.method, model.refitted, model.penalty) = found;
    return model;
}

AnyCompletion any_completion_from(const Parts& parts) {
    const bool is_double =
        nb::cast<std::string>(nb::str(std::get<0>(parts).first.attr("dtype").attr("name"))) != "float32";
    return in_precision(is_double, [&]<class Real>(Real) { return AnyCompletion(model_from<Real>(parts)); });
}

nb::object predict_pairs(const AnyCompletion& any, const Places& rows, const Places& columns) {
    if (rows.size() != columns.size()) throw QuantityError("rows", "and columns must be as many");
    std::vector<double> found(rows.size());
    any.look([&](const auto& model) {
        const nb::gil_scoped_release released;
        for (std::size_t k = 0; k < found.size(); ++k) {
            const Index i = rows.data()[k];
            const Index j = columns.data()[k];
            if (i >= model.left.rows() || j >= model.right.rows())
                throw QuantityError("rows", "and columns must be positions in the matrix, or negative");
            found[k] = model.at(i, j);
        }
    });
    return to_numpy(std::move(found));
}

nb::tuple recommend_columns(const AnyCompletion& any, Index row, Index count,
                            const std::vector<Index>& without) {
    std::vector<Recommendation> best;
    any.look([&](const auto& model) {
        if (row >= model.left.rows())
            throw QuantityError("row", "must be a position in the matrix, or negative");
        const nb::gil_scoped_release released;
        best = recommend(model, row, count, without);
    });
    std::vector<Index> columns;
    std::vector<double> values;
    for (const Recommendation& one : best) {
        columns.push_back(one.column);
        values.push_back(one.value);
    }
    return nb::make_tuple(to_numpy(std::move(columns)), to_numpy(std::move(values)));
}

// Entries as `rows`, `columns` and `values`, of so many rows.
nb::object fold_in_rows(const AnyCompletion& any, const Codes& rows, const Codes& columns,
                        const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values,
                        Index count, std::optional<int> threads) {
    if (rows.size() != values.size() || columns.size() != values.size())
        throw QuantityError("rows", "columns and values must be as many");
    return any.look([&]<class Real>(const CompletionModel<Real>& model) {
        Matrix<Real> found;
        {
            const nb::gil_scoped_release released;
            const Shape shape{count, model.right.rows()};
            Triples<Real> triples;
            std::copy_n(rows.data(), rows.size(), triples.rows.extend(rows.size()));
            std::copy_n(columns.data(), columns.size(), triples.columns.extend(columns.size()));
            std::transform(values.data(), values.data() + values.size(), triples.values.extend(values.size()),
                           [](double value) { return static_cast<Real>(value); });
            for (std::size_t k = 0; k < rows.size(); ++k)
                if (rows.data()[k] < 0 || rows.data()[k] >= shape.rows || columns.data()[k] < 0 ||
                    columns.data()[k] >= shape.cols)
                    throw QuantityError("rows", "and columns must be positions in the matrix");
            found = fold_in(model, observations(shape, std::move(triples)), threads.value_or(0));
        }
        return to_numpy(std::move(found));
    });
}

std::string file_name(nb::handle path) {
    return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
}

}  // namespace

void bind_completion_model(nb::module_& module) {
    nb::class_<AnyCompletion> model(module, "CompletionModel",
                                    R"(A completed matrix, as the command line's programs write and read it.

Entry (i, j) is mean + row_biases[i] + column_biases[j] + left[i] · right[j], within the range of what was seen.
Made by `alfcg.load`, and by every fit of `alfcg.MatrixCompletion`.
)");
    const auto look = [&](const char* name, auto see, const char* type, const char* help) {
        const std::string signature = std::string("def ") + name + "(self) -> " + type;
        model.def_prop_ro(
            name, [see](const AnyCompletion& self) { return self.look(see); }, nb::sig(signature.c_str()),
            help);
    };
    model
        .def(
            "__init__",
            [](AnyCompletion* self, nb::handle left, nb::handle right, const Numbers& row_biases,
               const Numbers& column_biases, double mean, const std::pair<double, double>& range,
               const Names& rows, const Names& columns, const std::string& loss, double threshold,
               double radius, double bias_penalty, const std::string& method, bool refitted, double penalty) {
                new (self)
                    AnyCompletion(any_completion_from({{as_array(left, ""), as_array(right, "")},
                                                       {row_biases, column_biases},
                                                       {rows, columns},
                                                       {mean, range.first, range.second},
                                                       {loss, threshold},
                                                       {radius, bias_penalty, method, refitted, penalty}}));
            },
            nb::arg("left"), nb::arg("right"), nb::kw_only(), nb::arg("row_biases") = Numbers{},
            nb::arg("column_biases") = Numbers{}, nb::arg("mean") = 0.0,
            nb::arg("range") = std::pair<double, double>{0, 0}, nb::arg("rows") = Names{},
            nb::arg("columns") = Names{}, nb::arg("loss") = "squared", nb::arg("threshold") = 1.0,
            nb::arg("radius") = 0.0, nb::arg("bias_penalty") = 0.0, nb::arg("method") = "",
            nb::arg("refitted") = false, nb::arg("penalty") = 0.0,
            nb::sig(
                "def __init__(self, left: object, right: object, *, row_biases: "
                "collections.abc.Sequence[float] = ..., column_biases: collections.abc.Sequence[float] = "
                "..., "
                "mean: float = 0, range: tuple[float, float] = ..., rows: collections.abc.Sequence[str] = "
                "..., "
                "columns: collections.abc.Sequence[str] = ..., loss: str = 'squared', threshold: float = 1, "
                "radius: float = 0, bias_penalty: float = 0, method: str = '', refitted: bool = False, "
                "penalty: float = 0) -> None"))
        .def("__getstate__", parts_of, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](AnyCompletion& self, const Parts& parts) {
                new (&self) AnyCompletion(any_completion_from(parts));
            },
            nb::arg("parts"), nb::sig("def __setstate__(self, parts: tuple[typing.Any, ...]) -> None"))
        .def(
            "save",
            [](const AnyCompletion& self, nb::handle path) {
                const std::string name = file_name(path);
                const nb::gil_scoped_release released;
                self.look([&](const auto& some) { save_completion(some, name); });
            },
            nb::arg("path"), "Write the model as an .npz archive, whole or not at all.")
        .def_static(
            "load",
            [](nb::handle path) {
                const std::string name = file_name(path);
                const nb::gil_scoped_release released;
                return in_precision(completion_is_double(name), [&]<class Real>(Real) {
                    return AnyCompletion(load_completion<Real>(name));
                });
            },
            nb::arg("path"), "Read a model; a damaged or foreign file is a ValueError.")
        .def_static(
            "is_in", [](nb::handle path) { return is_completion(file_name(path)); }, nb::arg("path"),
            "Whether a file of alfcg holds such a model.")
        .def("predict", predict_pairs, nb::arg("rows"), nb::arg("columns"),
             nb::sig("def predict(self, rows: numpy.typing.NDArray[numpy.int64], columns: "
                     "numpy.typing.NDArray[numpy.int64]) -> numpy.typing.NDArray[numpy.float64]"),
             "Entries at pairs of positions; negative ones are unknown and have no say.")
        .def("fold_in", fold_in_rows, nb::arg("rows"), nb::arg("columns"), nb::arg("values"),
             nb::arg("count"), nb::arg("threads").none() = nb::none(),
             nb::sig("def fold_in(self, rows: numpy.typing.NDArray[numpy.int32], columns: "
                     "numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], count: "
                     "int, threads: int | None = None) -> numpy.typing.NDArray[numpy.floating]"),
             "Factors of rows, from some of their entries, while the columns stay.")
        .def("recommend", recommend_columns, nb::arg("row"), nb::arg("count"),
             nb::arg("without") = std::vector<Index>{},
             nb::sig(
                 "def recommend(self, row: int, count: int, without: collections.abc.Sequence[int] = ...) -> "
                 "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]"),
             "Positions and values of the largest entries of a row, but for those listed (increasing).")
        .def("__repr__", [](const AnyCompletion& self) {
            return self.look([](const auto& m) {
                return "<alfcg.CompletionModel: " + std::to_string(m.left.rows()) + " x " +
                       std::to_string(m.right.rows()) + " of rank " + std::to_string(m.rank()) + ", " +
                       m.loss.name + ">";
            });
        });
    const char* matrix = "numpy.typing.NDArray[numpy.floating]";
    const char* numbers = "numpy.typing.NDArray[numpy.float64]";
    look(
        "left", [](auto& m) { return to_numpy(m.left); }, matrix, "Factors of the rows, rows x rank.");
    look(
        "right", [](auto& m) { return to_numpy(m.right); }, matrix,
        "Factors of the columns, columns x rank.");
    look(
        "row_biases", [](auto& m) { return to_numpy(m.row_biases); }, numbers, "Empty where there are none.");
    look(
        "column_biases", [](auto& m) { return to_numpy(m.column_biases); }, numbers, "The same of columns.");
    look(
        "mean", [](auto& m) { return m.mean; }, "float", "What all entries have in common, beside biases.");
    look(
        "range", [](auto& m) { return std::pair(m.least, m.most); }, "tuple[float, float]",
        "Of the values that were seen; no bounds where both are 0.");
    look(
        "rows", [](auto& m) { return m.rows; }, "list[str]", "Their names, where they have some.");
    look(
        "columns", [](auto& m) { return m.columns; }, "list[str]", "Their names, where they have some.");
    look(
        "shape", [](auto& m) { return std::pair(m.left.rows(), m.right.rows()); }, "tuple[int, int]",
        "Its size.");
    look(
        "loss", [](auto& m) { return m.loss.name; }, "str", "That it was fitted with.");
    look(
        "threshold", [](auto& m) { return m.loss.parameters.number("threshold").value_or(1); }, "float",
        "Of the Huber loss.");
    look(
        "radius", [](auto& m) { return m.radius; }, "float", "Of the nuclear ball.");
    look(
        "bias_penalty", [](auto& m) { return m.bias_penalty; }, "float", "In observations that say 0.");
    look(
        "penalty", [](auto& m) { return m.penalty; }, "float",
        "For which rows are best while columns stay; 0: not known.");
    look(
        "method", [](auto& m) { return m.method; }, "str", "That it was found with.");
    look(
        "refitted", [](auto& m) { return m.refitted; }, "bool",
        "Whether sweeps of least squares came after.");
}

}  // namespace alfcg::python

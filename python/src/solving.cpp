#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/region/spec.hpp"
#include "arrays.hpp"
#include "fitting.hpp"
#include "module.hpp"
#include "settings.hpp"
#include "watching.hpp"

namespace alfcg::python {

namespace {

/// The caller's functions, which see arrays of the shape that x has for them. The library calls them without the
/// interpreter lock.
template <class Real>
class Translator {
  public:
    explicit Translator(std::vector<Index> shape) : shape_(std::move(shape)) {}

    /// A copy, since the callee may keep it.
    [[nodiscard]] nb::object array(std::span<const Real> entries) const {
        return to_numpy(std::vector<Real>(entries.begin(), entries.end())).attr("reshape")(nb::cast(shape_));
    }

    void write(nb::handle found, std::span<Real> entries, const char* what) const {
        const nb::object array = as_array(found, sizeof(Real) == sizeof(double) ? "float64" : "float32");
        if (nb::cast<std::vector<Index>>(array.attr("shape")) != shape_)
            throw nb::value_error((std::string(what) + " must have the shape " +
                                   nb::cast<std::string>(nb::repr(nb::tuple(nb::cast(shape_)))) + ", not " +
                                   nb::cast<std::string>(nb::repr(array.attr("shape"))))
                                      .c_str());
        const auto view = nb::cast<nb::ndarray<const Real, nb::c_contig, nb::device::cpu>>(array);
        std::copy_n(view.data(), view.size(), entries.begin());
    }

    /// What an objective has returned: writes the gradient, returns the value.
    double take(const nb::object& answer, std::span<Real> gradient) const {
        if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2)
            throw nb::type_error("the objective must return a tuple of two: the value and the gradient");
        write(answer[1], gradient, "the gradient");
        const double value = number(answer[0], "the objective's value");
        if (std::isnan(value)) throw Error("the objective's value is not a number");
        if (!std::all_of(gradient.begin(), gradient.end(), [](Real entry) { return std::isfinite(entry); }))
            throw Error("the objective's gradient has an entry that is not a finite number");
        return value;
    }

    [[nodiscard]] static double number(const nb::object& answer, const char* what) {
        double value = 0;
        if (!nb::try_cast(answer.attr("__float__")(), value))
            throw nb::type_error((std::string(what) + " must be a number").c_str());
        return value;
    }

  private:
    std::vector<Index> shape_;
};

// A Python function that may be copied and dropped without the interpreter lock, and called with it.
class Held {
  public:
    explicit Held(nb::object function)
        : function_(new nb::object(std::move(function)), [](nb::object* it) {
              const nb::gil_scoped_acquire lock;
              delete it;
          }) {}
    template <class... Arguments>
    nb::object operator()(Arguments&&... arguments) const {
        return (*function_)(std::forward<Arguments>(arguments)...);
    }
    [[nodiscard]] const nb::object& get() const { return *function_; }

  private:
    std::shared_ptr<nb::object> function_;
};

template <class Real>
std::unique_ptr<Objective<Real>> objective_from(Shape shape, const Held& function, nb::handle samples,
                                                const Translator<Real>& translator, Watch& watch) {
    if (samples.is_none())
        return custom_objective<Real>(shape, [=, &watch](std::span<const Real> x, std::span<Real> gradient) {
            return watch.answered([&] { return translator.take(function(translator.array(x)), gradient); });
        });
    return custom_sum<Real>(
        shape, nb::cast<Index>(samples),
        [=, &watch](std::span<const Index> rows, std::span<const Real> x, std::span<Real> gradient) {
            return watch.answered([&] {
                return translator.take(
                    function(to_numpy(std::vector<Index>(rows.begin(), rows.end())), translator.array(x)),
                    gradient);
            });
        });
}

// A region of the caller: an object with oracle and diameter, and perhaps composite, violation, start, proximal.
template <class Real>
std::unique_ptr<Region<Real>> region_from(nb::handle own, const Translator<Real>& translator, Watch& watch) {
    const auto function = [&](const char* name) { return nb::getattr(own, name, nb::none()); };
    CustomRegion<Real> custom;
    custom.diameter = nb::cast<double>(own.attr("diameter"));
    custom.name = nb::cast<std::string>(nb::str(own.attr("name")));
    custom.oracle = [&watch, translator, oracle = Held(function("oracle"))](auto gradient, auto vertex) {
        watch.answered(
            [&] { translator.write(oracle(translator.array(gradient)), vertex, "the oracle's answer"); });
    };
    const auto measure = [&](const char* name) -> std::function<double(std::span<const Real>)> {
        const nb::object found = function(name);
        if (found.is_none()) return {};
        return [&watch, translator, found = Held(found), name](std::span<const Real> x) {
            return watch.answered([&] { return Translator<Real>::number(found(translator.array(x)), name); });
        };
    };
    custom.composite = measure("composite");
    custom.violation = measure("violation");
    if (const nb::object start = function("start"); !start.is_none())
        custom.start = [&watch, translator, start = Held(start)](std::span<Real> x) {
            watch.answered([&] {
                translator.write(PyCallable_Check(start.get().ptr()) != 0 ? start() : start.get(), x,
                                 "the start");
            });
        };
    if (const nb::object proximal = function("proximal"); !proximal.is_none())
        custom.proximal = [&watch, translator, proximal = Held(proximal)](auto point, double weight,
                                                                          auto nearest) {
            watch.answered([&] {
                translator.write(proximal(translator.array(point), weight), nearest, "the proximal point");
            });
        };
    return custom_region(std::move(custom));
}

// A vector is a matrix of one row.
Shape shape_from(const std::vector<Index>& shape) {
    if (shape.empty() || shape.size() > 2 ||
        std::any_of(shape.begin(), shape.end(), [](Index n) { return n < 1; }))
        throw QuantityError("shape", "must have one or two dimensions, each at least 1");
    return shape.size() == 1 ? Shape{1, shape[0]} : Shape{shape[0], shape[1]};
}

template <class Real>
nb::dict result_of(Solution<Real> solution, const Watch& watch, const std::vector<Index>& shape,
                   const std::string& region) {
    nb::dict result;
    result["x"] = to_numpy(std::move(solution.x)).attr("reshape")(nb::cast(shape));
    result["objective"] = solution.metrics.objective;
    result["gap"] = solution.metrics.gap;
    result["gap_exact"] = solution.metrics.gap_exact;
    result["status"] = std::string(to_text(solution.status));
    result["interrupted"] = watch.interrupted();
    result["stopped"] = watch.stopped();
    result["iterations"] = solution.iterations;
    result["epochs"] = solution.epochs;
    result["seconds"] = solution.seconds.method();
    result["method"] = solution.method;
    result["parameters"] = to_dict(solution.parameters);
    result["region"] = region;
    result["history"] = watch.history().to_dict();
    return result;
}

nb::dict solve_from(const nb::object& function, nb::handle samples, const std::vector<Index>& shape,
                    bool is_double, nb::handle own_region, const nb::kwargs& given) {
    const Settings settings("solve", given);
    return in_precision(is_double, [&]<class Real>(Real) {
        const Translator<Real> translator(shape);
        const Shape matrix = shape_from(shape);
        Watch watch(settings.observer, history_of(settings), shape);
        const auto objective = objective_from<Real>(matrix, Held(function), samples, translator, watch);
        const auto region = own_region.is_none() ? make_region<Real>(settings.specification.region,
                                                                     {settings.specification.threads})
                                                 : region_from<Real>(own_region, translator, watch);
        std::optional<Matrix<Real>> start;
        if (!settings.start.is_none()) {
            start.emplace(matrix);
            translator.write(settings.start, start->span(), "x0");
        }
        Solution<Real> solution;
        {
            const nb::gil_scoped_release released;
            solution = solve<Real>(*objective, *region, settings.with_checkpoints(watch),
                                   watch.observer<Real>(), start ? &*start : nullptr);
        }
        watch.finish();
        return result_of(std::move(solution), watch, shape, settings.shown(region->describe()));
    });
}

nb::object ask_oracle(nb::handle gradient, const nb::kwargs& given) {
    const Settings settings("oracle", given);
    const nb::object array = as_array(gradient, "");
    return in_precision(!array.attr("dtype").equal(nb::str("float32")), [&]<class Real>(Real) {
        const Matrix<Real> g = matrix_from<Real>(array, "gradient");
        const auto region = make_region<Real>(settings.specification.region,
                                              {settings.specification.threads, settings.feature_names});
        region->check(g.shape());
        Vertex<Real> vertex;
        {
            const nb::gil_scoped_release released;
            region->minimize(g, 0, false, vertex);
        }
        return to_numpy(vertex.to_matrix());
    });
}

}  // namespace

void bind_solving(nb::module_& module) {
    module.def(
        "solve", solve_from, nb::arg("function"), nb::arg("samples").none(), nb::arg("shape"),
        nb::arg("is_double"), nb::arg("own_region").none(), nb::arg("options"),
        nb::sig("def solve(function: object, samples: int | None, shape: collections.abc.Sequence[int], "
                "is_double: bool, own_region: object, **options: typing.Any) -> dict[str, typing.Any]"),
        "One run on a function of the caller; see alfcg.solve.");
    module.def("oracle", ask_oracle, nb::arg("gradient"), nb::arg("options"),
               nb::sig("def oracle(gradient: object, **options: typing.Any) -> "
                       "numpy.typing.NDArray[numpy.floating]"),
               "A point of a region that minimises <gradient, v> + h(v); both are matrices.");
}

}  // namespace alfcg::python

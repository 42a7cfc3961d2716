#include "watching.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alfcg::python {

namespace {

// Between two looks for signals: they need the interpreter lock, which other threads may hold for some milliseconds.
constexpr std::chrono::milliseconds between_looks{10};

bool on_main_thread() {
    const nb::module_ threading = nb::module_::import_("threading");
    return threading.attr("main_thread")().attr("ident").equal(threading.attr("get_ident")());
}

}  // namespace

nb::object Iteration::words() const {
    return std::visit(
        [](const auto* now) -> nb::object {
            if (now == nullptr) return nb::str("<alfcg.Iteration, over>");
            if (!now->metrics_free()) return nb::str("<alfcg.Iteration {}>").format(now->iteration);
            const Metrics& metrics = now->metrics();
            return nb::str("<alfcg.Iteration {}: objective {:.6g}, gap {:.3g}>")
                .format(now->iteration, metrics.objective, metrics.gap);
        },
        now_);
}

nb::object Iteration::x() const {
    return look([&]<class Real>(const Snapshot<Real>& now) {
        nb::object copy = to_numpy(now.x());
        if (!shape_.empty()) copy = copy.attr("reshape")(nb::cast(shape_));
        copy.attr("setflags")(nb::arg("write") = false);
        return copy;
    });
}

nb::object Iteration::factors() const {
    return look([&]<class Real>(const Snapshot<Real>& now) -> nb::object {
        const auto* x = now.iterate().factors();
        if (x == nullptr) return nb::none();
        const Index width = x->width();
        Matrix<Real> left(x->shape().rows, width);
        Matrix<Real> right(x->shape().cols, width);
        for (Index i = 0; i < left.rows(); ++i)
            for (Index k = 0; k < width; ++k) {
                double sum = 0;
                for (Index l = 0; l < width; ++l) sum += static_cast<double>(x->left(i)[l]) * x->core(l, k);
                left(i, k) = static_cast<Real>(sum);
            }
        for (Index j = 0; j < right.rows(); ++j) std::copy_n(x->right(j), width, right.data() + j * width);
        return nb::make_tuple(to_numpy(std::move(left)), to_numpy(std::move(right)));
    });
}

void History::add(const TraceRow& row) {
    rows_.push_back(row);
    if (rows_.size() <= 2 * points_) return;
    stride_ *= 2;
    std::erase_if(rows_, [&](const TraceRow& kept) { return kept.iteration % stride_ != 0; });
}

void History::archive(Archive& state) {
    state.visit_count(rows_);
    for (TraceRow& row : rows_)
        state(row.iteration, row.epochs, row.seconds, row.objective, row.gap, row.step, row.curvature,
              row.alpha, row.error);
    state(stride_);
}

nb::dict columns_of(const std::vector<TraceRow>& rows) {
    nb::dict columns;
    const auto column = [&](const char* name, auto value) {
        std::vector<decltype(value(rows.front()))> entries;
        entries.reserve(rows.size());
        for (const TraceRow& row : rows) entries.push_back(value(row));
        columns[name] = to_numpy(std::move(entries));
    };
    const auto optional = [&](const char* name, std::optional<double> TraceRow::*member) {
        column(name, [=](const TraceRow& row) {
            return (row.*member).value_or(std::numeric_limits<double>::quiet_NaN());
        });
    };
    column("iteration", [](const TraceRow& row) { return row.iteration; });
    column("epochs", [](const TraceRow& row) { return row.epochs; });
    column("seconds", [](const TraceRow& row) { return row.seconds; });
    column("objective", [](const TraceRow& row) { return row.objective; });
    column("gap", [](const TraceRow& row) { return row.gap; });
    optional("step", &TraceRow::step);
    optional("curvature", &TraceRow::curvature);
    optional("alpha", &TraceRow::alpha);
    optional("error", &TraceRow::error);
    return columns;
}

Watch::Watch(nb::object callback, History history, std::vector<Index> shape)
    : callback_(std::move(callback)),
      history_(std::move(history)),
      shape_(std::move(shape)),
      main_thread_(on_main_thread()),
      next_(Clock::now() + between_looks) {
    if (!callback_.is_none() && PyCallable_Check(callback_.ptr()) == 0)
        throw nb::type_error("a callback must be callable");
}

void Watch::call(Iteration iteration) {
    interruptible([&] {
        nb::object shown = nb::cast(std::move(iteration));
        try {
            const nb::object answer = callback_(shown);
            const int stop = answer.is_none() ? 0 : PyObject_IsTrue(answer.ptr());
            if (stop < 0) throw nb::python_error();
            if (stop > 0) stopped_ = true;
        } catch (...) {
            nb::cast<Iteration&>(shown).close();
            throw;
        }
        nb::cast<Iteration&>(shown).close();
    });
}

void Watch::check_signals() {
    const nb::gil_scoped_acquire lock;
    next_ = Clock::now() + between_looks;
    if (PyErr_CheckSignals() == 0) return;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) throw nb::python_error();
    PyErr_Clear();
    interrupted_ = true;
}

void Watch::finish() {
    if (main_thread_ && !interrupted_) check_signals();
}

bool Watch::asked_to_stop() {
    if (!interrupted_ && std::this_thread::get_id() == caller_ && due()) check_signals();
    return interrupted_;
}

void bind_watching(nb::module_& module) {
    nb::class_<Iteration>(module, "Iteration",
                          "What a callback sees of an iterate x_t. It can be looked at only while the "
                          "callback runs.")
        .def_prop_ro(
            "iteration", [](const Iteration& it) { return it.look([](auto& s) { return s.iteration; }); },
            "t, from 0.")
        .def_prop_ro(
            "epochs", [](const Iteration& it) { return it.look([](auto& s) { return s.epochs; }); },
            "Component gradients so far over the number of rows.")
        .def_prop_ro(
            "seconds", [](const Iteration& it) { return it.look([](auto& s) { return s.seconds; }); },
            "The method's own time so far.")
        .def_prop_ro(
            "last", [](const Iteration& it) { return it.look([](auto& s) { return s.last; }); },
            "Whether it is the last iterate, from which no step is taken.")
        .def_prop_ro(
            "step", [](const Iteration& it) { return it.look([](auto& s) { return s.step; }); },
            "Length of the step that is about to be taken, from 0 to 1.")
        .def_prop_ro(
            "estimated_gap",
            [](const Iteration& it) { return it.look([](auto& s) { return s.estimated_gap; }); },
            "The gap as the method sees it, at no cost.")
        .def_prop_ro(
            "curvature", [](const Iteration& it) { return it.look([](auto& s) { return s.curvature; }); },
            "Curvature that the method reckons with, where it has one.")
        .def_prop_ro(
            "alpha", [](const Iteration& it) { return it.look([](auto& s) { return s.alpha; }); },
            "Weight of the newest gradient, where the method has one.")
        .def_prop_ro(
            "metrics_free",
            [](const Iteration& it) { return it.look([](auto& s) { return s.metrics_free(); }); },
            "Whether objective and gap are at hand; else the first look costs a pass over the data.")
        .def_prop_ro(
            "objective",
            [](const Iteration& it) { return it.look([](auto& s) { return s.metrics().objective; }); },
            "F(x_t) on all rows.")
        .def_prop_ro(
            "gap", [](const Iteration& it) { return it.look([](auto& s) { return s.metrics().gap; }); },
            "Frank-Wolfe gap on all rows: F(x_t) is at most so far above the minimum of a convex F.")
        .def_prop_ro(
            "gap_exact",
            [](const Iteration& it) { return it.look([](auto& s) { return s.metrics().gap_exact; }); },
            "Whether the gap is exact, or a proven upper bound.")
        .def("__repr__", &Iteration::words, nb::sig("def __repr__(self) -> str"))
        .def_prop_ro("x", &Iteration::x, nb::sig("def x(self) -> numpy.typing.NDArray[numpy.floating]"),
                     "A read-only copy of the iterate; of a matrix that is completed, all entries.")
        .def_prop_ro("factors", &Iteration::factors,
                     nb::sig("def factors(self) -> tuple[numpy.typing.NDArray[numpy.floating], "
                             "numpy.typing.NDArray[numpy.floating]] | None"),
                     "Where x is kept as factors: left and right, with x = left @ right.T.")
        .def_prop_ro(
            "intercept",
            [](const Iteration& it) { return to_numpy(it.look([](auto& s) { return s.intercept(); })); },
            nb::sig("def intercept(self) -> numpy.typing.NDArray[numpy.float64]"),
            "The best intercepts at x_t, one per output; empty where there are none.");
}

}  // namespace alfcg::python

#include "module.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/core/version.hpp"
#include "fitting.hpp"
#include "model.hpp"
#include "settings.hpp"
#include "watching.hpp"

namespace alfcg::python {

namespace {

// Bad input is a ValueError; quantities have the names that they have here.
void translate(const std::exception_ptr& thrown, void* /*payload*/) {
    try {
        std::rethrow_exception(thrown);
    } catch (const QuantityError& error) {
        const std::string text = python_name(error.quantity()) + " " + with_python_names(error.complaint());
        PyErr_SetString(PyExc_ValueError, text.c_str());
    } catch (const Error& error) {
        PyErr_SetString(PyExc_ValueError, with_python_names(error.what()).c_str());
    }
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The compiled part of alfcg: use the package alfcg instead.";
    module.attr("version") = std::string(version());
    nb::register_exception_translator(translate);
    module.def(
        "resolve_threads", resolve_thread_count, nb::arg("threads").none(),
        nb::sig("def resolve_threads(threads: int | None) -> int"),
        "Threads that a call would use: None is OMP_NUM_THREADS, or all cores; -1 all, -2 all but one.");
    bind_catalogue(module);
    bind_watching(module);
    bind_model(module);
    bind_fitting(module);
    bind_paths(module);
    bind_solving(module);
    bind_comparing(module);
    bind_completing(module);
    bind_reading(module);
}

}  // namespace alfcg::python

#pragma once

#include <nanobind/nanobind.h>

/// The parts of the extension module alfcg._core, one file each.
namespace alfcg::python {

namespace nb = nanobind;

void bind_catalogue(nb::module_& module);
void bind_paths(nb::module_& module);
void bind_solving(nb::module_& module);
void bind_comparing(nb::module_& module);
void bind_completing(nb::module_& module);
void bind_reading(nb::module_& module);

}  // namespace alfcg::python

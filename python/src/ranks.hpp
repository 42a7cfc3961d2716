#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "alfcg/core/ranks.hpp"

namespace alfcg::python {

namespace nb = nanobind;

/// The processes of a communicator of mpi4py, whatever MPI that was built with: it is called by its methods' names. None where `comm` is None.
std::unique_ptr<Ranks> ranks_of(const nb::object& comm);

}  // namespace alfcg::python

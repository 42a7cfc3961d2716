#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "alfcg/fit/fit.hpp"
#include "arrays.hpp"
#include "settings.hpp"
#include "watching.hpp"

namespace alfcg::python {

/// What becomes of a fit, as Python sees it.
struct Fit {
    Report report;
    LossSpec loss;
    RegionSpec region;
    std::string region_text;
    bool interrupted = false;  // by Ctrl-C
    bool stopped = false;      // by the callback
    nb::object coef;
    nb::object intercept;
    nb::object class_codes;
    nb::object history;
    nb::object model;
};

/// The rows of a call, read and checked. The caller's arrays stay with `borrowed`.
template <class Real>
Dataset<Real> dataset_from(Borrowed& borrowed, nb::handle y, Settings& settings);

/// What is to be kept of a run's course.
inline History history_of(const Settings& settings) {
    return {settings.any_history ? settings.history_points : 0, settings.full_history};
}

void bind_fitting(nb::module_& module);

/// A problem from the caller's data: what all fits have in common. To be called with the interpreter lock, which is let go.
template <class Real>
Problem<Real> problem_from(Borrowed& borrowed, nb::handle y, Settings& settings);

/// The result of a run on a problem.
template <class Real>
Fit to_fit(Fitted<Real> fitted, const Problem<Real>& problem, const Settings& settings, const Watch& watch);

}  // namespace alfcg::python

#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <vector>

#include "alfcg/fit/path.hpp"

namespace alfcg::python {

namespace nb = nanobind;

class Watch;

/// What a call says beyond its data: a Specification, and what only Python has.
struct Settings {
    Specification specification;
    nb::object classes;  // labels of the codes in y; none: y holds the labels
    nb::object class_weight;
    nb::object sample_weight;
    nb::object start;
    nb::object observer;
    std::vector<std::string> feature_names;
    std::string name = "data";
    std::map<std::string, std::string>
        said;  // instead of the names of files that stand for a caller's arrays
    std::string checkpoint;
    double checkpoint_every = Checkpoints{}.every;
    std::string resume;
    nb::object comm;  // of mpi4py; none: one process
    bool full_history = false;
    bool any_history = true;
    std::size_t history_points = 200;

    // Of paths.
    PathOptions path;
    nb::object point;  // called with every radius

    // Of comparisons.
    std::string methods = "all";
    int seeds = 1;

    /// Takes keywords by name. Throws TypeError for one that does not exist, and for a value of the wrong type.
    Settings(const char* function, const nb::kwargs& given);

    /// Where the state of a run is kept, as asked for; `watch` looks at it, and what it has seen goes along.
    [[nodiscard]] Options with_checkpoints(Watch& watch) const;

    /// A text, or parameters, without the names of such files.
    [[nodiscard]] std::string shown(std::string text) const;
    [[nodiscard]] Parameters shown(const Parameters& parameters) const;
};

/// Named values from a dictionary; those that are None are left out.
Parameters parameters_from(nb::handle dictionary, const char* name);
nb::dict to_dict(const Parameters& parameters);

/// Threads to use: None is OMP_NUM_THREADS, or all cores that the process may use; −1 is all of them, −2 all but one, …
int resolve_thread_count(nb::handle threads);

/// A quantity of the library by the name it has here: "max-epochs" is max_epochs.
std::string python_name(const std::string& quantity);
/// The same for all quantities between backticks.
std::string with_python_names(const std::string& text);

}  // namespace alfcg::python

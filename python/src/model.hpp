#pragma once

#include <nanobind/nanobind.h>

#include <utility>
#include <variant>

#include "alfcg/model/model.hpp"

namespace alfcg::python {

namespace nb = nanobind;

/// A model of either precision.
struct AnyModel {
    std::variant<Model<float>, Model<double>> model;

    AnyModel(Model<float> some) : model(std::move(some)) {}   // NOLINT(google-explicit-constructor)
    AnyModel(Model<double> some) : model(std::move(some)) {}  // NOLINT(google-explicit-constructor)

    template <class See>
    auto look(See see) const {
        return std::visit(see, model);
    }
};

/// Labels of classes, numbers or texts, in increasing order.
Classes classes_from(nb::handle labels);
nb::list to_list(const Classes& classes);

void bind_model(nb::module_& module);

}  // namespace alfcg::python

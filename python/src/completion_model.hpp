#pragma once

#include <nanobind/nanobind.h>

#include <utility>
#include <variant>

#include "alfcg/model/completion.hpp"

namespace alfcg::python {

namespace nb = nanobind;

/// A completed matrix in either precision.
class AnyCompletion {
  public:
    template <class Real>
    explicit AnyCompletion(CompletionModel<Real> model) : model_(std::move(model)) {}

    template <class See>
    decltype(auto) look(See see) const {
        return std::visit(see, model_);
    }

  private:
    std::variant<CompletionModel<float>, CompletionModel<double>> model_;
};

void bind_completion_model(nb::module_& module);

}  // namespace alfcg::python

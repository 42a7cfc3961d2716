#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "alfcg/method/catalogue.hpp"
#include "alfcg/objective/loss.hpp"
#include "alfcg/region/spec.hpp"
#include "module.hpp"
#include "settings.hpp"

namespace alfcg::python {

namespace {

nb::object default_of(const Default& fallback) {
    switch (fallback.kind) {
        case Default::Kind::number:
            return nb::cast(fallback.number);
        case Default::Kind::needed:
            return nb::none();
        case Default::Kind::word:
            return fallback.word.empty() ? nb::none() : nb::cast(fallback.word);
        default:
            return nb::cast(fallback.text());
    }
}

nb::list parameters_of(const std::vector<Parameter>& parameters) {
    nb::list list;
    for (const Parameter& parameter : parameters) {
        nb::dict row;
        row["name"] = python_name(std::string(parameter.info.name));
        row["meaning"] = parameter.info.meaning;
        row["least"] = parameter.info.least;
        row["most"] = parameter.info.most;
        row["open"] = parameter.info.open;
        row["whole"] = parameter.info.whole;
        row["words"] = parameter.info.words;
        row["text"] = parameter.info.text;
        row["default"] = default_of(parameter.fallback);
        list.append(row);
    }
    return list;
}

nb::list list_methods() {
    nb::list list;
    for (const MethodInfo& info : methods()) {
        nb::dict row;
        row["name"] = info.name;
        row["setting"] = info.setting;
        row["estimator"] = info.estimator;
        row["step"] = info.step;
        row["reference"] = info.reference;
        row["parameters"] = parameters_of(info.parameters);
        list.append(row);
    }
    return list;
}

nb::list list_regions() {
    nb::list list;
    for (const RegionInfo& info : regions()) {
        nb::dict row;
        row["name"] = info.name;
        row["family"] = info.family;
        row["description"] = info.description;
        row["parameters"] = parameters_of(info.parameters);
        row["terms"] = nb::cast(info.terms);
        list.append(row);
    }
    return list;
}

const char* name_of(TargetKind kind) {
    switch (kind) {
        case TargetKind::classes:
            return "classes";
        case TargetKind::two_classes:
            return "two-classes";
        default:
            return "numbers";
    }
}

nb::list list_losses() {
    nb::list list;
    for (const LossInfo& info : losses()) {
        nb::dict row;
        row["name"] = info.name;
        row["description"] = info.description;
        row["target"] = name_of(info.target);
        row["convex"] = info.convex;
        row["parameters"] = parameters_of(info.parameters);
        list.append(row);
    }
    return list;
}

}  // namespace

void bind_catalogue(nb::module_& module) {
    module.def("methods", list_methods, nb::sig("def methods() -> list[dict[str, typing.Any]]"),
               "The table of methods: name, setting, where gradient and step come from, parameters.");
    module.def(
        "regions", list_regions, nb::sig("def regions() -> list[dict[str, typing.Any]]"),
        "The table of regions: name, family, description, parameters, terms of h that the oracle takes.");
    module.def("losses", list_losses, nb::sig("def losses() -> list[dict[str, typing.Any]]"),
               "The table of losses: name, description, what it takes for targets, parameters.");
}

}  // namespace alfcg::python

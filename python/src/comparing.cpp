#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "fitting.hpp"
#include "module.hpp"
#include "report/compare_methods.hpp"
#include "report/json_text.hpp"

namespace alfcg::python {

namespace {

nb::dict compare_from(nb::handle x, nb::handle y, const std::string& output, const std::string& command,
                      const nb::kwargs& given) {
    Settings settings("compare", given);
    ComparisonPlan plan;
    plan.methods = settings.methods;
    plan.seeds = settings.seeds;
    plan.budget = std::exchange(settings.specification.options, Specification::default_options());
    plan.parameters = std::exchange(plan.budget.parameters, {});
    settings.specification.options.seed = plan.budget.seed;
    plan.verify();
    Borrowed borrowed(x);
    return in_precision(borrowed.is_double(), [&]<class Real>(Real) {
        Problem<Real> problem = problem_from<Real>(borrowed, y, settings);
        problem.region_text = settings.shown(std::move(problem.region_text));
        Watch watch(settings.observer, {0, false});
        Comparison comparison;
        std::string page;
        {
            const nb::gil_scoped_release released;
            ComparisonObserver observer;
            observer.stop = [&] { return watch.asked_to_stop(); };
            if (!settings.point.is_none())
                observer.before_run = [&](std::size_t done, std::size_t planned, const std::string& next) {
                    watch.interruptible([&] { settings.point(done, planned, next); });
                };
            comparison = compare_methods(problem, plan, observer);
            if (!output.empty() && !comparison.runs.empty())
                page = write_comparison(output,
                                        {settings.name, settings.name, command,
                                         std::string(to_text(settings.specification.normalization)),
                                         borrowed.is_double() ? "f64" : "f32"},
                                        problem, comparison);
        }
        watch.finish();
        nb::list courses;
        for (const RunRecord& run : comparison.runs) courses.append(columns_of(run.trace));
        nb::dict result;
        result["courses"] = courses;
        result["summary"] = comparison.runs.empty() ? "{}" : json_text(summary_of(command, comparison));
        result["interrupted"] = comparison.stopped || watch.interrupted();
        result["page"] = page;
        return result;
    });
}

}  // namespace

void bind_comparing(nb::module_& module) {
    module.def("compare", compare_from, nb::arg("X"), nb::arg("y"), nb::arg("output"), nb::arg("command"),
               nb::arg("options"),
               nb::sig("def compare(X: object, y: object, output: str, command: str, **options: typing.Any) "
                       "-> dict[str, typing.Any]"),
               "Methods side by side on one problem; see alfcg.compare.");
}

}  // namespace alfcg::python

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <utility>

#include "fitting.hpp"
#include "module.hpp"
#include "report/compare_methods.hpp"

namespace alfcg::python {

namespace {

void add_learned(nb::dict& row, const std::optional<Learned>& learned) {
    if (!learned) return;
    row[learned->measure()] = learned->training;
    if (learned->held_out) row[(std::string("hold_out_") + learned->measure()).c_str()] = *learned->held_out;
    if (learned->rank) row["rank"] = *learned->rank;
    row["nonzeros"] = learned->nonzeros;
}

nb::list ranking_of(const Comparison& comparison) {
    nb::list rows;
    for (const Ranked& entry : rank_runs(comparison.runs)) {
        nb::dict row;
        row["method"] = entry.method;
        row["setting"] = entry.setting;
        row["runs"] = entry.runs;
        row["objective"] = entry.objective;
        row["objective_spread"] = entry.spread;
        row["gap"] = entry.gap;
        row["iterations"] = entry.iterations;
        row["epochs"] = entry.epochs;
        row["seconds"] = entry.seconds;
        if (entry.rho) row["rho"] = *entry.rho;
        add_learned(row, entry.learned);
        rows.append(row);
    }
    return rows;
}

nb::list runs_of(const Comparison& comparison) {
    nb::list rows;
    for (const RunRecord& run : comparison.runs) {
        nb::dict row;
        row["method"] = run.method;
        row["seed"] = run.seed;
        row["status"] = run.status;
        row["objective"] = run.last().objective;
        row["gap"] = run.last().gap;
        add_learned(row, run.learned);
        row["history"] = columns_of(run.trace);
        rows.append(row);
    }
    return rows;
}

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
        Watch watch(settings.observer, {0, false});
        Comparison comparison;
        std::string page;
        {
            const nb::gil_scoped_release released;
            ComparisonObserver observer;
            observer.stop = [&] { return watch.asked_to_stop(); };
            if (!settings.point.is_none())
                observer.before_run = [&](std::size_t done, std::size_t planned, const std::string& next) {
                    const nb::gil_scoped_acquire lock;
                    settings.point(done, planned, next);
                };
            comparison = compare_methods(problem, plan, observer);
            if (!output.empty() && !comparison.runs.empty())
                page = write_comparison(output,
                                        {settings.name, settings.name, command,
                                         std::string(to_text(settings.specification.normalization)),
                                         borrowed.is_double() ? "f64" : "f32"},
                                        problem, comparison);
        }
        nb::dict result;
        result["ranking"] = ranking_of(comparison);
        result["runs"] = runs_of(comparison);
        result["left_out"] = nb::cast(comparison.left_out);
        result["interrupted"] = comparison.stopped;
        result["best_objective"] = comparison.runs.empty() ? std::nan("") : best_objective(comparison.runs);
        result["page"] = page;
        result["region"] = problem.region_text;
        result["loss"] = problem.loss.name;
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

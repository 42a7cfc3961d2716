#include "report/compare_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "fit/checkpoint_facts.hpp"
#include "method/option_facts.hpp"
#include "solve/keeper.hpp"

namespace alfcg {

namespace {

Learned learned_of(const Report& report) {
    Learned learned;
    learned.classification = report.training.classification;
    learned.training = report.training.value();
    if (report.held_out) learned.held_out = report.held_out->value();
    if (report.rank) learned.rank = static_cast<double>(*report.rank);
    learned.nonzeros = static_cast<double>(report.nonzeros);
    return learned;
}

template <class Real>
std::vector<Fact> facts_of(const Problem<Real>& problem, const ComparisonPlan& plan) {
    std::vector<Fact> facts = plan.checkpoints.facts;
    const auto add = [&](std::vector<Fact> more) {
        std::move(more.begin(), more.end(), std::back_inserter(facts));
    };
    add(option_facts(plan.budget, "those compared", plan.parameters));
    add(budget_facts(plan.budget));
    add(checkpoint_facts(problem));
    std::string methods;
    for (const std::string& name : select_methods(plan.methods))
        methods += (methods.empty() ? "" : ",") + name;
    add({{"precision", sizeof(Real) == sizeof(float) ? "f32" : "f64"},
         {"region", problem.region_text},
         {"methods", methods},
         {"seeds", std::to_string(plan.seeds)}});
    return facts;
}

}  // namespace

void ComparisonPlan::verify() const {
    if (seeds < 1) throw QuantityError("seeds", "must be at least 1");
    budget.verify();
    const std::vector<std::string> names = select_methods(methods);
    for (const auto& [name, value] : parameters.all()) {
        const bool used = std::any_of(names.begin(), names.end(), [&, &name = name](const auto& method) {
            return own_parameters(method, parameters).has(name);
        });
        if (!used) throw QuantityError(name, "is not a parameter of any of the methods compared");
    }
    for (const std::string& method : names) check_parameters(method, own_parameters(method, parameters));
}

template <class Real>
Comparison compare_methods(Problem<Real>& problem, const ComparisonPlan& plan,
                           const ComparisonObserver& observer) {
    plan.verify();
    std::vector<std::pair<std::string, std::uint64_t>> planned;
    for (const std::string& method : select_methods(plan.methods))
        for (int k = 0; k < (is_stochastic(method) ? plan.seeds : 1); ++k)
            planned.emplace_back(method, plan.budget.seed + static_cast<std::uint64_t>(k));

    Comparison comparison;
    std::size_t tried = 0;
    Checkpoints checkpoints = plan.checkpoints;
    if (checkpoints.used()) checkpoints.facts = facts_of(problem, plan);
    Keeper keeper(checkpoints, nullptr);
    // What the objective remembers may change the last digit of the next run.
    const auto archive = [&](Archive& state) {
        state.section("runs", [&] { state(tried, comparison.runs, comparison.left_out); });
        state.section("objective", [&] { state(*problem.objective); });
    };
    if (keeper.resumes()) keeper.read(archive);
    while (tried < planned.size()) {
        const auto& [method, seed] = planned[tried];
        if (observer.before_run)
            observer.before_run(comparison.runs.size(), planned.size(),
                                fmt::format("{} seed {}", method, seed));
        Options options = plan.budget;
        options.method = method;
        options.seed = seed;
        options.parameters = own_parameters(method, plan.parameters);
        RunRecorder recorder(options, plan.points);
        try {
            const Fitted<Real> fitted = fit<Real>(problem, options, [&](const Snapshot<Real>& now) {
                recorder.look(now);
                if (observer.stop && observer.stop()) comparison.stopped = true;
                return comparison.stopped ? Action::stop : Action::proceed;
            });
            if (comparison.stopped) break;  // half a run would not be on the same footing
            comparison.runs.push_back(recorder.finish(fitted.report.status, fitted.report.scale));
            comparison.runs.back().learned = learned_of(fitted.report);
        } catch (const QuantityError& error) {
            if (error.quantity() != "method" || is_named(plan.methods, method)) throw;
            comparison.left_out.emplace_back(method, error.complaint());
        }
        ++tried;
        if (keeper.keeps()) keeper.write(archive);
    }
    if (comparison.runs.empty() && !comparison.left_out.empty())
        throw QuantityError("method", comparison.left_out.front().second);
    return comparison;
}

template Comparison compare_methods(Problem<float>&, const ComparisonPlan&, const ComparisonObserver&);
template Comparison compare_methods(Problem<double>&, const ComparisonPlan&, const ComparisonObserver&);

}  // namespace alfcg

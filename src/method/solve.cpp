#include "alfcg/method/solve.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "method/option_facts.hpp"
#include "method/table.hpp"

namespace alfcg {

namespace {

// Numbers that the data have for each feature, from which on what alfcg-c does between two looks at them, over l_p balls with p > 1 and
// over hulls, costs little beside a look.
constexpr double many_numbers = 2000;

// Rows side by side that lie in sixteen pages or so: few reads, and many blocks in a batch of some hundred rows.
template <class Real>
Index rows_of_block(const Objective<Real>& objective, Index entry_bytes) {
    constexpr Index block_bytes = Index{64} << 10;
    const Index row_bytes = objective.entries() / std::max<Index>(objective.samples(), 1) * entry_bytes;
    return std::clamp<Index>(block_bytes / std::max<Index>(row_bytes, 1), 1,
                             std::max<Index>(objective.samples(), 1));
}

}  // namespace

template <class Real>
MethodChoice choose_method(const Objective<Real>& objective, const Region<Real>& region,
                           const Options& options) {
    if (options.method != automatic_method) return {options.method, {}};
    const MethodChoice general{std::string(fallback_method), "general"};
    if (!options.parameters.empty()) return general;
    const Shape shape = objective.shape();
    const bool tall =
        static_cast<double>(objective.entries()) >= many_numbers * static_cast<double>(shape.cols);
    const auto ball = region.ball();
    // Over hulls, scores of several outputs for every point cost more to look at than they save.
    if (!ball)
        return tall && (shape.rows == 1 || region.has_proximal(shape)) ? MethodChoice{"alfcg-c", "tall"}
                                                                       : general;
    if (ball->norm == Ball::Norm::nuclear) return {"alfcg-c", "low-rank"};
    if (ball->p == 1) return {"alfcg-c", "sparse"};
    return tall ? MethodChoice{"alfcg-c", "tall"} : MethodChoice{std::string(fallback_method), "wide"};
}

std::vector<Fact> option_facts(const Options& options, std::string_view method,
                               const Parameters& parameters) {
    std::vector<Fact> facts{{"method", std::string(method)}};
    for (const auto& [name, value] : parameters.all())
        facts.push_back({name, std::visit(
                                   [](const auto& v) {
                                       if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>) {
                                           return format_number(v);
                                       } else {
                                           return v;
                                       }
                                   },
                                   value)});
    facts.push_back({"memory", options.memory ? std::to_string(*options.memory) : "automatic"});
    facts.push_back({"seed", std::to_string(options.seed)});
    facts.push_back({"batch-order", options.batch_order == BatchOrder::blocks ? "blocks" : "random"});
    return facts;
}

std::vector<Fact> budget_facts(const Limits& limits) {
    return {{"max-iterations", std::to_string(limits.max_iterations)},
            {"max-epochs", format_number(limits.max_epochs)},
            {"max-seconds", format_number(limits.max_seconds)},
            {"gap", limits.gap ? format_number(*limits.gap) : "none"},
            {"tol", format_number(limits.tolerance)}};
}

namespace {

// What a run depends on, with what the caller has told.
template <class Real>
std::vector<Fact> facts_of(const Objective<Real>& objective, const Region<Real>& region,
                           const Options& options, std::string_view method, const Parameters& parameters,
                           const Iterate<Real>* x0) {
    std::vector<Fact> facts = options.checkpoints.facts;
    const auto fact = [&](std::string_view name, const std::string& value) {
        facts.push_back({std::string(name), value});
    };
    const auto digest = [&](const std::string& name, const Digest& of) {
        facts.push_back({name, of.text(), true});
    };
    for (Fact& own : option_facts(options, method, parameters)) facts.push_back(std::move(own));
    fact("precision", sizeof(Real) == sizeof(float) ? "f32" : "f64");
    const Shape shape = objective.shape();
    fact("rows", std::to_string(objective.samples()));
    fact("weights", std::to_string(shape.rows) + " x " + std::to_string(shape.cols));
    fact("region", region.describe());
    if (options.batches) {
        Digest batches;
        for (const auto& batch : *options.batches) {
            batches.add(batch.size());
            batches.add(batch.data(), batch.size() * sizeof(Index));
        }
        digest("batches", batches);
    }
    if (x0 != nullptr) {
        Digest start;
        const Matrix<Real>& seen = x0->seen();
        start.add(seen.data(), static_cast<std::size_t>(seen.size()) * sizeof(Real));
        digest("start", start);
    }
    return facts;
}

}  // namespace

template <class Real>
Solution<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                     const std::type_identity_t<Observer<Real>>& observer, const Iterate<Real>* x0) {
    options.verify();
    if (options.memory && *options.memory < 1)
        throw QuantityError("memory", "must be at least one byte, not " + std::to_string(*options.memory));
    const MethodRow& row = find_method(choose_method(objective, region, options).name);
    if (row.needs_entries && objective.pattern() != nullptr)
        throw QuantityError("method",
                            "must be one that works on factors, not " + std::string(row.name) +
                                ", which needs all entries of x: try alfcg-c, alfcg-d or fw-armijo");
    const Parameters parameters = resolve(row.name, row.parameters, options.parameters, objective.samples());
    Batches batches(objective.samples(), options.seed, options.batches ? &*options.batches : nullptr,
                    options.on_draw,
                    options.batch_order == BatchOrder::blocks ? rows_of_block(objective, sizeof(Real)) : 0);
    const auto method = row.make(MethodParts<Real>{objective, batches, parameters, options.memory});
    Checkpoints checkpoints = options.checkpoints;
    if (checkpoints.used()) {
        checkpoints.facts = facts_of(objective, region, options, row.name, parameters, x0);
        checkpoints.also.emplace_back("batches", [&](Archive& state) { state(batches); });
    }
    Solution<Real> solution{solve(objective, region, *method, options, observer, x0, checkpoints),
                            std::string(row.name), parameters};
    if (solution.scale) solution.parameters.set("rho", *solution.scale);
    return solution;
}

template <class Real>
Solution<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                     const std::type_identity_t<Observer<Real>>& observer, const Matrix<Real>* x0) {
    if (x0 == nullptr)
        return solve(objective, region, options, observer, static_cast<const Iterate<Real>*>(nullptr));
    const Iterate<Real> start(*x0);
    return solve(objective, region, options, observer, &start);
}

template MethodChoice choose_method(const Objective<float>&, const Region<float>&, const Options&);
template MethodChoice choose_method(const Objective<double>&, const Region<double>&, const Options&);
template Solution<float> solve(Objective<float>&, Region<float>&, const Options&, const Observer<float>&,
                               const Iterate<float>*);
template Solution<double> solve(Objective<double>&, Region<double>&, const Options&, const Observer<double>&,
                                const Iterate<double>*);
template Solution<float> solve(Objective<float>&, Region<float>&, const Options&, const Observer<float>&,
                               const Matrix<float>*);
template Solution<double> solve(Objective<double>&, Region<double>&, const Options&, const Observer<double>&,
                                const Matrix<double>*);

}  // namespace alfcg

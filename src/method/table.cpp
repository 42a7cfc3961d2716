#include "method/table.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "active/active_moves.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "core/parameter_list.hpp"
#include "corrective/corrective.hpp"
#include "method/accelerated.hpp"
#include "method/alf.hpp"
#include "method/sliding.hpp"
#include "solve/composed.hpp"

namespace alfcg {

template <class Real>
Index MethodParts<Real>::count(std::string_view name) const {
    return static_cast<Index>(std::min(parameters.number(name).value_or(0), 1e15));
}

template <class Real>
EstimatorParts<Real> MethodParts<Real>::estimator() const {
    return {.objective = objective,
            .batches = batches,
            .batch = count("batch"),
            .period = count("period"),
            .reset = count("reset"),
            .groups = count("groups"),
            .momentum = parameters.number("momentum").value_or(0),
            .power = parameters.number("power").value_or(0)};
}

template struct MethodParts<float>;
template struct MethodParts<double>;

namespace {

constexpr ParameterInfo rho_info{
    .name = "rho",
    .meaning = "ALFCG: scale of the curvature estimate: auto finds it, probe looks once, or a number",
    .open = true,
    .words = "auto|probe"};
constexpr ParameterInfo beta_info{
    .name = "beta",
    .meaning =
        "ALFCG: noise parameter of the momentum; auto: 100, but where rho is auto 300 and 60 in turn "
        "(alfcg-mvr1) or none, momentum (t+1)^-4/5 (alfcg-mvr2)",
    .words = "auto"};
constexpr ParameterInfo batch{.name = "batch", .meaning = "rows per batch", .least = 1, .whole = true};
constexpr ParameterInfo period{
    .name = "period", .meaning = "iterations between resets", .least = 1, .whole = true};
constexpr ParameterInfo reset{.name = "reset", .meaning = "rows of a drawn reset", .least = 1, .whole = true};
constexpr ParameterInfo groups{
    .name = "groups", .meaning = "number of batches the median is taken of", .least = 1, .whole = true};
constexpr ParameterInfo lipschitz{
    .name = "lipschitz", .meaning = "given curvature, or the first one of a search", .open = true};
constexpr ParameterInfo momentum{.name = "momentum", .meaning = "weight of the past gradient", .most = 1};
constexpr ParameterInfo inner_steps{
    .name = "inner-steps", .meaning = "steps on the inner problem", .least = 1, .whole = true};
constexpr ParameterInfo contraction{
    .name = "contraction", .meaning = "factor by which a rejected step shrinks", .most = 1, .open = true};
constexpr ParameterInfo descent{.name = "descent",
                                .meaning = "share of the predicted decrease that is demanded",
                                .most = 1,
                                .open = true};
constexpr ParameterInfo increase{
    .name = "increase", .meaning = "factor by which a rejected curvature grows", .least = 1, .open = true};
constexpr ParameterInfo decrease{.name = "decrease",
                                 .meaning = "factor from an accepted curvature to the next first one",
                                 .most = 1,
                                 .open = true};
constexpr ParameterInfo power{
    .name = "power", .meaning = "exponent p of the schedule (t+1)^-p", .open = true};

constexpr ParameterInfo step_info{
    .name = "step",
    .meaning =
        "of methods with an active set: the calibrated ALF step, a search for the curvature, or secants",
    .words = "alf|search|secant",
    .only_words = true};

constexpr Parameter step{step_info, Default::named("alf")};
constexpr Parameter rho{rho_info, Default::named("auto")};
constexpr Parameter beta{beta_info, Default::named("auto")};
constexpr Default root = Default::root();
constexpr Parameter two_thirds{power, Default::of(2.0 / 3.0)};

Parameter with(const ParameterInfo& info, double number) {
    return {info, Default::of(number)};
}

constexpr std::string_view deterministic = "deterministic";
constexpr std::string_view finite_sum = "finite-sum";
constexpr std::string_view expectation = "expectation";
constexpr std::string_view corrective = "corrective";
constexpr std::string_view full_gradient = "full gradient";
constexpr std::string_view open_loop = "open loop 2/(t+2)";
constexpr std::string_view alfcg_paper = "ALFCG: adaptive Lipschitz-free conditional gradient";
// What `beta = auto` is, where rho is auto and where it is given.
constexpr std::string_view alfcg_paper_mvr1 =
    "ALFCG: adaptive Lipschitz-free conditional gradient; beta 300 and 60 in turn, with a given rho 100";
constexpr std::string_view alfcg_paper_mvr2 =
    "ALFCG: adaptive Lipschitz-free conditional gradient; no beta but momentum (t+1)^-4/5, with a given rho "
    "100";

template <class Real>
std::unique_ptr<Method<Real>> active_method(const MethodParts<Real>& parts, ActiveMoves moves) {
    const auto rule = parts.parameters.word("step");
    std::unique_ptr<StepRule> search;
    if (rule == "search") search = parameter_free_step(1, 2, 0.5, Below::compares_slopes);
    if (rule == "secant") search = secant_step();
    return std::make_unique<ActiveMethod<Real>>(parts.objective, moves, std::move(search));
}

// make(parts) for both precisions.
template <class Make>
MethodRow row(MethodInfo info, Make make) {
    return {std::move(info), [make](const MethodParts<float>& parts) { return make(parts); },
            [make](const MethodParts<double>& parts) { return make(parts); }};
}

const std::vector<MethodRow>& table() {
    static const std::vector<MethodRow> rows{
        row({"fw-openloop", deterministic, full_gradient, open_loop, "Frank and Wolfe 1956", {}},
            [](const auto& p) { return composed(full_estimator(p.estimator()), open_loop_step()); }),
        row({"fw-shortstep", deterministic, full_gradient, "short step", "Jaggi 2013", {with(lipschitz, 10)}},
            [](const auto& p) {
                return composed(full_estimator(p.estimator()), given_curvature_step(p("lipschitz")));
            }),
        row({"fw-momentum", deterministic, "heavy ball", open_loop, "Li et al. 2021", {with(momentum, 0.9)}},
            [](const auto& p) { return composed(heavy_ball_estimator(p.estimator()), open_loop_step()); }),
        row({"fw-sliding",
             deterministic,
             "full gradient at z",
             "sliding 3/(t+3)",
             "Lan and Zhou 2016",
             {with(lipschitz, 10), with(inner_steps, 5)},
             true},
            []<class Real>(const MethodParts<Real>& p) -> std::unique_ptr<Method<Real>> {
                return std::make_unique<Sliding<Real>>(p("lipschitz"), p.count("inner-steps"));
            }),
        row({"fw-armijo",
             deterministic,
             full_gradient,
             "Armijo search",
             "Ochs and Malitsky 2019",
             {with(contraction, 0.5), with(descent, 1e-4)}},
            [](const auto& p) {
                return composed(full_estimator(p.estimator()), armijo_step(p("contraction"), p("descent")));
            }),
        row({"fw-parafree",
             deterministic,
             full_gradient,
             "curvature search",
             "Ito et al. 2023",
             {with(lipschitz, 1), with(increase, 2), with(decrease, 0.5)}},
            [](const auto& p) {
                return composed(full_estimator(p.estimator()),
                                parameter_free_step(p("lipschitz"), p("increase"), p("decrease")));
            }),
        row({"alfcg-d", deterministic, full_gradient, "ALF", alfcg_paper, {rho}},
            [](const auto& p) { return alf_method(p, Alf::d); }),

        row({"svfw", finite_sum, "SVRG", open_loop, "Reddi et al. 2016", {with(period, 50), {batch, root}}},
            [](const auto& p) { return composed(svrg_estimator(p.estimator()), open_loop_step()); }),
        row({"saga-fw", finite_sum, "SAGA", open_loop, "Reddi et al. 2016", {{batch, root}}},
            [](const auto& p) { return composed(saga_estimator(p.estimator()), open_loop_step()); }),
        row({"spider-cg",
             finite_sum,
             "SPIDER, drawn resets",
             open_loop,
             "Yurtsever et al. 2019",
             {{period, root}, {reset, root}, with(batch, 32)}},
            [](const auto& p) { return composed(spider_estimator(p.estimator()), open_loop_step()); }),
        row({"onesample-fw",
             finite_sum,
             "STORM, full resets",
             open_loop,
             "Zhang et al. 2020",
             {with(period, 50), with(batch, 1), two_thirds}},
            [](const auto& p) { return composed(storm_estimator(p.estimator()), open_loop_step()); }),
        row({"sarah-fw",
             finite_sum,
             "SARAH, full resets",
             open_loop,
             "Beznosikov et al. 2024",
             {with(period, 50), with(batch, 32)}},
            [](const auto& p) { return composed(spider_estimator(p.estimator()), open_loop_step()); }),
        row({"alfcg-fs",
             finite_sum,
             "SPIDER, full resets",
             "ALF",
             alfcg_paper,
             {rho, {period, root}, {batch, root}}},
            [](const auto& p) { return alf_method(p, Alf::fs); }),

        row({"sfw", expectation, "mini-batch", open_loop, "Reddi et al. 2016", {{batch, root}}},
            [](const auto& p) { return composed(mini_batch_estimator(p.estimator()), open_loop_step()); }),
        row({"sfw-gb", expectation, "mini-batch of (t+1)^(2/3) rows", open_loop, "Hazan and Luo 2016", {}},
            [](const auto& p) { return composed(growing_batch_estimator(p.estimator()), open_loop_step()); }),
        row({"onesample-storm",
             expectation,
             "STORM",
             "(t+1)^-power",
             "Zhang et al. 2020",
             {{batch, root}, two_thirds}},
            [](const auto& p) { return composed(storm_estimator(p.estimator()), power_step(p("power"))); }),
        row({"onesample-ema",
             expectation,
             "EMA",
             open_loop,
             "Zhang et al. 2020",
             {{batch, root}, two_thirds}},
            [](const auto& p) { return composed(ema_estimator(p.estimator()), open_loop_step()); }),
        row({"srfw",
             expectation,
             "median of means",
             open_loop,
             "Tang et al. 2022",
             {{batch, root}, with(groups, 5)}},
            [](const auto& p) { return composed(median_estimator(p.estimator()), open_loop_step()); }),
        row({"alfcg-mvr1", expectation, "EMA", "ALF", alfcg_paper_mvr1, {rho, beta, {batch, root}}},
            [](const auto& p) { return alf_method(p, Alf::mvr1); }),
        row({"alfcg-mvr2", expectation, "STORM", "ALF", alfcg_paper_mvr2, {rho, beta, {batch, root}}},
            [](const auto& p) { return alf_method(p, Alf::mvr2); }),

        row({"alfcg-c", corrective, full_gradient, "inner steps on the part in play", "this project", {}},
            []<class Real>(const MethodParts<Real>& p) -> std::unique_ptr<Method<Real>> {
                return std::make_unique<Corrective<Real>>(std::make_unique<Accelerated<Real>>(), p.memory);
            }),
        row({"accelerated", corrective, "full gradient at y", "accelerated prox", "Nesterov 2005", {}, true},
            []<class Real>(const MethodParts<Real>&) -> std::unique_ptr<Method<Real>> {
                return std::make_unique<Accelerated<Real>>();
            }),
        row({"fw-away",
             corrective,
             full_gradient,
             "ALF, away",
             "Lacoste-Julien and Jaggi 2015",
             {step},
             true},
            [](const auto& p) { return active_method(p, ActiveMoves::away); }),
        row({"fw-pairwise",
             corrective,
             full_gradient,
             "ALF, pairwise",
             "Lacoste-Julien and Jaggi 2015",
             {step},
             true},
            [](const auto& p) { return active_method(p, ActiveMoves::pairwise); }),
        row({"fw-blended", corrective, full_gradient, "ALF, blended", "Tsuji et al. 2022", {step}, true},
            [](const auto& p) { return active_method(p, ActiveMoves::blended); }),
        row({"fw-secant", corrective, full_gradient, "secant search", "Hendrych et al. 2025", {}},
            [](const auto& p) { return composed(full_estimator(p.estimator()), secant_step()); }),
    };
    return rows;
}

}  // namespace

std::span<const MethodRow> method_table() {
    return table();
}

const MethodRow& find_method(std::string_view name) {
    std::vector<std::string> names;
    std::string all;
    for (const MethodRow& row : table()) {
        if (row.name == name) return row;
        all += (all.empty() ? "" : ", ") + names.emplace_back(row.name);
    }
    const std::string meant = suggestion(name, names);
    throw Error("unknown method '" + std::string(name) + "'" +
                (meant.empty() ? ": use one of " : meant + " There are ") + all);
}

std::vector<MethodInfo> methods() {
    return {table().begin(), table().end()};
}

MethodInfo method_info(std::string_view name) {
    return find_method(name);
}

void check_parameters(std::string_view method, const Parameters& given) {
    if (method == automatic_method) method = fallback_method;
    check_parameters(method, find_method(method).parameters, given);
}

Parameters own_parameters(std::string_view method, const Parameters& given) {
    return own_parameters(find_method(method).parameters, given);
}

std::vector<ParameterInfo> method_parameters() {
    std::vector<ParameterInfo> all;
    // ALFCG's, which stand last among those of the paper, are asked for most.
    const auto add = [&](bool of_paper) {
        for (auto row = table().rbegin(); row != table().rend(); ++row)
            if ((row->setting != corrective) == of_paper) add_once(all, row->parameters);
    };
    add(true);
    add(false);
    return all;
}

}  // namespace alfcg

#include "method/table.hpp"

#include <array>
#include <cmath>

namespace alfcg {

namespace {

using P = Parameters;

constexpr Default root{.number = 0, .root_of_samples = true};
constexpr Default rho{.automatic = true};
constexpr Default two_thirds{.number = 2.0 / 3.0};

constexpr std::string_view deterministic = "deterministic";
constexpr std::string_view finite_sum = "finite-sum";
constexpr std::string_view expectation = "expectation";
constexpr std::string_view alfcg_paper = "ALFCG: adaptive Lipschitz-free conditional gradient";

const std::vector<Method>& table() {
    using E = EstimatorKind;
    using S = StepKind;
    static const std::vector<Method> rows{
        {"fw-openloop", deterministic, E::full, S::open_loop, {}, "full gradient", "Frank and Wolfe 1956"},
        {"fw-shortstep",
         deterministic,
         E::full,
         S::short_step,
         {{&P::lipschitz, {10}}},
         "full gradient",
         "Jaggi 2013"},
        {"fw-momentum",
         deterministic,
         E::heavy_ball,
         S::open_loop,
         {{&P::momentum, {0.9}}},
         "heavy ball",
         "Li et al. 2021"},
        {"fw-sliding",
         deterministic,
         E::sliding,
         S::sliding,
         {{&P::lipschitz, {10}}, {&P::inner_steps, {5}}},
         "full gradient at z",
         "Lan and Zhou 2016"},
        {"fw-armijo",
         deterministic,
         E::full,
         S::armijo,
         {{&P::contraction, {0.5}}, {&P::descent, {1e-4}}},
         "full gradient",
         "Ochs and Malitsky 2019"},
        {"fw-parafree",
         deterministic,
         E::full,
         S::parameter_free,
         {{&P::lipschitz, {1}}, {&P::increase, {2}}, {&P::decrease, {0.5}}},
         "full gradient",
         "Ito et al. 2023"},
        {"alfcg-d", deterministic, E::full, S::alf, {{&P::rho, rho}}, "full gradient", alfcg_paper},

        {"svfw",
         finite_sum,
         E::svrg,
         S::open_loop,
         {{&P::period, {50}}, {&P::batch, root}},
         "SVRG",
         "Reddi et al. 2016"},
        {"saga-fw", finite_sum, E::saga, S::open_loop, {{&P::batch, root}}, "SAGA", "Reddi et al. 2016"},
        {"spider-cg",
         finite_sum,
         E::spider,
         S::open_loop,
         {{&P::period, root}, {&P::reset, root}, {&P::batch, {32}}},
         "SPIDER, drawn resets",
         "Yurtsever et al. 2019"},
        {"onesample-fw",
         finite_sum,
         E::storm,
         S::open_loop,
         {{&P::period, {50}}, {&P::batch, {1}}, {&P::power, two_thirds}},
         "STORM, full resets",
         "Zhang et al. 2020"},
        {"sarah-fw",
         finite_sum,
         E::spider,
         S::open_loop,
         {{&P::period, {50}}, {&P::batch, {32}}},
         "SARAH, full resets",
         "Beznosikov et al. 2024"},
        {"alfcg-fs",
         finite_sum,
         E::spider,
         S::alf,
         {{&P::rho, rho}, {&P::period, root}, {&P::batch, root}},
         "SPIDER, full resets",
         alfcg_paper},

        {"sfw",
         expectation,
         E::mini_batch,
         S::open_loop,
         {{&P::batch, root}},
         "mini-batch",
         "Reddi et al. 2016"},
        {"sfw-gb",
         expectation,
         E::growing_batch,
         S::open_loop,
         {},
         "mini-batch of (t+1)^(2/3) rows",
         "Hazan and Luo 2016"},
        {"onesample-storm",
         expectation,
         E::storm,
         S::power,
         {{&P::batch, root}, {&P::power, two_thirds}},
         "STORM",
         "Zhang et al. 2020"},
        {"onesample-ema",
         expectation,
         E::ema,
         S::open_loop,
         {{&P::batch, root}, {&P::power, two_thirds}},
         "EMA",
         "Zhang et al. 2020"},
        {"srfw",
         expectation,
         E::median,
         S::open_loop,
         {{&P::batch, root}, {&P::groups, {5}}},
         "median of means",
         "Tang et al. 2022"},
        {"alfcg-mvr1",
         expectation,
         E::ema,
         S::alf_mvr1,
         {{&P::rho, rho}, {&P::beta, {100}}, {&P::batch, root}},
         "EMA",
         alfcg_paper},
        {"alfcg-mvr2",
         expectation,
         E::storm,
         S::alf_mvr2,
         {{&P::rho, rho}, {&P::beta, {100}}, {&P::batch, root}},
         "STORM",
         alfcg_paper},
    };
    return rows;
}

}  // namespace

std::string_view to_text(StepKind kind) {
    constexpr std::array<std::string_view, 9> names{"open loop 2/(t+2)",
                                                    "(t+1)^-power",
                                                    "short step",
                                                    "Armijo search",
                                                    "curvature search",
                                                    "sliding 3/(t+3)",
                                                    "ALF",
                                                    "ALF",
                                                    "ALF"};
    return names[static_cast<std::size_t>(kind)];
}

std::optional<double> Default::value(Index samples) const {
    if (automatic) return std::nullopt;
    if (!root_of_samples) return number;
    auto result = static_cast<Index>(std::sqrt(static_cast<double>(samples)));
    while (result * result > samples) --result;
    while ((result + 1) * (result + 1) <= samples) ++result;
    return static_cast<double>(result);
}

std::span<const Method> method_table() {
    return table();
}

}  // namespace alfcg

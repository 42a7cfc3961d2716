#include "alfcg/solve/solve.hpp"

#include <algorithm>

#include "method/sliding.hpp"
#include "method/table.hpp"
#include "solve/loop.hpp"
#include "step/alf.hpp"

namespace alfcg {

namespace {

// A parameter as a count; more than any run could use is cut off. 0 where the method does not have it.
Index count(const std::optional<double>& value) {
    return static_cast<Index>(std::min(value.value_or(0), 1e15));
}

template <class Real>
std::unique_ptr<Estimator<Real>> make_estimator(EstimatorKind kind, const Parameters& parameters,
                                                Objective<Real>& objective, Batches& batches) {
    const EstimatorParts<Real> parts{.objective = objective,
                                     .batches = batches,
                                     .batch = count(parameters.batch),
                                     .period = count(parameters.period),
                                     .reset = count(parameters.reset),
                                     .groups = count(parameters.groups),
                                     .momentum = parameters.momentum.value_or(0),
                                     .power = parameters.power.value_or(0)};
    switch (kind) {
        case EstimatorKind::full:
            return full_estimator(parts);
        case EstimatorKind::heavy_ball:
            return heavy_ball_estimator(parts);
        case EstimatorKind::mini_batch:
            return mini_batch_estimator(parts);
        case EstimatorKind::growing_batch:
            return growing_batch_estimator(parts);
        case EstimatorKind::median:
            return median_estimator(parts);
        case EstimatorKind::svrg:
            return svrg_estimator(parts);
        case EstimatorKind::saga:
            return saga_estimator(parts);
        case EstimatorKind::spider:
            return spider_estimator(parts);
        case EstimatorKind::ema:
            return ema_estimator(parts);
        case EstimatorKind::storm:
            return storm_estimator(parts);
        case EstimatorKind::sliding:
            break;  // one object is estimator, direction and step
    }
    return nullptr;
}

std::unique_ptr<StepRule> make_step(StepKind kind, const Parameters& parameters) {
    using Momentum = AlfAccumulator::Momentum;
    const auto alf = [&](Momentum momentum) {
        return std::make_unique<AlfStep>(parameters.rho.value(), parameters.beta.value_or(0), momentum);
    };
    switch (kind) {
        case StepKind::open_loop:
            return open_loop_step();
        case StepKind::power:
            return power_step(parameters.power.value());
        case StepKind::short_step:
            return given_curvature_step(parameters.lipschitz.value());
        case StepKind::armijo:
            return armijo_step(parameters.contraction.value(), parameters.descent.value());
        case StepKind::parameter_free:
            return parameter_free_step(parameters.lipschitz.value(), parameters.increase.value(),
                                       parameters.decrease.value());
        case StepKind::alf:
            return alf(Momentum::none);
        case StepKind::alf_mvr1:
            return alf(Momentum::mvr1);
        case StepKind::alf_mvr2:
            return alf(Momentum::mvr2);
        case StepKind::sliding:
            break;
    }
    return nullptr;
}

}  // namespace

template <class Real>
Result<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                   const Observer<Real>& observer, const Matrix<Real>* x0) {
    options.verify();
    const Method& method = find_method(options.method);
    const Parameters parameters = resolve_parameters(method, options.parameters, objective.samples());
    Batches batches(objective.samples(), options.seed, options.batches ? &*options.batches : nullptr,
                    options.on_draw);
    Result<Real> result;
    if (method.estimator == EstimatorKind::sliding) {
        Sliding<Real> sliding(objective, parameters.lipschitz.value(), count(parameters.inner_steps));
        result = run_loop(objective, region, sliding, sliding, sliding, options, observer, x0);
    } else {
        const auto estimator = make_estimator(method.estimator, parameters, objective, batches);
        const auto step = make_step(method.step, parameters);
        DirectionRule<Real> towards_vertex;
        result = run_loop(objective, region, *estimator, towards_vertex, *step, options, observer, x0);
    }
    result.parameters = parameters;
    return result;
}

template Result<float> solve(Objective<float>&, Region<float>&, const Options&, const Observer<float>&,
                             const Matrix<float>*);
template Result<double> solve(Objective<double>&, Region<double>&, const Options&, const Observer<double>&,
                              const Matrix<double>*);

}  // namespace alfcg

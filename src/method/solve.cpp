#include "alfcg/solve/solve.hpp"

#include <algorithm>

#include "calibration/batches.hpp"
#include "calibration/full.hpp"
#include "calibration/probe.hpp"
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

AlfAccumulator::Momentum accumulator_momentum(StepKind kind) {
    using Momentum = AlfAccumulator::Momentum;
    if (kind == StepKind::alf_mvr1) return Momentum::mvr1;
    return kind == StepKind::alf_mvr2 ? Momentum::mvr2 : Momentum::none;
}

std::unique_ptr<StepRule> make_step(StepKind kind, const Parameters& parameters) {
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
        case StepKind::alf_mvr1:
        case StepKind::alf_mvr2:
            return std::make_unique<AlfStep>(parameters.rho.value(), parameters.beta.value_or(0),
                                             accumulator_momentum(kind));
        case StepKind::sliding:
            break;
    }
    return nullptr;
}

bool is_alf(StepKind kind) {
    return kind == StepKind::alf || kind == StepKind::alf_mvr1 || kind == StepKind::alf_mvr2;
}

// What every run is made of.
template <class Real>
struct Setting {
    Objective<Real>& objective;
    Region<Real>& region;
    const Options& options;
    const Observer<Real>& observer;
    const Matrix<Real>* x0;
};

// A run whose estimator, direction and step are one object.
template <class Real, class Whole>
Result<Real> run_whole(const Setting<Real>& setting, Whole& whole) {
    auto result = run_loop(setting.objective, setting.region, whole, whole, whole, setting.options,
                           setting.observer, setting.x0);
    result.parameters.rho = whole.scale();
    return result;
}

template <class Real>
Result<Real> run_calibrated(const Setting<Real>& setting, const Method& method, const Parameters& parameters,
                            Batches& batches) {
    if (method.step == StepKind::alf && method.estimator == EstimatorKind::full) {
        CalibratedFull<Real> whole(setting.objective);
        return run_whole(setting, whole);
    }
    using Kind = typename CalibratedBatches<Real>::Kind;
    const Kind kind = method.estimator == EstimatorKind::spider ? Kind::spider
                      : method.estimator == EstimatorKind::ema  ? Kind::ema
                                                                : Kind::storm;
    CalibratedBatches<Real> whole(setting.objective, batches,
                                  {.kind = kind,
                                   .batch = count(parameters.batch),
                                   .period = count(parameters.period),
                                   .beta = setting.options.parameters.beta});
    return run_whole(setting, whole);
}

template <class Real>
Result<Real> run_probed(const Setting<Real>& setting, const Method& method, const Parameters& parameters,
                        Batches& batches) {
    using Look = typename ProbedDirection<Real>::Look;
    const bool exact = method.estimator == EstimatorKind::full || method.estimator == EstimatorKind::spider;
    const Look look = exact                                    ? Look::estimate
                      : method.estimator == EstimatorKind::ema ? Look::one_batch
                                                               : Look::all_rows;
    const auto estimator = make_estimator(method.estimator, parameters, setting.objective, batches);
    AlfStep step(1, parameters.beta.value_or(0), accumulator_momentum(method.step));
    ProbedDirection<Real> direction(setting.objective, step, batches, look, count(parameters.batch));
    auto result = run_loop(setting.objective, setting.region, *estimator, direction, step, setting.options,
                           setting.observer, setting.x0);
    result.parameters.rho = step.scale();
    return result;
}

template <class Real>
Result<Real> run_printed(const Setting<Real>& setting, const Method& method, const Parameters& parameters,
                         Batches& batches) {
    const auto estimator = make_estimator(method.estimator, parameters, setting.objective, batches);
    const auto step = make_step(method.step, parameters);
    DirectionRule<Real> towards_vertex;
    return run_loop(setting.objective, setting.region, *estimator, towards_vertex, *step, setting.options,
                    setting.observer, setting.x0);
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
    const Setting<Real> setting{objective, region, options, observer, x0};
    Result<Real> result;
    if (method.estimator == EstimatorKind::sliding) {
        Sliding<Real> sliding(objective, parameters.lipschitz.value(), count(parameters.inner_steps));
        result = run_whole(setting, sliding);
    } else if (!is_alf(method.step) || parameters.rho) {
        result = run_printed(setting, method, parameters, batches);
    } else if (parameters.rho_rule == RhoRule::probe) {
        result = run_probed(setting, method, parameters, batches);
    } else {
        result = run_calibrated(setting, method, parameters, batches);
    }
    const auto found = result.parameters.rho;
    result.parameters = parameters;
    if (found) result.parameters.rho = found;
    return result;
}

template Result<float> solve(Objective<float>&, Region<float>&, const Options&, const Observer<float>&,
                             const Matrix<float>*);
template Result<double> solve(Objective<double>&, Region<double>&, const Options&, const Observer<double>&,
                              const Matrix<double>*);

}  // namespace alfcg

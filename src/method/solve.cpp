#include "alfcg/solve/solve.hpp"

#include "method/table.hpp"
#include "solve/loop.hpp"

namespace alfcg {

namespace {

Index whole(const std::optional<double>& value, Index largest) {
    return static_cast<Index>(std::min(value.value(), static_cast<double>(largest)));
}

template <class Real>
std::unique_ptr<Estimator<Real>> make_estimator(const Method& method, const Parameters& parameters,
                                                Objective<Real>& objective, Batches& batches) {
    const Index samples = objective.samples();
    switch (method.estimator) {
        case EstimatorKind::full: return full_estimator(objective);
        case EstimatorKind::spider:
            return spider_estimator(objective, batches, whole(parameters.period, std::numeric_limits<Index>::max() / 2),
                                    whole(parameters.batch, samples));
        case EstimatorKind::ema: return ema_estimator(objective, batches, whole(parameters.batch, samples));
        case EstimatorKind::storm: return storm_estimator(objective, batches, whole(parameters.batch, samples));
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
    Batches batches(objective.samples(), options.seed, options.batches ? &*options.batches : nullptr, options.on_draw);
    const auto estimator = make_estimator(method, parameters, objective, batches);
    AlfStep step(parameters.rho.value(), parameters.beta.value_or(0), method.momentum);
    Result<Real> result = run_loop(objective, region, *estimator, step, options, observer, x0);
    result.parameters = parameters;
    return result;
}

template Result<float> solve(Objective<float>&, Region<float>&, const Options&, const Observer<float>&,
                             const Matrix<float>*);
template Result<double> solve(Objective<double>&, Region<double>&, const Options&, const Observer<double>&,
                              const Matrix<double>*);

}  // namespace alfcg

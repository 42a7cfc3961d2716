#include "method/alf.hpp"

#include <optional>

#include "calibration/batches.hpp"
#include "calibration/full.hpp"
#include "calibration/probed.hpp"
#include "solve/composed.hpp"

namespace alfcg {

namespace {

constexpr double printed_beta = 100;

// What the variants differ in.
template <class Real>
struct Variant {
    using Rows = typename ProbedAlf<Real>::Rows;
    using Kind = typename CalibratedBatches<Real>::Kind;

    std::unique_ptr<Estimator<Real>> (*estimator)(const EstimatorParts<Real>&);
    AlfAccumulator::Momentum momentum;
    Rows rows;                 // where "probe" looks
    std::optional<Kind> kind;  // of batches; none: full gradients
};

template <class Real>
Variant<Real> variant_of(Alf variant) {
    using V = Variant<Real>;
    using Momentum = AlfAccumulator::Momentum;
    switch (variant) {
        case Alf::d:
            return {full_estimator<Real>, Momentum::none, V::Rows::estimate, std::nullopt};
        case Alf::fs:
            return {spider_estimator<Real>, Momentum::none, V::Rows::estimate, V::Kind::spider};
        case Alf::mvr1:
            return {ema_estimator<Real>, Momentum::mvr1, V::Rows::one_batch, V::Kind::ema};
        case Alf::mvr2:
            break;
    }
    return {storm_estimator<Real>, Momentum::mvr2, V::Rows::all_rows, V::Kind::storm};
}

}  // namespace

template <class Real>
std::unique_ptr<Method<Real>> alf_method(const MethodParts<Real>& parts, Alf variant) {
    const auto v = variant_of<Real>(variant);
    const auto rho = parts.parameters.number("rho");
    const auto beta = parts.parameters.number("beta");
    if (!rho && parts.parameters.word("rho") == "auto") {
        if (!v.kind) return std::make_unique<CalibratedFull<Real>>(parts.objective);
        return std::make_unique<CalibratedBatches<Real>>(
            parts.objective, parts.batches,
            typename CalibratedBatches<Real>::Parts{.kind = *v.kind,
                                                    .batch = parts.count("batch"),
                                                    .period = parts.count("period"),
                                                    .beta = beta});
    }
    auto step = std::make_unique<AlfStep>(rho.value_or(1), beta.value_or(printed_beta), v.momentum);
    auto estimator = v.estimator(parts.estimator());
    if (rho) return composed<Real>(std::move(estimator), std::move(step));
    return std::make_unique<ProbedAlf<Real>>(std::move(estimator), std::move(step), parts.objective,
                                             parts.batches, v.rows, parts.count("batch"));
}

template std::unique_ptr<Method<float>> alf_method(const MethodParts<float>&, Alf);
template std::unique_ptr<Method<double>> alf_method(const MethodParts<double>&, Alf);

}  // namespace alfcg

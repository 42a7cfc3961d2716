#include "objective/residual.hpp"

#include <algorithm>
#include <cmath>

namespace alfcg {

namespace {

struct Scalar {
    double value;
    double derivative;
};

Scalar logistic(double margin) {  // log(1 + exp(-m)) and its derivative in m
    const double e = std::exp(-std::abs(margin));
    const double value = std::log1p(e) + std::max(-margin, 0.0);
    return {value, -(margin >= 0 ? e : 1.0) / (1 + e)};
}

Scalar sigmoid(double margin) {  // 1 / (1 + exp(m)) and its derivative in m
    const double e = std::exp(-std::abs(margin));
    const double denominator = 1 + e;
    return {(margin >= 0 ? e : 1.0) / denominator, -e / (denominator * denominator)};
}

Scalar huber(double residual, double threshold) {
    if (std::abs(residual) <= threshold) return {0.5 * residual * residual, residual};
    return {threshold * (std::abs(residual) - 0.5 * threshold), std::copysign(threshold, residual)};
}

Scalar welsch(double residual, double width) {
    const double ratio = residual / width;
    const double square = ratio * ratio;
    return {-0.5 * width * width * std::expm1(-square), residual * std::exp(-square)};
}

Scalar scalar_loss(double score, double target, const LossOptions& loss) {
    switch (loss.kind) {
        case Loss::logistic: {
            const Scalar s = logistic(target * score);
            return {s.value, target * s.derivative};
        }
        case Loss::sigmoid: {
            const Scalar s = sigmoid(target * score);
            return {s.value, target * s.derivative};
        }
        case Loss::squared: {
            const double residual = score - target;
            return {0.5 * residual * residual, residual};
        }
        case Loss::huber:
            return huber(score - target, loss.threshold);
        case Loss::welsch:
            return welsch(score - target, loss.width);
        case Loss::multinomial:
            break;
    }
    return {0, 0};
}

}  // namespace

template <class Real>
double multinomial_residual(Real* scores, Index outputs, std::int32_t target, double weight) {
    const Real largest = *std::max_element(scores, scores + outputs);
    const double target_score = static_cast<double>(scores[target]) - static_cast<double>(largest);
    double sum = 0;
    for (Index l = 0; l < outputs; ++l) {
        scores[l] = std::exp(scores[l] - largest);
        sum += static_cast<double>(scores[l]);
    }
    const Real factor = static_cast<Real>(weight / sum);
    // 1 - p_y as a sum over the others: no cancellation when the class is all but certain.
    double others = 0;
    for (Index l = 0; l < outputs; ++l)
        if (l != target) others += static_cast<double>(scores[l]);
    for (Index l = 0; l < outputs; ++l) scores[l] *= factor;
    scores[target] = static_cast<Real>(-weight * others / sum);
    return target_score == 0 ? std::log1p(others) : std::log(sum) - target_score;
}

template <class Real>
double scalar_residual(Real& score, double target, const LossOptions& loss, double weight) {
    const Scalar s = scalar_loss(static_cast<double>(score), target, loss);
    score = static_cast<Real>(weight * s.derivative);
    return s.value;
}

template double multinomial_residual(float*, Index, std::int32_t, double);
template double multinomial_residual(double*, Index, std::int32_t, double);
template double scalar_residual(float&, double, const LossOptions&, double);
template double scalar_residual(double&, double, const LossOptions&, double);

}  // namespace alfcg

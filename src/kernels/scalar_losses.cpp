// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/scalar_losses.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/exp-inl.hpp"
#include "kernels/losses.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

template <class V>
struct Point {
    V value;
    V derivative;
};

template <class V>
HWY_INLINE Point<V> Times(V weight, const Point<V>& point) {
    return {hn::Mul(weight, point.value), hn::Mul(weight, point.derivative)};
}

// e = exp(−|m|) and 1/(1+e): every margin m is safe.
template <class D, class V>
HWY_INLINE Point<V> Logistic(D d, V score, V target) {
    const V margin = hn::Mul(target, score);
    const V e = ExpOfNegative(d, hn::Neg(hn::Abs(margin)));
    const V one = hn::Set(d, 1);
    const V numerator = hn::IfThenElse(hn::Ge(margin, hn::Zero(d)), e, one);
    return {hn::Add(hn::Log1p(d, e), hn::Max(hn::Neg(margin), hn::Zero(d))),
            hn::Neg(hn::Mul(target, hn::Div(numerator, hn::Add(one, e))))};
}

template <class D, class V>
HWY_INLINE Point<V> Sigmoid(D d, V score, V target) {
    const V margin = hn::Mul(target, score);
    const V e = ExpOfNegative(d, hn::Neg(hn::Abs(margin)));
    const V one = hn::Set(d, 1);
    const V denominator = hn::Add(one, e);
    const V numerator = hn::IfThenElse(hn::Ge(margin, hn::Zero(d)), e, one);
    return {hn::Div(numerator, denominator),
            hn::Neg(hn::Mul(target, hn::Div(e, hn::Mul(denominator, denominator))))};
}

template <class D, class V>
HWY_INLINE Point<V> Squared(D d, V score, V target) {
    const V residual = hn::Sub(score, target);
    return {hn::Mul(hn::Set(d, 0.5), hn::Mul(residual, residual)), residual};
}

template <class D, class V>
HWY_INLINE Point<V> Huber(D d, V score, V target, hn::TFromD<D> threshold) {
    const V residual = hn::Sub(score, target);
    const V limit = hn::Set(d, threshold);
    const V half = hn::Set(d, 0.5);
    const V size = hn::Abs(residual);
    const auto near = hn::Le(size, limit);
    return {hn::IfThenElse(near, hn::Mul(half, hn::Mul(residual, residual)),
                           hn::Mul(limit, hn::Sub(size, hn::Mul(half, limit)))),
            hn::IfThenElse(near, residual, hn::CopySign(limit, residual))};
}

template <class D, class V>
HWY_INLINE Point<V> Welsch(D d, V score, V target, hn::TFromD<D> width) {
    const V residual = hn::Sub(score, target);
    const V ratio = hn::Div(residual, hn::Set(d, width));
    const V square = hn::Mul(ratio, ratio);
    return {hn::Mul(hn::Set(d, -width * width / 2), hn::Expm1(d, hn::Neg(square))),
            hn::Mul(residual, ExpOfNegative(d, hn::Neg(square)))};
}

template <class Real, class Loss>
double Apply(Real* scores, Index count, const Real* targets, LossWeight<Real> weight, const Loss& loss) {
    const hn::ScalableTag<Real> d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const auto factor = hn::Set(d, static_cast<Real>(weight.factor));
    const bool weighted = weight.samples != nullptr;
    double total = 0;
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
        auto point = loss(d, hn::LoadU(d, scores + i), hn::LoadU(d, targets + i));
        if (weighted) point = Times(hn::LoadU(d, weight.samples + i), point);
        hn::StoreU(hn::Mul(factor, point.derivative), d, scores + i);
        total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, point.value)));
    }
    if (const Index left = count - i; left > 0) {
        auto point = loss(d, LoadTail(d, scores + i, left), LoadTail(d, targets + i, left));
        if (weighted) point = Times(LoadTail(d, weight.samples + i, left), point);
        StoreTail(d, hn::Mul(factor, point.derivative), scores + i, left);
        const auto kept = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(left)), point.value);
        total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, kept)));
    }
    return total;
}

template <class Real>
double ApplyLogistic(Real* scores, Index count, const Real* targets, LossWeight<Real> weight) {
    return Apply(scores, count, targets, weight,
                 [](auto d, auto s, auto t) HWY_ATTR { return Logistic(d, s, t); });
}
template <class Real>
double ApplySigmoid(Real* scores, Index count, const Real* targets, LossWeight<Real> weight) {
    return Apply(scores, count, targets, weight,
                 [](auto d, auto s, auto t) HWY_ATTR { return Sigmoid(d, s, t); });
}
template <class Real>
double ApplySquared(Real* scores, Index count, const Real* targets, LossWeight<Real> weight) {
    return Apply(scores, count, targets, weight,
                 [](auto d, auto s, auto t) HWY_ATTR { return Squared(d, s, t); });
}
template <class Real>
double ApplyHuber(Real* scores, Index count, const Real* targets, LossWeight<Real> weight, double threshold) {
    return Apply(scores, count, targets, weight, [threshold](auto d, auto s, auto t) HWY_ATTR {
        return Huber(d, s, t, static_cast<Real>(threshold));
    });
}
template <class Real>
double ApplyWelsch(Real* scores, Index count, const Real* targets, LossWeight<Real> weight, double width) {
    return Apply(scores, count, targets, weight, [width](auto d, auto s, auto t) HWY_ATTR {
        return Welsch(d, s, t, static_cast<Real>(width));
    });
}

#define ALFCG_LOSS(NAME)                                                             \
    double NAME##Float(float* s, Index n, const float* t, LossWeight<float> w) {     \
        return Apply##NAME(s, n, t, w);                                              \
    }                                                                                \
    double NAME##Double(double* s, Index n, const double* t, LossWeight<double> w) { \
        return Apply##NAME(s, n, t, w);                                              \
    }
#define ALFCG_LOSS_WITH(NAME)                                                                          \
    double NAME##Float(float* s, Index n, const float* t, LossWeight<float> w, double parameter) {     \
        return Apply##NAME(s, n, t, w, parameter);                                                     \
    }                                                                                                  \
    double NAME##Double(double* s, Index n, const double* t, LossWeight<double> w, double parameter) { \
        return Apply##NAME(s, n, t, w, parameter);                                                     \
    }
ALFCG_LOSS(Logistic)
ALFCG_LOSS(Sigmoid)
ALFCG_LOSS(Squared)
ALFCG_LOSS_WITH(Huber)
ALFCG_LOSS_WITH(Welsch)
#undef ALFCG_LOSS
#undef ALFCG_LOSS_WITH

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

#define ALFCG_LOSS(NAME, FUNCTION)                                                                   \
    HWY_EXPORT(NAME##Float);                                                                         \
    HWY_EXPORT(NAME##Double);                                                                        \
    double FUNCTION(float* scores, Index count, const float* targets, LossWeight<float> weight) {    \
        return HWY_DYNAMIC_DISPATCH(NAME##Float)(scores, count, targets, weight);                    \
    }                                                                                                \
    double FUNCTION(double* scores, Index count, const double* targets, LossWeight<double> weight) { \
        return HWY_DYNAMIC_DISPATCH(NAME##Double)(scores, count, targets, weight);                   \
    }
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ALFCG_LOSS_WITH(NAME, FUNCTION, PARAMETER)                                                 \
    HWY_EXPORT(NAME##Float);                                                                       \
    HWY_EXPORT(NAME##Double);                                                                      \
    double FUNCTION(float* scores, Index count, const float* targets, LossWeight<float> weight,    \
                    double PARAMETER) {                                                            \
        return HWY_DYNAMIC_DISPATCH(NAME##Float)(scores, count, targets, weight, PARAMETER);       \
    }                                                                                              \
    double FUNCTION(double* scores, Index count, const double* targets, LossWeight<double> weight, \
                    double PARAMETER) {                                                            \
        return HWY_DYNAMIC_DISPATCH(NAME##Double)(scores, count, targets, weight, PARAMETER);      \
    }
// NOLINTEND(bugprone-macro-parentheses)
ALFCG_LOSS(Logistic, logistic_loss)
ALFCG_LOSS(Sigmoid, sigmoid_loss)
ALFCG_LOSS(Squared, squared_loss)
ALFCG_LOSS_WITH(Huber, huber_loss, threshold)
ALFCG_LOSS_WITH(Welsch, welsch_loss, width)

}  // namespace alfcg::kernels
#endif
